// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.random.RandomGenerator;

/**
 * Picks the node with the highest total, and of equal ones that with the highest random number, which only nodes that an extender
 * has scored have. Among the rest it is the one that kube-scheduler's heap brings to the top, which is not always the first: for
 * totals 1, 1, 9, 9 it is the last. Or it is any of them, with the same chance for each.
 */
final class HostSelection {
    private HostSelection() {}

    /** The index of the chosen total; there is at least one. */
    static int highest(long[] totals, long[] randoms, int count) {
        int[] heap = new int[count];
        for (int i = 0; i < count; i++) {
            heap[i] = i;
        }
        for (int i = count / 2 - 1; i >= 0; i--) {
            sink(heap, totals, randoms, i);
        }
        return heap[0];
    }

    /** As {@link #highest}, but any of those that are equal. */
    static int anyOfHighest(long[] totals, long[] randoms, int count, RandomGenerator random) {
        int best = 0;
        int equal = 1;
        for (int i = 1; i < count; i++) {
            if (isBetter(i, best, totals, randoms)) {
                best = i;
                equal = 1;
            } else if (!isBetter(best, i, totals, randoms)) {
                equal++;
            }
        }
        int chosen = best;
        for (int left = equal == 1 ? 0 : random.nextInt(equal); left > 0; left--) {
            do {
                chosen++;
            } while (totals[chosen] != totals[best] || randoms[chosen] != randoms[best]);
        }
        return chosen;
    }

    private static void sink(int[] heap, long[] totals, long[] randoms, int start) {
        int parent = start;
        while (true) {
            int child = 2 * parent + 1;
            if (child >= heap.length) {
                return;
            }
            if (child + 1 < heap.length && isBetter(heap[child + 1], heap[child], totals, randoms)) {
                child++;
            }
            if (!isBetter(heap[child], heap[parent], totals, randoms)) {
                return;
            }
            int moved = heap[parent];
            heap[parent] = heap[child];
            heap[child] = moved;
            parent = child;
        }
    }

    private static boolean isBetter(int first, int second, long[] totals, long[] randoms) {
        return totals[first] > totals[second] || totals[first] == totals[second] && randoms[first] > randoms[second];
    }
}
