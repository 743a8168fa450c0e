// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The scheduler does not grow with the number of names that it has seen. Counts the instances of all classes, so it
 * finds any leak. {@code -Dtests.pods} is the number of pods, for longer runs.
 */
class GrowthTest {
    private static final long SEED = 1;
    /** The number of pods after which all bounded collections are full. */
    private static final long FIRST = 5_000;

    private static final long MORE = Long.getLong("tests.pods", 20_000) - FIRST;
    /**
     * The allowed growth of the JVM's own objects: names of classes, code compiled in the meantime. A leak by names has
     * thousands.
     */
    private static final long MOST = 3_000;

    @Test
    void holdsNothingOfPodsThatHaveGone() {
        try (PodSoak soak = new PodSoak(SEED)) {
            soak.run(FIRST);
            PodSoak.Holdings before = soak.holdings();
            soak.run(MORE);
            PodSoak.Holdings after = soak.holdings();

            assertThat(soak.bound()).as("pods that were bound").isGreaterThan((FIRST + MORE) / 2);
            assertThat(after.grownSince(before, MOST))
                    .as("more instances than before")
                    .isEmpty();
            assertThat(after.dump()).as("what the scheduler holds").isEqualTo(before.dump());
            assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads());
            assertThat(after.series()).as("series of metrics").isLessThanOrEqualTo(before.series() + 50);
        }
    }
}
