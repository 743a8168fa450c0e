// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.faults;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.moorage.systemtests.simulation.PodSoak;

/** Names, of which a cluster sees ever more. */
class GrowthFaultsTest {
    private static final long FIRST = 20_000;
    private static final long MORE = 980_000;

    @Test
    @Fault(
            value = 47,
            injected =
                    "a million pods with names, labels, owners and images of their own come and go in an hour of virtual time")
    void millionPods(FaultReport report) {
        try (PodSoak soak = new PodSoak(1)) {
            soak.run(FIRST);
            PodSoak.Holdings before = soak.holdings();
            soak.run(MORE);
            PodSoak.Holdings after = soak.holdings();

            report.saw("%d bound; heap %.1f to %.1f MB, threads %d to %d, series %d to %d"
                    .formatted(
                            soak.bound(),
                            before.bytes() / 1e6,
                            after.bytes() / 1e6,
                            before.threads(),
                            after.threads(),
                            before.series(),
                            after.series()));
            Map<String, Long> grown = after.grownSince(before, 3_000);
            report.holds(grown.isEmpty(), "more instances: " + grown);
            report.holds(after.dump().equals(before.dump()), "the scheduler holds:\n" + after.dump());
            report.holds(after.threads() <= before.threads(), "more threads");
        }
    }
}
