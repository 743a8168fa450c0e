// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class PrioritySortTest {
    private static final PluginTester PLUGIN = PluginTester.of(PrioritySort.FACTORY);
    private static final Instant EARLY = Instant.parse("2024-05-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusNanos(1);

    record Case(String name, QueuedPod first, QueuedPod second, boolean less) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("higher priority goes first", queued(10, LATE), queued(5, EARLY), true),
        new Case("lower priority goes last", queued(-1, EARLY), queued(0, LATE), false),
        new Case("of equal priority the earlier goes first", queued(5, EARLY), queued(5, LATE), true),
        new Case("of equal priority the later goes last", queued(5, LATE), queued(5, EARLY), false),
        new Case("equal pods have no order", queued(5, EARLY), queued(5, EARLY), false),
        new Case(
                "the extremes of priority do not overflow",
                queued(Integer.MAX_VALUE, LATE),
                queued(Integer.MIN_VALUE, EARLY),
                true),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void ordersPods(Case c) {
        try (TestScheduler scheduler = PLUGIN.start()) {
            assertThat(scheduler.plugin(PrioritySort.class).less(c.first, c.second))
                    .isEqualTo(c.less);
        }
    }

    private static QueuedPod queued(int priority, Instant timestamp) {
        return new Queued(Pods.named("p").priority(priority).build(), timestamp, 0, Optional.empty());
    }

    private record Queued(Pod pod, Instant timestamp, int attempts, Optional<Instant> initialAttemptTimestamp)
            implements QueuedPod {}
}
