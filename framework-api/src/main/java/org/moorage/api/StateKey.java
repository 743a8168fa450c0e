// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A typed key of a value in a {@link CycleState}.
 *
 * <p>A plugin keeps it as a constant. Two keys are never equal, even if their names are:
 *
 * <pre>{@code
 * private static final StateKey<Request> REQUEST = StateKey.of("NodeResourcesFit/request");
 * }</pre>
 */
public final class StateKey<T> {
    private static final AtomicInteger KEYS = new AtomicInteger();

    /** Numbers the keys, so that a few of them hash to different slots of a small table. */
    final int number = KEYS.getAndIncrement();

    private final String name;

    private StateKey(String name) {
        this.name = name;
    }

    /**
     * Creates a key. The name is for messages only; by convention it is the plugin's name, a slash and the value's
     * name.
     */
    public static <T> StateKey<T> of(String name) {
        return new StateKey<>(Objects.requireNonNull(name, "name"));
    }

    @Override
    public String toString() {
        return name;
    }
}
