// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;

/**
 * A value for each node, computed once for each state of the node and each version of its other input. It is found by
 * the node's index, since looking up thousands of names in a map takes longer than scoring the nodes. Thread-safe.
 *
 * @param <V> the type of versions, which are compared by identity
 * @param <T> the type of values
 */
final class CachedNodeValues<V, T extends @Nullable Object> {
    private final BiFunction<NodeInfo, V, T> compute;
    private volatile AtomicReferenceArray<@Nullable Kept<V, T>> kept = new AtomicReferenceArray<>(0);

    /** A value for a generation of a node. No two states of nodes share a generation. */
    private record Kept<V, T extends @Nullable Object>(long generation, V version, T value) {}

    CachedNodeValues(BiFunction<NodeInfo, V, T> compute) {
        this.compute = compute;
    }

    /** Returns the value of a node. */
    @SuppressWarnings("ReferenceEquality") // a version is an instance
    T of(NodeInfo node, V version) {
        AtomicReferenceArray<@Nullable Kept<V, T>> known = kept;
        int index = node.index();
        Kept<V, T> value = index < known.length() ? known.get(index) : null;
        if (value == null || value.generation() != node.generation() || value.version() != version) {
            value = new Kept<>(node.generation(), version, compute.apply(node, version));
            withRoomFor(index).set(index, value);
        }
        return value.value();
    }

    // A value that another thread puts into the former array is lost, and computed again.
    private AtomicReferenceArray<@Nullable Kept<V, T>> withRoomFor(int index) {
        AtomicReferenceArray<@Nullable Kept<V, T>> known = kept;
        if (index < known.length()) {
            return known;
        }
        synchronized (this) {
            known = kept;
            if (index >= known.length()) {
                AtomicReferenceArray<@Nullable Kept<V, T>> larger =
                        new AtomicReferenceArray<>(Math.max(index + 1, known.length() * 2));
                for (int i = 0; i < known.length(); i++) {
                    larger.set(i, known.get(i));
                }
                kept = larger;
                known = larger;
            }
            return known;
        }
    }
}
