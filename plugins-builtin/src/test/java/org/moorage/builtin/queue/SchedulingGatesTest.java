// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class SchedulingGatesTest {
    private static final SchedulingGates PLUGIN =
            new SchedulingGates.Factory().create(PluginArgs.None.DEFAULTS, TestHandle.create());
    private static final Pod GATED =
            Pods.named("p").schedulingGate("example.com/a").schedulingGate("b").build();

    @Nested
    class PreEnqueue {
        @Test
        void letsPodsWithoutGatesIn() {
            assertThat(PLUGIN.preEnqueue(Pods.named("p").build())).isEqualTo(Status.success());
        }

        @Test
        void namesTheGatesOfThoseItKeepsOut() {
            assertThat(PLUGIN.preEnqueue(GATED))
                    .isEqualTo(Status.unresolvable("waiting for scheduling gates: [example.com/a b]"));
        }
    }

    @Nested
    class Events {
        private final EventRegistration registration = PLUGIN.eventsToRegister().get(0);

        @Test
        void waitsForTheLastGateToGo() {
            assertThat(registration.event().label()).isEqualTo("PodUpdatePodSchedulingGatesEliminated");
        }

        @Test
        void queuesOnlyThePodItself() {
            Pod open = Pods.named("p").build();
            Pod other = Pods.named("q").build();
            assertThat(registration.hint().hint(GATED, ObjectChange.updated((Object) GATED, open)))
                    .isEqualTo(Hint.QUEUE);
            assertThat(registration.hint().hint(GATED, ObjectChange.updated((Object) other, other)))
                    .isEqualTo(Hint.SKIP);
        }
    }
}
