// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.function.UnaryOperator;

/**
 * A value that several threads read and replace. Unlike an {@link java.util.concurrent.atomic.AtomicReference}, it is
 * never null.
 *
 * @param <T> the type of the value, which is immutable
 */
final class Mutable<T> {
    private volatile T value;

    Mutable(T value) {
        this.value = value;
    }

    T get() {
        return value;
    }

    synchronized void set(T replacement) {
        value = replacement;
    }

    /** Replaces the value by the result of a change, and returns the result. */
    synchronized T update(UnaryOperator<T> change) {
        T changed = change.apply(value);
        value = changed;
        return changed;
    }
}
