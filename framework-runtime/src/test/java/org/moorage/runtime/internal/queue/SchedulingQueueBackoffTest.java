// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.OTHER;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.START;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.drain;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.event.Hint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.queue.QueueState.In;

/** How long pods back off and stay unschedulable, and how they come back. */
final class SchedulingQueueBackoffTest {
    private final QueueFixture fixture = new QueueFixture();

    @Nested
    class BackoffOfPods {
        private final SchedulingQueue queue =
                fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();

        private long secondsUntilActive() {
            Instant ready = fixture.nextBackoffCompletion(queue).orElseThrow();
            long seconds = Duration.between(fixture.instant(), ready).toSeconds();
            fixture.pass(Duration.between(fixture.instant(), ready).minusNanos(1));
            queue.flushBackoff();
            assertThat(QueueState.counts(queue).active()).isZero();
            fixture.pass(Duration.ofNanos(1));
            queue.flushBackoff();
            assertThat(QueueState.counts(queue).active()).isEqualTo(1);
            // The effective backoff ends a second earlier.
            return seconds - 1;
        }

        @Test
        void growsWithRejections() {
            queue.add(POD);
            List<Long> waits = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                queue.addUnschedulable(popPod(queue), POD, by("Fit"));
                queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
                waits.add(secondsUntilActive());
            }

            assertThat(waits).containsExactly(1L, 2L, 4L, 8L, 10L, 10L);
        }

        @Test
        void growsWithErrorsAndStartsAnewAfterARejection() {
            queue.add(POD);
            List<Long> waits = new ArrayList<>();
            for (RejectorPlugins rejectors : List.of(
                    RejectorPlugins.NONE,
                    RejectorPlugins.NONE,
                    RejectorPlugins.NONE,
                    by("Fit"),
                    RejectorPlugins.NONE,
                    by("Fit"),
                    by("Fit"))) {
                queue.addUnschedulable(popPod(queue), POD, rejectors);
                queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
                waits.add(secondsUntilActive());
            }

            // Errors: 1, 2, 3 in a row, then 1. Rejections: the first, the second and the third of all.
            assertThat(waits).containsExactly(1L, 2L, 4L, 1L, 1L, 2L, 4L);
            QueuedPodInfo entry = popPod(queue);
            assertThat(entry.unschedulableCount()).isEqualTo(3);
            assertThat(entry.consecutiveErrors()).isZero();
        }

        @Test
        void isServedWhileThePodIsUnschedulable() {
            reject(queue, POD, by("Fit"));
            fixture.passSeconds(2);
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
        }

        @Test
        void startsAnewForANewPodOfTheSameName() {
            reject(queue, POD, by("Fit"));
            Pod successor =
                    POD.withMetadata(POD.metadata().toBuilder().uid("new").build());
            queue.delete(POD);
            reject(queue, successor, by("Fit"));

            assertThat(QueueState.of(queue, POD.key()).orElseThrow().unschedulableCount())
                    .isEqualTo(1);
        }

        @Test
        void canBeSwitchedOff() {
            SchedulingQueue eager = fixture.settings(new QueueSettings(
                            Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(5), FeatureGates.DEFAULTS, 0))
                    .queue();
            reject(eager, POD, RejectorPlugins.NONE);

            assertThat(placeOf(eager, POD)).isEqualTo(In.ACTIVE);
            assertThat(fixture.nextBackoffCompletion(eager)).isEmpty();
        }

        @Test
        void endsInTheOrderOfItsLengthAmongErrors() {
            reject(queue, pod("late", 9), RejectorPlugins.NONE);
            queue.activate(List.of(pod("late", 9)));
            queue.addUnschedulable(popPod(queue), pod("late", 9), RejectorPlugins.NONE);
            reject(queue, pod("early", 1), RejectorPlugins.NONE);

            assertThat(fixture.nextBackoffCompletion(queue)).contains(START.plusSeconds(2));
            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(drain(queue)).containsExactly("early");
        }
    }

    @Nested
    class WithoutEarlyPop {
        private boolean open = true;

        private SchedulingQueue queue() {
            return fixture.settings(new QueueSettings(
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(10),
                            Duration.ofMinutes(5),
                            FeatureGates.of(Map.of(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q, false)),
                            0))
                    .gate("Gate", () -> open)
                    .plugin("Fit", NODE_ADD, Hint.QUEUE)
                    .queue();
        }

        private SchedulingQueue backingOff(Pod... pods) {
            SchedulingQueue queue = queue();
            for (Pod pod : pods) {
                reject(queue, pod, by("Fit"));
                fixture.pass(Duration.ofMillis(100));
            }
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            fixture.asked.clear();
            return queue;
        }

        @Test
        void nothingIsTakenFromBackoff() {
            SchedulingQueue queue = backingOff(POD);

            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
            assertThat(queue.poll()).isEmpty();
        }

        @Test
        void aBackoffEndsToTheNanosecond() {
            SchedulingQueue queue = backingOff(POD);
            assertThat(fixture.nextBackoffCompletion(queue))
                    .contains(START.plusSeconds(1).plusNanos(1));

            fixture.pass(Duration.between(fixture.instant(), START.plusSeconds(1)));
            queue.flushBackoff();
            assertThat(queue.poll()).isEmpty();

            fixture.pass(Duration.ofNanos(1));
            queue.flushBackoff();
            assertThat(drain(queue)).containsExactly("pod");
        }

        @Test
        void podsLeaveBackoffWhenTheirTimeHasCome() {
            SchedulingQueue queue = backingOff(pod("low", 1), pod("high", 2));

            fixture.pass(Duration.between(fixture.instant(), START.plusMillis(1050)));
            queue.flushBackoff();
            assertThat(drain(queue)).containsExactly("low");
        }

        @Test
        void gatesStandBehindTheBackoffQueueButNotBeforeIt() {
            SchedulingQueue queue = queue();
            reject(queue, POD, by("Fit"));
            fixture.asked.clear();
            open = false;
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(fixture.asked).containsExactly("Fit");
            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);

            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(fixture.asked).containsExactly("Fit", "Gate");
            assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);
        }

        @Test
        void whoEndsABackoffStillMeetsTheGates() {
            SchedulingQueue queue = backingOff(POD, OTHER);
            queue.activate(List.of(POD));
            open = false;
            queue.activate(List.of(OTHER));

            assertThat(fixture.asked).containsExactly("Gate", "Gate");
            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
            assertThat(placeOf(queue, OTHER)).isEqualTo(In.GATED);
        }
    }

    /** Two pods that are popped early may be rejected in a second. */
    @Nested
    class EarlyPopsThatAreRejected {
        private final SchedulingQueue queue = fixture.settings(new QueueSettings(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(5),
                        FeatureGates.DEFAULTS,
                        2))
                .plugin("Fit", NODE_ADD, Hint.QUEUE)
                .queue();

        @BeforeEach
        void fourPodsBackOff() {
            for (String name : List.of("a", "b", "c", "d")) {
                queue.add(pod(name));
            }
            rejectNext();
            rejectNext();
            rejectNext();
            rejectNext();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
        }

        private void rejectNext() {
            QueuedPodInfo popped = popPod(queue);
            queue.addUnschedulable(popped, popped.pod(), by("Fit"));
        }

        @Test
        void haveTheOthersWait() {
            rejectNext();
            rejectNext();
            assertThat(queue.poll()).isEmpty();

            fixture.pass(Duration.ofMillis(499));
            assertThat(queue.poll()).isEmpty();
            fixture.pass(Duration.ofMillis(1));
            rejectNext();
            assertThat(queue.poll()).isEmpty();
            assertThat(QueueState.counts(queue).backoff()).isEqualTo(1);
        }

        @Test
        void areNotThoseThatFindANode() {
            assertThat(drain(queue)).containsExactly("a", "b", "c", "d");
        }

        @Test
        void doNotHoldUpPodsThatAreReady() {
            rejectNext();
            rejectNext();
            queue.add(POD);
            assertThat(queue.poll()).map(QueuedEntity::pod).contains(POD);
        }

        @Test
        void areAsManyAfterALongTime() {
            fixture.passSeconds(5);
            rejectNext();
            rejectNext();
            assertThat(queue.poll()).isEmpty();
        }

        // The clock of the queue stands still, so that the wait ends by its own limit.
        @Test
        void doNotDelayAPopBeyondItsTimeout() {
            rejectNext();
            rejectNext();
            assertThat(queue.pop(Duration.ofMillis(1))).isEmpty();
        }
    }

    @Nested
    class Timeout {
        private final SchedulingQueue queue = fixture.queue();

        @Test
        void wakesPodsThatHaveWaitedForTooLong() {
            reject(queue, POD, by("Silent"));
            fixture.passSeconds(300);
            queue.flushUnschedulable();
            assertThat(placeOf(queue, POD)).isEqualTo(In.UNSCHEDULABLE);

            reject(queue, OTHER, by("Silent"));
            fixture.pass(Duration.ofNanos(1));
            queue.flushUnschedulable();
            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
            assertThat(placeOf(queue, OTHER)).isEqualTo(In.UNSCHEDULABLE);

            QueuedPodInfo entry = popPod(queue);
            queue.addUnschedulable(entry, POD, by("Silent"));
        }

        @Test
        void ofAnotherPodIsAnEventForThoseInFlight() {
            reject(queue, POD, by("Silent"));
            queue.add(OTHER);
            QueuedPodInfo entry = popPod(queue);
            fixture.passSeconds(301);
            queue.flushUnschedulable();
            queue.addUnschedulable(entry, OTHER, by("Silent"));

            assertThat(placeOf(queue, OTHER)).isEqualTo(In.BACKOFF);
        }
    }
}
