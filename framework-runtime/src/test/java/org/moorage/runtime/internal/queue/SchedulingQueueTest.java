// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.OTHER;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.POD_LABEL;
import static org.moorage.runtime.internal.queue.QueueFixture.START;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.drain;
import static org.moorage.runtime.internal.queue.QueueFixture.labelled;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.popPod;
import static org.moorage.runtime.internal.queue.QueueFixture.reject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.event.Hint;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.runtime.internal.queue.QueueState.In;

/** How pods come, are popped, change and go. */
final class SchedulingQueueTest {
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
            QueuedPodInfo entry = popPod(queue);

            assertThat(entry.attempts()).isEqualTo(1);
            assertThat(entry.initialAttemptTimestamp()).contains(START);
            assertThat(placeOf(queue, POD)).isEqualTo(In.IN_FLIGHT);

            queue.addUnschedulable(entry, POD, RejectorPlugins.NONE);
            fixture.passSeconds(7);
            queue.flushBackoff();
            QueuedPodInfo again = popPod(queue);
            assertThat(again.attempts()).isEqualTo(2);
            assertThat(again.initialAttemptTimestamp()).contains(START);
            assertThat(again.timestamp()).isEqualTo(START.plusSeconds(7));
        }

        @Test
        void waitsNoLongerThanItsTimeout() {
            assertThat(queue.pop(Duration.ZERO)).isEmpty();
            assertThat(queue.pop(Duration.ofMillis(1))).isEmpty();
        }

        @Test
        void isWokenByAPodThatComes() {
            CompletableFuture<Optional<QueuedEntity>> popped =
                    CompletableFuture.supplyAsync(() -> queue.pop(Duration.ofMinutes(1)));
            queue.add(POD);

            assertThat(popped)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .satisfies(entry -> assertThat(entry).map(QueuedEntity::pod).contains(POD));
        }

        @Test
        void isWokenByClosing() {
            CompletableFuture<Optional<QueuedEntity>> popped =
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
            QueuedPodInfo first = popPod(queue);
            queue.add(POD);
            queue.add(OTHER);

            assertThat(queue.poll()).map(QueuedEntity::pod).contains(OTHER);
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
                case GATED, IN_FLIGHT, INCOMPLETE, PENDING -> throw new IllegalArgumentException(place.toString());
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
            QueuedPodInfo entry = popPod(queue);
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
            QueuedPodInfo entry = popPod(queue);
            queue.close();
            queue.addUnschedulable(entry, POD, by("Fit"));
            queue.done(entry);

            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void settingsRefuseWhatIsNegative() {
        assertThatThrownBy(() -> new QueueSettings(
                        Duration.ofSeconds(-1), Duration.ZERO, Duration.ZERO, FeatureGates.DEFAULTS, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("initialBackoff: PT-1S (expected: >= 0)");
        assertThatThrownBy(
                        () -> new QueueSettings(Duration.ZERO, Duration.ZERO, Duration.ZERO, FeatureGates.DEFAULTS, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rejectedEarlyPops: -1 (expected: >= 0)");
    }
}
