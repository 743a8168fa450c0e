// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_LABEL;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.START;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.labelled;
import static org.moorage.runtime.internal.queue.QueueFixture.on;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.runtime.internal.queue.QueueState.In;

/** PreEnqueue plugins keep pods out of the active ones. */
final class SchedulingQueueGatesTest {
    private final QueueFixture fixture = new QueueFixture();

    private static final ClusterEvent GATES = on(EventResource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);

    private boolean firstOpen = true;
    private boolean secondOpen = true;

    private SchedulingQueue queue() {
        return fixture.gate("First", () -> firstOpen)
                .gate("Second", () -> secondOpen)
                .plugin("Second", NODE_ADD, Hint.QUEUE)
                .plugin("Fit", NODE_LABEL, Hint.QUEUE)
                .queue();
    }

    @Test
    void keepAPodOutWithoutAnAttempt() {
        secondOpen = false;
        SchedulingQueue queue = queue();
        queue.add(POD);

        QueueState state = QueueState.of(queue, POD.key()).orElseThrow();
        assertThat(state.in()).isEqualTo(In.GATED);
        assertThat(state.gatedBy()).isEqualTo("Second");
        assertThat(state.attempts()).isZero();
        assertThat(queue.poll()).isEmpty();
        assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 1, 0, 0));
    }

    @Test
    void areAskedInOrderUntilOneIsClosed() {
        firstOpen = false;
        queue().add(POD);

        assertThat(fixture.asked).containsExactly("First");
    }

    @Test
    void areAskedAgainFromTheOneThatWasClosed() {
        secondOpen = false;
        SchedulingQueue queue = queue();
        queue.add(POD);
        fixture.asked.clear();
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(fixture.asked).containsExactly("Second", "Second");
        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

        secondOpen = true;
        fixture.asked.clear();
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(fixture.asked).containsExactly("Second", "Second", "First");
        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void areUngatedOnlyByTheirOwnEvents() {
        SchedulingQueue queue = gatedAfterAnAttempt();
        secondOpen = true;
        fixture.asked.clear();
        queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
        assertThat(fixture.asked).isEmpty();
        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

        fixture.passSeconds(10);
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void areAskedAgainWhenPodsHaveWaitedForTooLong() {
        SchedulingQueue queue = gatedAfterAnAttempt();
        fixture.passSeconds(301);
        fixture.asked.clear();
        queue.flushUnschedulable();
        assertThat(fixture.asked).containsExactly("Second");
        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

        // And not at each flush from then on.
        fixture.passSeconds(300);
        queue.flushUnschedulable();
        assertThat(fixture.asked).containsExactly("Second");

        secondOpen = true;
        fixture.passSeconds(1);
        queue.flushUnschedulable();
        assertThat(queue.poll().orElseThrow().wasFlushed()).isTrue();
    }

    @Test
    void doNotHaveAPodCountAsFlushedThatAnEventLetsInLater() {
        SchedulingQueue queue = gatedAfterAnAttempt();
        fixture.passSeconds(301);
        queue.flushUnschedulable();
        secondOpen = true;
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(queue.poll().orElseThrow().wasFlushed()).isFalse();
    }

    @Test
    void leaveThePodItsNominatedNode() {
        secondOpen = false;
        Pod nominated = POD.withStatus(
                POD.status().toBuilder().nominatedNodeName("node").build());
        fixture.cluster.put(nominated.key(), nominated);
        SchedulingQueue queue = queue();
        queue.add(nominated);
        assertThat(placeOf(queue, nominated)).isEqualTo(In.GATED);
        assertThat(fixture.nominator.nominatedPodsFor("node")).containsExactly(nominated);
    }

    private SchedulingQueue gatedAfterAnAttempt() {
        SchedulingQueue queue = queue();
        queue.add(POD);
        QueuedPodInfo entry = popPod(queue);
        queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
        secondOpen = false;
        queue.addUnschedulable(entry, POD, by("Fit"));
        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);
        return queue;
    }

    @Test
    void startTheClockOfAttemptsWhenTheyOpen() {
        secondOpen = false;
        SchedulingQueue queue = queue();
        queue.add(POD);
        fixture.passSeconds(30);
        secondOpen = true;
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

        QueuedPodInfo entry = popPod(queue);
        assertThat(entry.initialAttemptTimestamp()).contains(START.plusSeconds(30));
        assertThat(entry.timestamp()).isEqualTo(START);
        assertThat(entry.gatedBy()).isEmpty();
    }

    @Test
    void openWithAnUpdateOfThePod() {
        SchedulingQueue queue = fixture.gate(
                        "SchedulingGates",
                        pod -> pod.spec().schedulingGates().isEmpty()
                                ? Status.success()
                                : Status.unresolvable("waiting for scheduling gates: [a]"))
                .plugin("SchedulingGates", GATES, Hint.QUEUE)
                .queue();
        Pod gated = pod("pod", PodSpec.builder().schedulingGates(List.of("a")).build());
        queue.add(gated);
        queue.update(gated, labelled(gated, "x"));
        assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

        queue.update(labelled(gated, "x"), labelled(POD, "x"));
        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void standBeforeTheBackoffQueueButNotBehindIt() {
        SchedulingQueue queue = queue();
        queue.add(POD);
        QueuedPodInfo entry = popPod(queue);
        fixture.asked.clear();
        queue.addUnschedulable(entry, POD, RejectorPlugins.NONE);
        assertThat(fixture.asked).containsExactly("First", "Second");

        firstOpen = false;
        fixture.passSeconds(10);
        queue.flushBackoff();
        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
        assertThat(fixture.asked).containsExactly("First", "Second");
    }

    @Test
    void thatFailAreClosed() {
        SchedulingQueue queue = fixture.gate("Broken", pod -> {
                    throw new IllegalStateException("broken");
                })
                .queue();
        queue.add(POD);

        assertThat(QueueState.of(queue, POD.key()).orElseThrow().gatedBy()).isEqualTo("Broken");
        assertThat(fixture.preEnqueueFailures())
                .containsExactly("ns/pod: running PreEnqueue plugin \"Broken\": broken");
    }
}
