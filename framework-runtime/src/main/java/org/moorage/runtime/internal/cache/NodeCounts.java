// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.Topology;

/**
 * A number of pods by node index. Few nodes have pods of one template, so the numbers are in a hash table; with many nodes they are in an
 * array.
 */
final class NodeCounts {
    private static final int LEAST_SLOTS = 16;

    private final int nodes;
    // Node indexes by slot, -1 for a free slot; null if the slots are the node indexes.
    private int @Nullable [] indexes;
    private int[] counts;
    private int used;

    /** Creates counts that are all 0, for that many nodes. */
    NodeCounts(int nodes) {
        this.nodes = nodes;
        indexes = freeSlots(LEAST_SLOTS);
        counts = new int[LEAST_SLOTS];
    }

    NodeCounts(NodeCounts other) {
        nodes = other.nodes;
        indexes = other.indexes == null ? null : other.indexes.clone();
        counts = other.counts.clone();
        used = other.used;
    }

    private static int[] freeSlots(int slots) {
        int[] free = new int[slots];
        Arrays.fill(free, -1);
        return free;
    }

    int get(int index) {
        int[] keys = indexes;
        if (keys == null) {
            return counts[index];
        }
        int slot = slot(keys, index);
        return keys[slot] == index ? counts[slot] : 0;
    }

    void add(int index, int amount) {
        if (amount == 0) {
            return;
        }
        int[] keys = indexes;
        if (keys == null) {
            counts[index] += amount;
            return;
        }
        int slot = slot(keys, index);
        if (keys[slot] != index) {
            if (2 * (used + 1) > keys.length) {
                grow(keys);
                add(index, amount);
                return;
            }
            keys[slot] = index;
            used++;
        }
        counts[slot] += amount;
    }

    // Linear probing; at most half of the slots are used.
    private static int slot(int[] keys, int index) {
        int mask = keys.length - 1;
        int slot = index * 0x9E3779B9 >>> 8 & mask;
        while (keys[slot] != index && keys[slot] >= 0) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow(int[] keys) {
        int[] before = counts;
        int slots = keys.length * 2;
        // The array is then smaller than the table.
        boolean isDense = 2 * slots > nodes;
        indexes = isDense ? null : freeSlots(slots);
        counts = new int[isDense ? nodes : slots];
        used = 0;
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] >= 0) {
                add(keys[slot], before[slot]);
            }
        }
    }

    /** Returns the sums by domain of a topology. */
    int[] in(Topology topology, IntFunction<NodeInfo> node) {
        int[] keys = indexes;
        int[] sums = new int[topology.size()];
        for (int slot = 0; slot < counts.length; slot++) {
            if (counts[slot] != 0) {
                int domain = topology.domain(node.apply(keys == null ? slot : keys[slot]));
                if (domain != Topology.NONE) {
                    sums[domain] += counts[slot];
                }
            }
        }
        return sums;
    }

    /**
     * Returns the same numbers for other node indexes.
     *
     * @param otherNodes the number of nodes
     * @param otherIndex returns the other index of a node, or -1 for none
     */
    NodeCounts withIndexes(int otherNodes, IntUnaryOperator otherIndex) {
        int[] keys = indexes;
        NodeCounts other = new NodeCounts(otherNodes);
        for (int slot = 0; slot < counts.length; slot++) {
            int index = counts[slot] == 0 ? -1 : otherIndex.applyAsInt(keys == null ? slot : keys[slot]);
            if (index >= 0) {
                other.add(index, counts[slot]);
            }
        }
        return other;
    }

    /** Adds these numbers to others. */
    void addTo(NodeCounts sum) {
        int[] keys = indexes;
        for (int slot = 0; slot < counts.length; slot++) {
            if (counts[slot] != 0) {
                sum.add(keys == null ? slot : keys[slot], counts[slot]);
            }
        }
    }

    /** Returns the size of the arrays. */
    int cells() {
        return counts.length + (indexes == null ? 0 : indexes.length);
    }
}
