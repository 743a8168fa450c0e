// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.OTHER;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.drain;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.queue.QueueState.In;

/**
 * An error of the virtual machine in a plugin passes through the queue, which must not lose the pod that it works on.
 */
final class FatalErrorsTest {
    private final QueueFixture fixture = new QueueFixture();
    private boolean fails;

    private SchedulingQueue queue() {
        return fixture.gate("Gate", pod -> {
                    failIfAsked();
                    return Status.success();
                })
                .plugin("Gate", NODE_ADD, Hint.QUEUE)
                .plugin("Fit", NODE_ADD, pod -> Hint.QUEUE)
                .queue();
    }

    private void failIfAsked() {
        if (fails) {
            throw new OutOfMemoryError("test");
        }
    }

    private void assertFails(Runnable call) {
        fails = true;
        assertThatThrownBy(call::run).isInstanceOf(OutOfMemoryError.class);
        fails = false;
    }

    /** A call that runs PreEnqueue for a pod. */
    record Case(String name, boolean popsEarly, Call before, Call call) {
        @Override
        public String toString() {
            return name;
        }
    }

    interface Call {
        void run(QueueFixture fixture, SchedulingQueue queue);
    }

    static final List<Case> CASES = List.of(
            new Case("a pod comes", true, (fixture, queue) -> {}, (fixture, queue) -> queue.add(POD)),
            new Case(
                    "a pod returns after an error",
                    true,
                    (fixture, queue) -> queue.add(POD),
                    (fixture, queue) -> queue.addUnschedulable(popPod(queue), POD, RejectorPlugins.NONE)),
            new Case(
                    "a pod is moved by an event",
                    true,
                    (fixture, queue) -> reject(queue, POD, by("Fit")),
                    (fixture, queue) -> queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED)),
            new Case(
                    "an unschedulable pod is activated",
                    true,
                    (fixture, queue) -> reject(queue, POD, by("Fit")),
                    (fixture, queue) -> queue.activate(List.of(POD))),
            new Case(
                    "a pod is activated after its backoff",
                    true,
                    (fixture, queue) -> reject(queue, POD, by("Fit")),
                    (fixture, queue) -> queue.activateAfterBackoff(List.of(POD))),
            new Case(
                    "a pod that backs off is activated",
                    false,
                    (fixture, queue) -> reject(queue, POD, RejectorPlugins.NONE),
                    (fixture, queue) -> queue.activate(List.of(POD))),
            new Case(
                    "a backoff is over",
                    false,
                    (fixture, queue) -> reject(queue, POD, RejectorPlugins.NONE),
                    (fixture, queue) -> {
                        fixture.passSeconds(10);
                        queue.flushBackoff();
                    }));

    @ParameterizedTest
    @FieldSource("CASES")
    void inPreEnqueueGateThePod(Case given) {
        if (!given.popsEarly) {
            fixture.settings(new QueueSettings(
                    QueueSettings.DEFAULTS.initialBackoff(),
                    QueueSettings.DEFAULTS.maxBackoff(),
                    QueueSettings.DEFAULTS.maxInUnschedulable(),
                    FeatureGates.of(Map.of(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q, false)),
                    0));
        }
        SchedulingQueue queue = queue();
        given.before.run(fixture, queue);

        assertFails(() -> given.call.run(fixture, queue));

        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);
        fixture.passSeconds(60);
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(drain(queue)).containsExactly("pod");
    }

    @Test
    void inAHintHaveThePodBackOff() {
        SchedulingQueue queue = fixture.plugin("Fit", NODE_ADD, pod -> {
                    failIfAsked();
                    return Hint.QUEUE;
                })
                .queue();
        queue.add(POD);
        QueuedPodInfo popped = popPod(queue);
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

        assertFails(() -> queue.addUnschedulable(popped, POD, by("Fit")));

        assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
    }

    @Test
    void inLessKeepThePodsWhileTheyComeAndGo() {
        SchedulingQueue queue = fixture.sort((first, second) -> {
                    failIfAsked();
                    return first.timestamp().isBefore(second.timestamp());
                })
                .queue();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Pod pod = pod("p" + i);
            names.add("p" + i);
            queue.add(pod);
        }

        assertFails(() -> queue.add(OTHER));
        assertFails(queue::poll);

        names.add("other");
        assertThat(queue.dump().pendingPods())
                .extracting(pending -> pending.pod().name())
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(drain(queue)).containsExactlyInAnyOrderElementsOf(names);
    }
}
