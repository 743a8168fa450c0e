// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Names a value of a {@link CycleState}, and carries its type.
 *
 * <p>A plugin keeps one as a constant; two keys are never equal, whatever their names:
 *
 * <pre>{@code
 * private static final StateKey<Request> REQUEST = StateKey.of("NodeResourcesFit/request");
 * }</pre>
 */
public final class StateKey<T> {
    private static final AtomicInteger KEYS = new AtomicInteger();

    /** Numbers the keys, so that a few of them have different places in a small table. */
    final int number = KEYS.getAndIncrement();

    private final String name;

    private StateKey(String name) {
        this.name = name;
    }

    /** A new key. The name is for messages only; by custom it is the plugin's name, a slash and the value's. */
    public static <T> StateKey<T> of(String name) {
        return new StateKey<>(Objects.requireNonNull(name, "name"));
    }

    @Override
    public String toString() {
        return name;
    }
}
