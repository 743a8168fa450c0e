// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

/**
 * Picks the node with the highest total. Among equal ones it is the one that kube-scheduler's heap brings to the top, which
 * is not always the first: for totals 1, 1, 9, 9 it is the last.
 */
final class HostSelection {
    private HostSelection() {}

    /** The index of the chosen total; there is at least one. */
    static int highest(long[] totals, int count) {
        int[] heap = new int[count];
        for (int i = 0; i < count; i++) {
            heap[i] = i;
        }
        for (int i = count / 2 - 1; i >= 0; i--) {
            sink(heap, totals, i);
        }
        return heap[0];
    }

    private static void sink(int[] heap, long[] totals, int start) {
        int parent = start;
        while (true) {
            int child = 2 * parent + 1;
            if (child >= heap.length) {
                return;
            }
            if (child + 1 < heap.length && totals[heap[child + 1]] > totals[heap[child]]) {
                child++;
            }
            if (totals[heap[child]] <= totals[heap[parent]]) {
                return;
            }
            int moved = heap[parent];
            heap[parent] = heap[child];
            heap[child] = moved;
            parent = child;
        }
    }
}
