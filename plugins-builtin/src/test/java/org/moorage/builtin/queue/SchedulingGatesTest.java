// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class SchedulingGatesTest {
    private static final PluginTester PLUGIN = PluginTester.of(SchedulingGates.FACTORY);
    private static final Pod GATED =
            Pods.named("p").schedulingGate("example.com/a").schedulingGate("b").build();

    @Nested
    class PreEnqueue {
        @Test
        void letsPodsWithoutGatesIn() {
            PLUGIN.pod(Pods.named("p").build()).entersQueue();
        }

        @Test
        void namesTheGatesOfThoseItKeepsOut() {
            PLUGIN.pod(GATED).isGated(Status.unresolvable("waiting for scheduling gates: [example.com/a b]"));
        }
    }

    @Nested
    class Events {
        @Test
        void waitsForTheLastGateToGo() {
            PLUGIN.registers("TargetPodUpdatePodSchedulingGatesEliminated");
        }

        @Test
        void queuesOnlyThePodItself() {
            Pod open = Pods.named("p").build();
            Pod other = Pods.named("q").build();
            PLUGIN.pod(GATED)
                    .hint(ObjectChange.updated(GATED, open), Hint.QUEUE)
                    .isNotAskedAbout(ObjectChange.updated(other, other));
        }
    }
}
