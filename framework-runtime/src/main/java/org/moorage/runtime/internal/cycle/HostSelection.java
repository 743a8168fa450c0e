// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.random.RandomGenerator;

/**
 * Picks the node with the highest total. Among equal totals it picks the highest random number; only nodes that an
 * extender has scored have one. Among the rest, {@link #highest} picks the node that kube-scheduler's heap brings to
 * the top, which is not always the first: for totals 1, 1, 9, 9 it is the last. {@link #anyOfHighest} picks each of
 * them with the same probability.
 */
final class HostSelection {
    private HostSelection() {}

    /** Returns the index of the chosen total; there must be at least one. */
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

    // Among equal totals a parent stays above its children, and the whole branch of a left child comes before that of
    // its right sibling. So the first in a preorder walk comes to the top. Numbered from 1, the binary digits of an
    // index are the path to it, so the preorder is the order of these digits as text: first by the digits, then the
    // shorter text.
    private static long turn(int index) {
        int number = index + 1;
        int zeros = Integer.numberOfLeadingZeros(number);
        return Integer.toUnsignedLong(number << zeros) << Integer.SIZE >>> 1 | Integer.SIZE - zeros;
    }

    /** Like {@link #highest}, but chooses any of the equal ones. */
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
