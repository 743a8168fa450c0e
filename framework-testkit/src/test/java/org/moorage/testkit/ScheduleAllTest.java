// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;

@Timeout(60)
class ScheduleAllTest {
    /** Rejects each pod, and activates it unless it is named rejected. */
    private record Pusher(Handle handle) implements FilterPlugin {
        @Override
        public String name() {
            return "Pusher";
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            if (!pod.name().equals("rejected")) {
                handle.queue().activate(List.of(pod));
            }
            return Status.unschedulable("again");
        }
    }

    private static final PluginTester TESTER = PluginTester.of(PluginFactory.of("Pusher", Pusher.class, Pusher::new))
            .cluster(Nodes.named("n").allocatable("pods", "10").build());

    @Test
    void failsIfAPluginActivatesAPodForEver() {
        try (TestScheduler scheduler = TESTER.startAt(Instant.EPOCH)) {
            scheduler.cluster().apply(Pods.named("p").build());

            assertThatThrownBy(scheduler::scheduleAll)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("pod default/p")
                    .hasMessageContaining("plugin Pusher activates it");
        }
    }

    @Test
    void triesManyPods() {
        try (TestScheduler scheduler = TESTER.start()) {
            for (int i = 0; i < 300; i++) {
                scheduler
                        .cluster()
                        .apply(Pods.named("rejected").namespace("ns-" + i).build());
            }

            // The condition that the scheduler writes brings each pod back once.
            assertThat(scheduler.scheduleAll()).hasSize(600).allMatch(decision -> decision.attempts() <= 2);
        }
    }
}
