// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object before and after a change.
 *
 * @param <T> the object's type
 */
public final class ObjectChange<T> {
    private final @Nullable T before;
    private final @Nullable T after;

    private final boolean isInitial;

    private ObjectChange(@Nullable T before, @Nullable T after, boolean isInitial) {
        this.before = before;
        this.after = after;
        this.isInitial = isInitial;
    }

    /** Returns an object that exists when the scheduler starts, as the creation of it. */
    public static <T> ObjectChange<T> initial(T after) {
        return new ObjectChange<>(null, Objects.requireNonNull(after, "after"), true);
    }

    /** Returns the creation of an object. */
    public static <T> ObjectChange<T> added(T after) {
        return new ObjectChange<>(null, Objects.requireNonNull(after, "after"), false);
    }

    /** Returns an update of an object. */
    public static <T> ObjectChange<T> updated(T before, T after) {
        return new ObjectChange<>(
                Objects.requireNonNull(before, "before"), Objects.requireNonNull(after, "after"), false);
    }

    /** Returns the deletion of an object. */
    public static <T> ObjectChange<T> deleted(T before) {
        return new ObjectChange<>(Objects.requireNonNull(before, "before"), null, false);
    }

    /** Returns the object before the change; empty if it was added. */
    public Optional<T> before() {
        return Optional.ofNullable(before);
    }

    /** Returns the object after the change; empty if it was deleted. */
    public Optional<T> after() {
        return Optional.ofNullable(after);
    }

    /** Returns whether the object existed when the scheduler started, or when the listener was registered. */
    public boolean isInitial() {
        return isInitial;
    }

    /** Returns the last known object: after the change, or before its deletion. */
    public T latest() {
        return after != null ? after : Objects.requireNonNull(before);
    }

    /**
     * Returns the same change, with the object's type.
     *
     * @throws IllegalArgumentException if the object is not of that type
     */
    public <S> ObjectChange<S> as(Class<S> type) {
        T latest = latest();
        if (!type.isInstance(latest)) {
            throw new IllegalArgumentException(
                    "object: " + latest.getClass().getSimpleName() + " (expected: " + type.getSimpleName() + ")");
        }
        return new ObjectChange<>(
                before == null ? null : type.cast(before), after == null ? null : type.cast(after), isInitial);
    }
}
