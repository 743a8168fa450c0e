// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.START;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.drain;
import static org.moorage.runtime.internal.queue.QueueFixture.labelled;
import static org.moorage.runtime.internal.queue.QueueFixture.on;
import static org.moorage.runtime.internal.queue.QueueFixture.pending;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.internal.queue.QueueState.In;

final class SchedulingQueueTest {
    private static final ClusterEvent NODE_ADD = WellKnownEvents.NODE_ADD;
    private static final ClusterEvent NODE_LABEL = on(EventResource.NODE, ActionType.UPDATE_NODE_LABEL);
    private static final ClusterEvent POD_LABEL = on(EventResource.POD, ActionType.UPDATE_POD_LABEL);
    private static final Pod POD = pod("pod");
    private static final Pod OTHER = pod("other");

    private final QueueFixture fixture = new QueueFixture();

    @Nested
    class Pop {
        private final SchedulingQueue queue = fixture.queue();

        @Test
        void givesTheMostImportantPodFirst() {
            queue.add(pod("low", 1));
            queue.add(pod("high", 3));
            queue.add(pod("middle", 2));

            assertThat(drain(queue)).containsExactly("high", "middle", "low");
        }

        @Test
        void givesTheOldestOfEquallyImportantPodsFirst() {
            fixture.passSeconds(10);
            queue.add(pod("young"));
            fixture.passSeconds(-5);
            queue.add(pod("old"));

            assertThat(drain(queue)).containsExactly("old", "young");
        }

        @Test
        void givesPodsOfTheSameMomentInTheOrderOfTheirComing() {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                names.add("pod" + i);
                queue.add(pod("pod" + i));
            }

            assertThat(drain(queue)).isEqualTo(names);
        }

        @Test
        void countsAttemptsAndRemembersTheFirst() {
            queue.add(POD);
            fixture.passSeconds(7);
            QueuedPodInfo entry = queue.poll().orElseThrow();

            assertThat(entry.attempts()).isEqualTo(1);
            assertThat(entry.initialAttemptTimestamp()).contains(START);
            assertThat(placeOf(queue, POD)).isEqualTo(In.IN_FLIGHT);

            queue.addUnschedulable(entry, POD, RejectorPlugins.NONE);
            fixture.passSeconds(7);
            queue.flushBackoff();
            QueuedPodInfo again = queue.poll().orElseThrow();
            assertThat(again.attempts()).isEqualTo(2);
            assertThat(again.initialAttemptTimestamp()).contains(START);
            assertThat(again.timestamp()).isEqualTo(START.plusSeconds(7));
        }

        @Test
        void waitsNoLongerThanItIsTold() {
            assertThat(queue.pop(Duration.ZERO)).isEmpty();
            assertThat(queue.pop(Duration.ofMillis(1))).isEmpty();
        }

        @Test
        void isWokenByAPodThatComes() {
            CompletableFuture<Optional<QueuedPodInfo>> popped =
                    CompletableFuture.supplyAsync(() -> queue.pop(Duration.ofMinutes(1)));
            queue.add(POD);

            assertThat(popped)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .satisfies(
                            entry -> assertThat(entry).map(QueuedPodInfo::pod).contains(POD));
        }

        @Test
        void isWokenByClosing() {
            CompletableFuture<Optional<QueuedPodInfo>> popped =
                    CompletableFuture.supplyAsync(() -> queue.pop(Duration.ofMinutes(1)));
            queue.close();

            assertThat(popped)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .satisfies(entry -> assertThat(entry).isEmpty());
        }

        @Test
        void leavesAnInterruptedThreadInterrupted() {
            Thread.currentThread().interrupt();

            assertThat(queue.pop(Duration.ofMinutes(1))).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
        }

        @Test
        void discardsAPodThatIsBeingScheduledAlready() {
            queue.add(POD);
            QueuedPodInfo first = queue.poll().orElseThrow();
            queue.add(POD);
            queue.add(OTHER);

            assertThat(queue.poll()).map(QueuedPodInfo::pod).contains(OTHER);
            assertThat(queue.poll()).isEmpty();
            assertThat(QueueState.counts(queue).inFlight()).isEqualTo(2);
            queue.addUnschedulable(first, POD, RejectorPlugins.NONE);
            assertThat(placeOf(queue, POD)).isEqualTo(In.ERROR_BACKOFF);
        }

        @Test
        void takesFromBackoffWhenNoPodIsActive() {
            fixture.plugin("Fit", NODE_ADD, Hint.QUEUE);
            SchedulingQueue hinted = fixture.queue();
            reject(hinted, POD, by("Fit"));
            hinted.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            hinted.add(OTHER);

            assertThat(placeOf(hinted, POD)).isEqualTo(In.BACKOFF);
            assertThat(drain(hinted)).containsExactly("other", "pod");
        }

        @Test
        void takesTheMoreImportantOfThoseWhoseBackoffEndsInTheSameSecond() {
            fixture.plugin("Fit", NODE_ADD, Hint.QUEUE);
            SchedulingQueue hinted = fixture.queue();
            reject(hinted, pod("low", 1), by("Fit"));
            fixture.pass(Duration.ofMillis(900));
            reject(hinted, pod("high", 2), by("Fit"));
            fixture.pass(Duration.ofMillis(100));
            reject(hinted, pod("later", 3), by("Fit"));
            hinted.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(drain(hinted)).containsExactly("high", "low", "later");
        }

        @Test
        void neverTakesFromTheBackoffOfErrors() {
            reject(queue, POD, RejectorPlugins.NONE);

            assertThat(queue.poll()).isEmpty();
            assertThat(QueueState.counts(queue).backoff()).isEqualTo(1);
            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(drain(queue)).containsExactly("pod");
        }
    }

    /** With the feature SchedulerPopFromBackoffQ off. */
    @Nested
    class WithoutEarlyPop {
        private boolean open = true;

        private SchedulingQueue queue() {
            return fixture.settings(new QueueSettings(
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(10),
                            Duration.ofMinutes(5),
                            FeatureGates.of(Map.of(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q, false))))
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
            // What counts as the backoff ends a second before.
            return seconds - 1;
        }

        @Test
        void growsWithRejections() {
            queue.add(POD);
            List<Long> waits = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                queue.addUnschedulable(queue.poll().orElseThrow(), POD, by("Fit"));
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
                queue.addUnschedulable(queue.poll().orElseThrow(), POD, rejectors);
                queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
                waits.add(secondsUntilActive());
            }

            // Errors: 1, 2, 3 in a row, then 1. Rejections: the first, the second and the third of all.
            assertThat(waits).containsExactly(1L, 2L, 4L, 1L, 1L, 2L, 4L);
            QueuedPodInfo entry = queue.poll().orElseThrow();
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
                            Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(5), FeatureGates.DEFAULTS))
                    .queue();
            reject(eager, POD, RejectorPlugins.NONE);

            assertThat(placeOf(eager, POD)).isEqualTo(In.ACTIVE);
            assertThat(fixture.nextBackoffCompletion(eager)).isEmpty();
        }

        @Test
        void endsInTheOrderOfItsLengthAmongErrors() {
            reject(queue, pod("late", 9), RejectorPlugins.NONE);
            queue.activate(List.of(pod("late", 9)));
            queue.addUnschedulable(queue.poll().orElseThrow(), pod("late", 9), RejectorPlugins.NONE);
            reject(queue, pod("early", 1), RejectorPlugins.NONE);

            assertThat(fixture.nextBackoffCompletion(queue)).contains(START.plusSeconds(2));
            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(drain(queue)).containsExactly("early");
        }
    }

    @Nested
    class Events {
        record Case(String name, RejectorPlugins rejectors, ClusterEvent event, In place, List<String> asked) {
            Case(String name, RejectorPlugins rejectors, ClusterEvent event, In place, String... asked) {
                this(name, rejectors, event, place, List.of(asked));
            }

            @Override
            public String toString() {
                return name;
            }
        }

        private static final ClusterEvent CLAIM_ADD = on(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD);
        private static final ClusterEvent NODE_ANY_UPDATE = ClusterEvent.of(EventResource.NODE, ActionType.UPDATE);

        private SchedulingQueue queue() {
            return fixture.plugin("Fit", NODE_ADD, Hint.QUEUE)
                    .plugin("Fit", WellKnownEvents.NODE_DELETE, Hint.SKIP)
                    .plugin("Affinity", NODE_ADD, Hint.SKIP)
                    .plugin("Affinity", NODE_ANY_UPDATE, Hint.QUEUE)
                    .plugin("Claims", NODE_ADD, Hint.QUEUE)
                    .plugin("Claims", CLAIM_ADD, Hint.QUEUE)
                    .plugin("Broken", NODE_ADD, pod -> {
                        throw new IllegalStateException("broken");
                    })
                    .plugin("Anything", ClusterEvent.WILDCARD, Hint.QUEUE)
                    .queue();
        }

        static Stream<Case> cases() {
            RejectorPlugins fitAndPendingClaims = new RejectorPlugins(Set.of("Fit"), Set.of("Claims"));
            return Stream.of(
                    new Case("a rejector that wants it", by("Fit"), NODE_ADD, In.BACKOFF, "Fit"),
                    new Case(
                            "a rejector that waves it aside",
                            by("Fit"),
                            WellKnownEvents.NODE_DELETE,
                            In.UNSCHEDULABLE,
                            "Fit"),
                    new Case("a rejector that did not register it", by("Fit"), CLAIM_ADD, In.UNSCHEDULABLE),
                    new Case("a rejector that registers nothing", by("Silent"), NODE_ADD, In.UNSCHEDULABLE),
                    new Case("one of two rejectors is enough", by("Affinity", "Fit"), NODE_ADD, In.BACKOFF, "Fit"),
                    new Case(
                            "a registration of all updates is one for each",
                            by("Affinity"),
                            NODE_LABEL,
                            In.BACKOFF,
                            "Affinity"),
                    new Case("a rejector that fails is taken to want it", by("Broken"), NODE_ADD, In.BACKOFF, "Broken"),
                    new Case(
                            "a rejector that waits for anything is asked about anything",
                            by("Anything"),
                            CLAIM_ADD,
                            In.BACKOFF,
                            "Anything"),
                    new Case(
                            "a pending rejector spares the backoff", pending("Claims"), CLAIM_ADD, In.ACTIVE, "Claims"),
                    new Case(
                            "of a pending and another rejector both are asked",
                            fitAndPendingClaims,
                            NODE_ADD,
                            In.ACTIVE,
                            "Fit",
                            "Claims"),
                    new Case(
                            "without the pending one the backoff holds",
                            new RejectorPlugins(Set.of("Fit"), Set.of("Affinity")),
                            NODE_ADD,
                            In.BACKOFF,
                            "Fit",
                            "Affinity"),
                    new Case(
                            "a wildcard about an object that is no pod is for no pod",
                            by("Fit"),
                            WellKnownEvents.UNSCHEDULABLE_TIMEOUT,
                            In.UNSCHEDULABLE));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void movesUnschedulablePods(Case test) {
            SchedulingQueue queue = queue();
            reject(queue, POD, test.rejectors());
            queue.moveAllToActiveOrBackoff(test.event(), NODE_ADDED);

            assertThat(placeOf(queue, POD)).isEqualTo(test.place());
            assertThat(fixture.asked).isEqualTo(test.asked());
        }

        @ParameterizedTest
        @MethodSource("cases")
        void movesReturningPodsAlike(Case test) {
            SchedulingQueue queue = queue();
            queue.add(POD);
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.moveAllToActiveOrBackoff(test.event(), NODE_ADDED);
            queue.addUnschedulable(entry, POD, test.rejectors());

            assertThat(placeOf(queue, POD)).isEqualTo(test.place());
            assertThat(fixture.asked).isEqualTo(test.asked());
        }

        @Test
        void thatNobodyRegisteredAreNotKept() {
            SchedulingQueue queue = fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();
            queue.add(POD);
            queue.poll();

            assertThat(queue.isRegistered(NODE_ADD)).isTrue();
            assertThat(queue.isRegistered(NODE_LABEL)).isFalse();
            assertThat(queue.isRegistered(WellKnownEvents.FORCE_ACTIVATE)).isTrue();
            queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            assertThat(QueueState.counts(queue).inFlightEvents()).isZero();
        }

        @Test
        void canBeKeptFromSomeUnschedulablePods() {
            SchedulingQueue queue = fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();
            reject(queue, POD, by("Fit"));
            reject(queue, OTHER, by("Fit"));
            queue.moveAllToActiveOrBackoff(
                    NODE_ADD, NODE_ADDED, pod -> pod.name().equals("other"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.UNSCHEDULABLE);
            assertThat(placeOf(queue, OTHER)).isEqualTo(In.BACKOFF);
            assertThat(fixture.asked).containsExactly("Fit");
        }

        @Test
        void askOnlyTheRejectorsOfEachPod() {
            SchedulingQueue queue = queue();
            for (int i = 0; i < 100; i++) {
                reject(queue, pod("silent" + i), by("Silent"));
                reject(queue, pod("fit" + i), by("Fit"));
            }
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(fixture.asked).hasSize(100).containsOnly("Fit");
            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 100, 100, 0, 0, 0));
        }

        @Test
        void ofOneProfileAreNoneOfAnothers() {
            SchedulingQueue queue = fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();
            Pod foreign =
                    pod("foreign", PodSpec.builder().schedulerName("other").build());
            reject(queue, foreign, by("Fit"));
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(placeOf(queue, foreign)).isEqualTo(In.UNSCHEDULABLE);
        }
    }

    @Nested
    class InFlight {
        private final SchedulingQueue queue =
                fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();

        private QueuedPodInfo popped(Pod pod) {
            queue.add(pod);
            return queue.poll().orElseThrow();
        }

        @Test
        void aPodDoesNotHearOfWhatHappenedBeforeItWasPopped() {
            QueuedPodInfo first = popped(POD);
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            QueuedPodInfo second = popped(OTHER);
            queue.addUnschedulable(second, OTHER, by("Fit"));
            queue.addUnschedulable(first, POD, by("Fit"));

            assertThat(placeOf(queue, OTHER)).isEqualTo(In.UNSCHEDULABLE);
            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        }

        @Test
        void eventsAreDroppedWithTheOldestPodThatNeedsThem() {
            QueuedPodInfo first = popped(pod("first"));
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            QueuedPodInfo second = popped(pod("second"));
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            QueuedPodInfo third = popped(pod("third"));
            assertThat(QueueState.counts(queue).inFlightEvents()).isEqualTo(3);

            queue.done(second);
            assertThat(QueueState.counts(queue).inFlightEvents()).isEqualTo(3);
            queue.done(first);
            assertThat(QueueState.counts(queue).inFlightEvents()).isZero();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(QueueState.counts(queue).inFlightEvents()).isEqualTo(1);
            queue.done(third);
            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
        }

        @Test
        void eventsAreNotKeptForNobody() {
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(QueueState.counts(queue).inFlightEvents()).isZero();
        }

        @Test
        void doneTwiceDoesNotEndALaterAttempt() {
            QueuedPodInfo first = popped(POD);
            queue.done(first);
            QueuedPodInfo second = popped(POD);
            queue.done(first);
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            queue.addUnschedulable(second, POD, by("Fit"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        }

        @Test
        void ofSeveralEventsTheMostHopefulCounts() {
            SchedulingQueue mixed = fixture.plugin("Claims", NODE_LABEL, Hint.SKIP)
                    .plugin("Claims", WellKnownEvents.NODE_DELETE, Hint.QUEUE)
                    .queue();
            RejectorPlugins rejectors = new RejectorPlugins(Set.of("Fit"), Set.of("Claims"));
            mixed.add(POD);
            QueuedPodInfo first = mixed.poll().orElseThrow();
            mixed.add(OTHER);
            QueuedPodInfo second = mixed.poll().orElseThrow();
            mixed.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            mixed.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            mixed.addUnschedulable(first, POD, rejectors);
            mixed.moveAllToActiveOrBackoff(WellKnownEvents.NODE_DELETE, NODE_ADDED);
            mixed.addUnschedulable(second, OTHER, rejectors);

            assertThat(placeOf(mixed, POD)).isEqualTo(In.BACKOFF);
            assertThat(placeOf(mixed, OTHER)).isEqualTo(In.ACTIVE);
        }

        @Test
        void aPodThatIsNotThereIsTriedAfterBackoff() {
            QueuedPodInfo entry = popped(POD);
            queue.done(entry);
            queue.addUnschedulable(entry, POD, by("Fit"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        }

        @Test
        void aChangeOfThePodItselfIsAnEvent() {
            SchedulingQueue labels =
                    fixture.plugin("Labels", POD_LABEL, Hint.QUEUE).queue();
            labels.add(POD);
            QueuedPodInfo entry = labels.poll().orElseThrow();
            Pod changed = labelled(POD, "x");
            labels.update(POD, changed);
            assertThat(QueueState.counts(labels).queued()).isZero();
            labels.addUnschedulable(entry, changed, by("Labels"));

            QueueState state = QueueState.of(labels, POD.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(In.BACKOFF);
            assertThat(state.pod()).isSameAs(changed);
        }

        @Test
        void theSchedulersOwnStatusWakesNobody() {
            SchedulingQueue labels =
                    fixture.plugin("Labels", POD_LABEL, Hint.QUEUE).queue();
            Pod patched =
                    POD.withStatus(PodStatus.builder().nominatedNodeName("node").build());
            labels.add(POD);
            QueuedPodInfo entry = labels.poll().orElseThrow();
            labels.update(POD, patched);
            labels.addUnschedulable(entry, patched, by("Labels"));
            labels.update(patched, POD);

            assertThat(placeOf(labels, POD)).isEqualTo(In.UNSCHEDULABLE);
            assertThat(fixture.asked).isEmpty();
        }

        @Test
        void aPodThatWasQueuedAnewIsNotQueuedTwice() {
            QueuedPodInfo entry = popped(POD);
            queue.add(POD);
            queue.addUnschedulable(entry, POD, by("Fit"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(1, 0, 0, 0, 0, 0));
            assertThat(queue.poll()).map(QueuedPodInfo::attempts).contains(1);
        }

        @Test
        void aPodReturnsAsItself() {
            QueuedPodInfo entry = popped(POD);

            assertThatThrownBy(() -> queue.addUnschedulable(entry, OTHER, RejectorPlugins.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("current: ns/other with uid uid-other (expected: ns/pod with uid uid-pod)");
            assertThat(QueueState.counts(queue).inFlight()).isZero();
        }
    }

    @Nested
    class Gates {
        private static final ClusterEvent GATES =
                on(EventResource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);

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
        void hearOnlyOfTheirOwnEvents() {
            SchedulingQueue queue = queue();
            queue.add(POD);
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            secondOpen = false;
            queue.addUnschedulable(entry, POD, by("Fit"));
            assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

            secondOpen = true;
            fixture.asked.clear();
            queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            fixture.passSeconds(1000);
            queue.flushUnschedulable();
            assertThat(fixture.asked).isEmpty();
            assertThat(placeOf(queue, POD)).isEqualTo(In.GATED);

            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
        }

        @Test
        void startTheClockOfAttemptsWhenTheyOpen() {
            secondOpen = false;
            SchedulingQueue queue = queue();
            queue.add(POD);
            fixture.passSeconds(30);
            secondOpen = true;
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            QueuedPodInfo entry = queue.poll().orElseThrow();
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
            Pod gated =
                    pod("pod", PodSpec.builder().schedulingGates(List.of("a")).build());
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
            QueuedPodInfo entry = queue.poll().orElseThrow();
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
                    .containsExactly("default/pod: running PreEnqueue plugin \"Broken\": broken");
        }
    }

    @Nested
    class Activate {
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
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.add(OTHER);
            QueuedPodInfo otherEntry = queue.poll().orElseThrow();
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
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.activateAfterBackoff(List.of(POD));
            queue.addUnschedulable(entry, POD, by("Fit"));
            assertThat(placeOf(queue, POD)).isEqualTo(In.ERROR_BACKOFF);
            fixture.passSeconds(2);
            queue.flushBackoff();

            QueuedPodInfo again = queue.poll().orElseThrow();
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
            QueuedPodInfo entry = gated.poll().orElseThrow();
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
    }

    @Nested
    class UpdateAndDelete {
        private final SchedulingQueue queue = fixture.plugin("Labels", POD_LABEL, Hint.QUEUE)
                .plugin("Nodes", NODE_ADD, Hint.QUEUE)
                .queue();

        private void put(Pod pod, In place) {
            switch (place) {
                case ACTIVE -> queue.add(pod);
                case BACKOFF -> {
                    reject(queue, pod, by("Nodes"));
                    queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
                }
                case ERROR_BACKOFF -> reject(queue, pod, RejectorPlugins.NONE);
                case UNSCHEDULABLE -> reject(queue, pod, by("Nodes"));
                case GATED, IN_FLIGHT -> throw new IllegalArgumentException(place.toString());
            }
            assertThat(placeOf(queue, pod)).isEqualTo(place);
        }

        static Stream<In> places() {
            return Stream.of(In.ACTIVE, In.BACKOFF, In.ERROR_BACKOFF, In.UNSCHEDULABLE);
        }

        @ParameterizedTest
        @MethodSource("places")
        void replaceThePodWhereItIs(In place) {
            put(POD, place);
            Pod changed = labelled(POD, "x");
            queue.update(POD, changed);

            QueueState state = QueueState.of(queue, POD.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(place);
            assertThat(state.pod()).isSameAs(changed);
            assertThat(QueueState.counts(queue).queued()).isEqualTo(1);
        }

        @ParameterizedTest
        @MethodSource("places")
        void removeThePodFromWhereItIs(In place) {
            put(POD, place);
            queue.delete(POD);

            assertThat(QueueState.of(queue, POD.key())).isEmpty();
            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
        }

        @ParameterizedTest
        @MethodSource("places")
        void takeAPodWithAnotherUidForAnotherPod(In place) {
            put(POD, place);
            Pod successor =
                    POD.withMetadata(POD.metadata().toBuilder().uid("new").build());
            queue.add(successor);

            QueueState state = QueueState.of(queue, POD.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(In.ACTIVE);
            assertThat(state.attempts()).isZero();
            queue.delete(POD);
            assertThat(QueueState.of(queue, POD.key())).isPresent();
            assertThat(QueueState.counts(queue).queued()).isEqualTo(1);
        }

        @Test
        void changeTheOrderOfActivePods() {
            queue.add(pod("first", 2));
            queue.add(pod("second", 1));
            queue.update(pod("second", 1), pod("second", 3));

            assertThat(drain(queue)).containsExactly("second", "first");
        }

        @Test
        void moveAnUnschedulablePodWhoseRejectorWaitsForTheChange() {
            reject(queue, POD, by("Labels"));
            queue.update(POD, labelled(POD, "x"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.BACKOFF);
        }

        @Test
        void takeInAnUnknownPod() {
            queue.update(POD, labelled(POD, "x"));

            assertThat(placeOf(queue, POD)).isEqualTo(In.ACTIVE);
        }

        @Test
        void takeAKnownPodThatIsAddedForAnUpdate() {
            reject(queue, POD, by("Nodes"));
            queue.add(labelled(POD, "x"));

            QueueState state = QueueState.of(queue, POD.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(In.UNSCHEDULABLE);
            assertThat(state.attempts()).isEqualTo(1);
        }

        @Test
        void leaveAPodInFlightToItsCycle() {
            queue.add(POD);
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.delete(POD);

            assertThat(QueueState.counts(queue).inFlight()).isEqualTo(1);
            queue.done(entry);
            assertThat(QueueState.counts(queue).inFlight()).isZero();
        }

        @Test
        void refuseAPodOfNoProfile() {
            Pod lost = pod("lost", PodSpec.builder().schedulerName("nobody").build());

            assertThatThrownBy(() -> queue.add(lost))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("pod ns/lost: spec.schedulerName: \"nobody\""
                            + " (expected: one of [default-scheduler, other])");
        }

        @Test
        void keepNominations() {
            Pod nominated =
                    POD.withStatus(PodStatus.builder().nominatedNodeName("a").build());
            fixture.cluster.put(POD.key(), nominated);
            queue.add(nominated);
            assertThat(fixture.nominator.nominatedPodsFor("a")).containsExactly(nominated);

            queue.update(nominated, POD);
            assertThat(fixture.nominator.nominatedPodsFor("a")).isEmpty();
            queue.update(POD, nominated);
            assertThat(fixture.nominator.nominatedPodsFor("a")).containsExactly(nominated);
            queue.delete(nominated);
            assertThat(fixture.nominator.nominatedPodsFor("a")).isEmpty();
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

            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.addUnschedulable(entry, POD, by("Silent"));
        }

        @Test
        void ofAnotherPodIsAnEventForThoseInFlight() {
            reject(queue, POD, by("Silent"));
            queue.add(OTHER);
            QueuedPodInfo entry = queue.poll().orElseThrow();
            fixture.passSeconds(301);
            queue.flushUnschedulable();
            queue.addUnschedulable(entry, OTHER, by("Silent"));

            assertThat(placeOf(queue, OTHER)).isEqualTo(In.BACKOFF);
        }
    }

    @Nested
    class Close {
        private final SchedulingQueue queue = fixture.queue();

        @Test
        void leavesNothingToPop() {
            queue.add(POD);
            queue.close();
            queue.close();

            assertThat(queue.poll()).isEmpty();
            assertThat(queue.pop(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void forgetsPodsInFlight() {
            queue.add(POD);
            QueuedPodInfo entry = queue.poll().orElseThrow();
            queue.close();
            queue.addUnschedulable(entry, POD, by("Fit"));
            queue.done(entry);

            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void settingsRefuseNegativeTimes() {
        assertThatThrownBy(() ->
                        new QueueSettings(Duration.ofSeconds(-1), Duration.ZERO, Duration.ZERO, FeatureGates.DEFAULTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("initialBackoff: PT-1S (expected: >= 0)");
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
