// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_LABEL;
import static org.moorage.runtime.internal.queue.QueueFixture.OTHER;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.POD_LABEL;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.labelled;
import static org.moorage.runtime.internal.queue.QueueFixture.on;
import static org.moorage.runtime.internal.queue.QueueFixture.pending;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.PreQueueingHint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.runtime.internal.queue.QueueState.In;

/** Tests the effect of events on unschedulable pods and on pods in flight. */
final class SchedulingQueueEventsTest {
    private final QueueFixture fixture = new QueueFixture();

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
            QueuedPodInfo entry = popPod(queue);
            queue.moveAllToActiveOrBackoff(test.event(), NODE_ADDED);
            queue.addUnschedulable(entry, POD, test.rejectors());

            assertThat(placeOf(queue, POD)).isEqualTo(test.place());
            assertThat(fixture.asked).isEqualTo(test.asked());
        }

        @Test
        void thatNoPluginRegisteredAreNotKept() {
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
    class Narrowed {
        record Case(String name, PreQueueingHint<Object> preHint, List<In> places, List<String> asked) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            List<In> onlyOther = List.of(In.UNSCHEDULABLE, In.BACKOFF);
            List<In> both = List.of(In.BACKOFF, In.BACKOFF);
            return Stream.of(
                    new Case(
                            "to the pods that a plugin names",
                            change -> Optional.of(pod -> pod.name().equals("other")),
                            onlyOther,
                            List.of("Claims")),
                    new Case(
                            "to none",
                            change -> Optional.of(pod -> false),
                            List.of(In.UNSCHEDULABLE, In.UNSCHEDULABLE),
                            List.of()),
                    new Case(
                            "not if the plugin says nothing",
                            change -> Optional.empty(),
                            both,
                            List.of("Claims", "Claims")),
                    new Case(
                            "not by a plugin that fails",
                            change -> {
                                throw new IllegalStateException("broken");
                            },
                            both,
                            List.of("Claims", "Claims")),
                    new Case(
                            "not by a plugin that fails for a pod, and other pods are still considered",
                            change -> Optional.of(pod -> {
                                throw new StackOverflowError();
                            }),
                            both,
                            List.of("Claims", "Claims")));
        }

        private SchedulingQueue queue(FeatureGates gates, PreQueueingHint<Object> preHint) {
            QueueSettings byDefault = QueueSettings.DEFAULTS;
            return fixture.settings(new QueueSettings(
                            byDefault.initialBackoff(),
                            byDefault.maxBackoff(),
                            byDefault.maxInUnschedulable(),
                            gates,
                            byDefault.rejectedEarlyPops()))
                    .narrowing("Claims", NODE_ADD, preHint)
                    .queue();
        }

        private List<In> placesAfterNodeAdd(SchedulingQueue queue) {
            reject(queue, POD, by("Claims"));
            reject(queue, OTHER, by("Claims"));
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            return List.of(placeOf(queue, POD), placeOf(queue, OTHER));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void areEvents(Case test) {
            FeatureGates gates = FeatureGates.DEFAULTS.with(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS, true);

            assertThat(placesAfterNodeAdd(queue(gates, test.preHint()))).isEqualTo(test.places());
            assertThat(fixture.asked).isEqualTo(test.asked());
        }

        @Test
        void areNoEventsWithoutTheFeature() {
            FeatureGates gates = FeatureGates.DEFAULTS.with(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS, false);

            assertThat(placesAfterNodeAdd(queue(gates, change -> Optional.of(pod -> false))))
                    .containsExactly(In.BACKOFF, In.BACKOFF);
        }

        @Test
        void areThoseThatAreNamedForAPluginThatSaysNothingBeforehand() {
            fixture.plugin("Fit", NODE_ADD, Hint.QUEUE);
            SchedulingQueue queue = queue(
                    FeatureGates.DEFAULTS.with(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS, true),
                    change -> Optional.of(pod -> pod.name().equals("other")));
            reject(queue, POD, by("Fit"));
            reject(queue, OTHER, by("Fit"));
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(List.of(placeOf(queue, POD), placeOf(queue, OTHER)))
                    .containsExactly(In.UNSCHEDULABLE, In.BACKOFF);
        }
    }

    @Nested
    class InFlight {
        private final SchedulingQueue queue =
                fixture.plugin("Fit", NODE_ADD, Hint.QUEUE).queue();

        private QueuedPodInfo popped(Pod pod) {
            queue.add(pod);
            return popPod(queue);
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
        void eventsAreNotKeptWithoutPodsInFlight() {
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
            QueuedPodInfo first = popPod(mixed);
            mixed.add(OTHER);
            QueuedPodInfo second = popPod(mixed);
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
            QueuedPodInfo entry = popPod(labels);
            Pod changed = labelled(POD, "x");
            labels.update(POD, changed);
            assertThat(QueueState.counts(labels).queued()).isZero();
            labels.addUnschedulable(entry, changed, by("Labels"));

            QueueState state = QueueState.of(labels, POD.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(In.BACKOFF);
            assertThat(state.pod()).isSameAs(changed);
        }

        @Test
        void aChangeOfAnotherPodThatIsTriedTooIsNone() {
            SchedulingQueue labels =
                    fixture.plugin("Labels", POD_LABEL, Hint.QUEUE).queue();
            labels.add(POD);
            QueuedPodInfo entry = popPod(labels);
            labels.add(OTHER);
            QueuedPodInfo other = popPod(labels);
            labels.update(OTHER, labelled(OTHER, "x"));
            labels.addUnschedulable(entry, POD, by("Labels"));
            labels.addUnschedulable(other, labelled(OTHER, "x"), by("Labels"));

            assertThat(placeOf(labels, POD)).isEqualTo(In.UNSCHEDULABLE);
            assertThat(placeOf(labels, OTHER)).isEqualTo(In.BACKOFF);
        }

        @Test
        void theSchedulersOwnStatusRequeuesNoPod() {
            SchedulingQueue labels =
                    fixture.plugin("Labels", POD_LABEL, Hint.QUEUE).queue();
            Pod patched =
                    POD.withStatus(PodStatus.builder().nominatedNodeName("node").build());
            labels.add(POD);
            QueuedPodInfo entry = popPod(labels);
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
            assertThat(queue.poll()).map(QueuedEntity::attempts).contains(1);
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
}
