// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HostSelectionTest {
    record Case(String name, int chosen, long... totals) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("the only node", 0, 7),
                new Case("the first of equals", 0, 5, 5, 5, 5, 5),
                new Case("the highest", 2, 1, 2, 3, 1),
                new Case("the one the heap sifts up first, among equal highest ones", 3, 1, 1, 9, 9),
                new Case("the left child before the right one", 1, 1, 9, 9));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void chooses(Case given) {
        assertThat(PodAttempt.highest(given.totals(), new long[given.totals().length], given.totals().length))
                .isEqualTo(given.chosen());
    }

    @Test
    void choosesByChanceAmongEqualsThatAnExtenderHasScored() {
        assertThat(PodAttempt.highest(new long[] {9, 9, 9, 1}, new long[] {0, 5, 3, 8}, 4))
                .isEqualTo(1);
    }

    @Test
    void alwaysChoosesAHighestTotal() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 1_000; round++) {
            long[] totals = random.longs(1 + random.nextInt(40), 0, 5).toArray();
            long highest = Arrays.stream(totals).max().orElseThrow();
            assertThat(totals[PodAttempt.highest(totals, new long[totals.length], totals.length)])
                    .as("seed %d", seed)
                    .isEqualTo(highest);
        }
    }

    @Test
    void choosesWhatComesToTheTopOfAHeap() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            int count = 1 + random.nextInt(80);
            long[] totals = random.longs(count, 0, 4).toArray();
            long[] randoms = random.longs(count, 0, 2).toArray();
            assertThat(PodAttempt.highest(totals, randoms, count))
                    .as("seed %d, totals %s, randoms %s", seed, Arrays.toString(totals), Arrays.toString(randoms))
                    .isEqualTo(topOfHeap(totals, randoms));
        }
    }

    // As heap.Init of Go's container/heap.
    private static int topOfHeap(long[] totals, long[] randoms) {
        Integer[] heap = new Integer[totals.length];
        Arrays.setAll(heap, index -> index);
        Comparator<Integer> worst =
                Comparator.<Integer>comparingLong(index -> totals[index]).thenComparingLong(index -> randoms[index]);
        for (int start = heap.length / 2 - 1; start >= 0; start--) {
            int parent = start;
            for (int child = 2 * parent + 1; child < heap.length; child = 2 * parent + 1) {
                if (child + 1 < heap.length && worst.compare(heap[child + 1], heap[child]) > 0) {
                    child++;
                }
                if (worst.compare(heap[child], heap[parent]) <= 0) {
                    break;
                }
                Integer moved = heap[parent];
                heap[parent] = heap[child];
                heap[child] = moved;
                parent = child;
            }
        }
        return heap[0];
    }

    @Test
    void choosesEachOfTheEqualsWithTheSameChance() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long[] totals = {3, 9, 1, 9, 9, 2, 9};
        int[] chosen = new int[totals.length];
        for (int round = 0; round < 4_000; round++) {
            chosen[PodAttempt.anyOfHighest(totals, new long[totals.length], totals.length, random)]++;
        }
        assertThat(chosen[0] + chosen[2] + chosen[5]).as("seed %d", seed).isZero();
        for (int best : new int[] {1, 3, 4, 6}) {
            // Six times the standard deviation of 4,000 choices among four.
            assertThat(chosen[best]).as("seed %d, index %d", seed, best).isBetween(1_000 - 165, 1_000 + 165);
        }
    }

    @Test
    void choosesAmongAllEqualsOnlyWhatAnExtenderHasScoredHighest() {
        for (int round = 0; round < 100; round++) {
            assertThat(PodAttempt.anyOfHighest(new long[] {9, 9, 9, 1}, new long[] {0, 5, 3, 8}, 4, new Random(round)))
                    .isEqualTo(1);
        }
    }
}
