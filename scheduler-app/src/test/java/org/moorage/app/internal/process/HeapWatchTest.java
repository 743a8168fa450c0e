// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

final class HeapWatchTest {
    private static final long MEGABYTES = 100;

    /**
     * A course of samples.
     *
     * @param step the milliseconds between two samples
     * @param collecting the part of the time that goes to collections, in percent
     * @param used megabytes of the heap, one after the other and from the start again
     * @param exhausted after how many samples the heap is exhausted; 0 for never
     */
    record Case(String name, int step, int collecting, List<Long> used, int exhausted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a full heap that is always collected is exhausted after four seconds", 250, 99, List.of(98L), 17),
            new Case("collections of almost two seconds leave less time for samples", 2000, 99, List.of(98L), 3),
            new Case("collections that take four fifths of the time are enough", 250, 80, List.of(98L), 17),
            new Case("a full heap that is seldom collected is only full", 250, 70, List.of(98L), 0),
            new Case("collections that regain a part now and then are of use", 250, 99, List.of(98L, 97L, 96L, 84L), 0),
            new Case("an empty heap may be collected for as long as it takes", 250, 100, List.of(10L), 0));

    @Test
    void refusesAHeapThatIsTooSmallForAnyCluster() {
        assertThat(HeapWatch.tooSmall(24L << 20))
                .contains(
                        "the heap is too small: it can have 24 MB (expected: 32 MB for the smallest clusters, 512 MB for"
                                + " 5,000 nodes with 100,000 pods; -Xmx or the container's memory limit sets it)");
        assertThat(HeapWatch.tooSmall(31L << 20)).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void saysWhenTheHeapIsExhausted(Case given) {
        HeapWatch watch = new HeapWatch();
        int first = 0;
        for (int sample = 1; sample <= 200 && first == 0; sample++) {
            long elapsed = Duration.ofMillis((long) sample * given.step).toNanos();
            long used = given.used.get(sample % given.used.size());
            long collected = (long) sample * given.step * given.collecting / 100;
            if (watch.isExhausted(elapsed, collected, used, MEGABYTES)) {
                first = sample;
            }
        }
        assertThat(first).isEqualTo(given.exhausted);
    }
}
