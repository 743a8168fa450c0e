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
        int best = 0;
        long turn = turn(0);
        for (int i = 1; i < count; i++) {
            if (totals[i] < totals[best]) {
                continue;
            }
            if (isBetter(i, best, totals, randoms) || !isBetter(best, i, totals, randoms) && turn(i) < turn) {
                best = i;
                turn = turn(i);
            }
        }
        return best;
    }

    // Of equal ones a parent stays above its children, and a child's whole branch is left behind for that of its left
    // sibling: what comes up is the first on a walk from each node through its left branch and then through its right
    // one. Numbered from 1, the binary digits of an index are the way to it, so that walk is their order as text: first
    // by the digits, then the shorter text.
    private static long turn(int index) {
        int number = index + 1;
        int zeros = Integer.numberOfLeadingZeros(number);
        return Integer.toUnsignedLong(number << zeros) << Integer.SIZE >>> 1 | Integer.SIZE - zeros;
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

    private static boolean isBetter(int first, int second, long[] totals, long[] randoms) {
        return totals[first] > totals[second] || totals[first] == totals[second] && randoms[first] > randoms[second];
    }
}
