// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.OTHER;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.runtime.internal.queue.QueueState.In;

/** Tests the activation of pods, regardless of which plugin rejected them. */
final class SchedulingQueueActivateTest {
    private final QueueFixture fixture = new QueueFixture();

    private final SchedulingQueue queue =
            fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();

    @Test
    void movesUnschedulablePodsWithoutBackoff() {
        reject(queue, POD, by("Fit"));
        queue.activate(List.of(POD));

        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void endsABackoff() {
        reject(queue, POD, RejectorPlugins.NONE);
        queue.activate(List.of(POD));

        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void keepsAPodInFlightFromBecomingUnschedulable() {
        queue.add(POD);
        QueuedPodInfo entry = popPod(queue);
        queue.add(OTHER);
        QueuedPodInfo otherEntry = popPod(queue);
        queue.activate(List.of(POD));
        queue.addUnschedulable(entry, POD, by("Fit"));
        queue.addUnschedulable(otherEntry, OTHER, by("Fit"));

        assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        assertThat(placeOf(queue, OTHER)).isEqualTo(In.UNSCHEDULABLE);
    }

    @Test
    void afterBackoffWaitsForItsEndEvenIfNoOtherPodIsReady() {
        reject(queue, POD, by("Fit"));
        queue.activateAfterBackoff(List.of(POD));

        assertThat(placeOf(queue, POD)).isEqualTo(In.ERROR_BACKOFF);
        assertThat(queue.poll()).isEmpty();
        fixture.passSeconds(2);
        queue.flushBackoff();
        assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
    }

    @Test
    void afterBackoffHasAPodWaitThatMayBeTriedBefore() {
        reject(queue, POD, by("Fit"));
        queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        queue.activateAfterBackoff(List.of(POD));

        assertThat(placeOf(queue, POD)).isEqualTo(In.ERROR_BACKOFF);
    }

    @Test
    void afterBackoffHasAPodInFlightBackOffWhenItReturns() {
        queue.add(POD);
        QueuedPodInfo entry = popPod(queue);
        queue.activateAfterBackoff(List.of(POD));
        queue.addUnschedulable(entry, POD, by("Fit"));
        assertThat(placeOf(queue, POD)).isEqualTo(In.ERROR_BACKOFF);
        fixture.passSeconds(2);
        queue.flushBackoff();

        QueuedPodInfo again = popPod(queue);
        queue.addUnschedulable(again, POD, by("Fit"));
        assertThat(placeOf(queue, POD)).isEqualTo(In.UNSCHEDULABLE);
    }

    @Test
    void afterBackoffLeavesAGatedPodToTheEventsThatMayHelpIt() {
        AtomicBoolean isOpen = new AtomicBoolean(true);
        SchedulingQueue gated = fixture.gate("Gate", isOpen::get)
                .plugin("Gate", NODE_ADD, Hint.SKIP)
                .plugin("Fit", NODE_ADD, Hint.QUEUE)
                .queue();
        reject(gated, POD, by("Fit"));
        isOpen.set(false);
        gated.activateAfterBackoff(List.of(POD));
        assertThat(placeOf(gated, POD)).isEqualTo(In.GATED);
        isOpen.set(true);
        gated.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

        assertThat(placeOf(gated, POD)).isEqualTo(In.BACKOFF);
    }

    @Test
    void afterBackoffLeavesAGatedPodThatReturnsToTheEventsThatMayHelpIt() {
        AtomicBoolean isOpen = new AtomicBoolean(true);
        SchedulingQueue gated = fixture.gate("Gate", isOpen::get)
                .plugin("Gate", NODE_ADD, Hint.SKIP)
                .plugin("Fit", NODE_ADD, Hint.QUEUE)
                .queue();
        gated.add(POD);
        QueuedPodInfo entry = popPod(gated);
        gated.activateAfterBackoff(List.of(POD));
        isOpen.set(false);
        gated.addUnschedulable(entry, POD, by("Fit"));
        assertThat(placeOf(gated, POD)).isEqualTo(In.GATED);
        isOpen.set(true);
        gated.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

        assertThat(placeOf(gated, POD)).isEqualTo(In.BACKOFF);
    }

    @Test
    void afterBackoffLeavesActiveAndUnknownPodsAlone() {
        queue.add(POD);
        queue.activateAfterBackoff(List.of(POD, OTHER));

        assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(1, 0, 0, 0, 0, 0));
    }

    @Test
    void leavesActiveAndUnknownPodsAlone() {
        queue.add(POD);
        queue.activate(List.of(POD, OTHER));

        assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(1, 0, 0, 0, 0, 0));
    }

    @Test
    void doesNotOpenGates() {
        SchedulingQueue gated = fixture.gate("Gate", () -> false).queue();
        gated.add(POD);
        gated.activate(List.of(POD));

        assertThat(placeOf(gated, POD)).isEqualTo(In.GATED);
    }

    @Test
    void aWildcardAboutAPodIsForThatPodAlone() {
        SchedulingQueue queue = fixture.queue();
        reject(queue, POD, by("Fit"));
        reject(queue, OTHER, by("Fit"));
        queue.moveAllToActiveOrBackoff(WellKnownEvents.FORCE_ACTIVATE, ObjectChange.added(POD));

        assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        assertThat(placeOf(queue, OTHER)).isEqualTo(In.UNSCHEDULABLE);
    }
}
