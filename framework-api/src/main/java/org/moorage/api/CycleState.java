// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What plugins keep from one extension point to a later one, for one pod and one scheduling cycle.
 *
 * <p>Values are immutable, so {@link #fork()} is a shallow copy: a plugin that must account for "what if this pod were
 * gone" puts a new value into the fork. Safe for use by several threads; a value is read far more often than put.
 */
public final class CycleState {
    // Keys at even, values at odd places. A cycle has few entries, and a scan by identity beats hashing; copied on
    // write so that the parallel passes read without a lock.
    private volatile @Nullable Object[] entries;

    /** An empty state. */
    public CycleState() {
        this(new Object[0]);
    }

    private CycleState(@Nullable Object[] entries) {
        this.entries = entries;
    }

    /** Stores a value, in place of the one that the key had. */
    public synchronized <T> void put(StateKey<T> key, T value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
        @Nullable Object[] old = entries;
        for (int i = 0; i < old.length; i += 2) {
            if (old[i] == key) {
                @Nullable Object[] copy = old.clone();
                copy[i + 1] = value;
                entries = copy;
                return;
            }
        }
        @Nullable Object[] copy = java.util.Arrays.copyOf(old, old.length + 2);
        copy[old.length] = key;
        copy[old.length + 1] = value;
        entries = copy;
    }

    /**
     * The value of a key.
     *
     * @throws NoSuchElementException if nothing was put, which is a mistake in the plugin: it reads at one extension
     *     point what it did not write at an earlier one
     */
    public <T> T get(StateKey<T> key) {
        T value = lookup(key);
        if (value == null) {
            throw new NoSuchElementException(
                    "cycle state: no value for " + key + " (expected: put at an earlier point)");
        }
        return value;
    }

    /** The value of a key, or empty if nothing was put. */
    public <T> Optional<T> find(StateKey<T> key) {
        return Optional.ofNullable(lookup(key));
    }

    /** A state with the same values, whose later changes are its own. */
    public CycleState fork() {
        return new CycleState(entries);
    }

    @SuppressWarnings("unchecked") // put() stores under a key only what has the key's type
    private <T> @Nullable T lookup(StateKey<T> key) {
        @Nullable Object[] current = entries;
        for (int i = 0; i < current.length; i += 2) {
            if (current[i] == key) {
                return (T) current[i + 1];
            }
        }
        return null;
    }
}
