// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADD;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_ADDED;
import static org.moorage.runtime.internal.queue.QueueFixture.NODE_LABEL;
import static org.moorage.runtime.internal.queue.QueueFixture.POD;
import static org.moorage.runtime.internal.queue.QueueFixture.START;
import static org.moorage.runtime.internal.queue.QueueFixture.by;
import static org.moorage.runtime.internal.queue.QueueFixture.composite;
import static org.moorage.runtime.internal.queue.QueueFixture.labelled;
import static org.moorage.runtime.internal.queue.QueueFixture.member;
import static org.moorage.runtime.internal.queue.QueueFixture.on;
import static org.moorage.runtime.internal.queue.QueueFixture.placeOf;
import static org.moorage.runtime.internal.queue.QueueFixture.pod;
import static org.moorage.runtime.internal.queue.QueueFixture.podGroup;
import static org.moorage.runtime.internal.queue.QueueFixture.popGroup;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.GroupKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.queue.QueueState.In;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.metrics.SchedulerGauges.ProfilePlugin;
import org.moorage.runtime.metrics.SchedulerListener;

/** The members of pod groups: where they wait, and when their group is tried. */
final class SchedulingQueuePodGroupsTest {
    private static final Pod A = member("a", "g");
    private static final Pod B = member("b", "g");
    private static final Pod C = member("c", "g");
    private static final Pod D = member("d", "h");
    private static final PodGroup G = podGroup("g");
    private static final String KEY = "podgroup/ns/g";

    private final QueueFixture fixture = new QueueFixture().grouped();
    private final Set<String> closed = new HashSet<>();
    private SchedulingQueue queue = queue();

    // A plugin that keeps the pods out whose names are among the closed ones, and waits for new nodes.
    private SchedulingQueue queue() {
        return fixture.gate(
                        "Gate", pod -> closed.contains(pod.name()) ? Status.unresolvable("closed") : Status.success())
                .plugin("Gate", NODE_ADD, Hint.QUEUE)
                .plugin("Fit", NODE_LABEL, Hint.QUEUE)
                .queue();
    }

    private QueueState group() {
        return QueueState.ofGroup(queue, KEY).orElseThrow();
    }

    private static List<String> names(QueuedPodGroupInfo group) {
        return group.members().stream().map(member -> member.pod().name()).toList();
    }

    private void fail(QueuedPodGroupInfo popped, PodGroupOutcome outcome, RejectorPlugins rejectors) {
        popped.members().forEach(member -> queue.addUnschedulable(member, member.pod(), rejectors));
        queue.addAttemptedPodGroup(popped, outcome);
    }

    /** Brings the group of A and B to a place. */
    private void put(In place) {
        switch (place) {
            case ACTIVE -> addGroup(A, B);
            case ERROR_BACKOFF -> {
                addGroup(A, B);
                fail(popGroup(queue), PodGroupOutcome.REJECTED, by("Fit"));
            }
            case GATED -> {
                closed.add("b");
                addGroup(A, B);
            }
            case IN_FLIGHT -> {
                addGroup(A, B);
                popGroup(queue);
            }
            case INCOMPLETE -> {
                queue.add(A);
                queue.add(B);
            }
            default -> throw new IllegalArgumentException(place.toString());
        }
        assertThat(placeOf(queue, A)).isEqualTo(place);
        assertThat(placeOf(queue, B)).isEqualTo(place);
    }

    private void addGroup(Pod... pods) {
        queue.putGroup(G);
        for (Pod pod : pods) {
            queue.add(pod);
        }
    }

    @Nested
    class Joining {
        /** Where a member is that joins a group that is somewhere. */
        record Case(String name, In group, boolean isClosed, In expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("an active group stays active", In.ACTIVE, false, In.ACTIVE),
                new Case("an active group is gated with a gated member", In.ACTIVE, true, In.GATED),
                new Case("a group that backs off continues to do so", In.ERROR_BACKOFF, false, In.ERROR_BACKOFF),
                new Case("a group that backs off is gated with a gated member", In.ERROR_BACKOFF, true, In.GATED),
                new Case("a gated group stays gated", In.GATED, false, In.GATED),
                new Case("a gated group stays gated with another gated member", In.GATED, true, In.GATED),
                new Case("a group in flight has the member wait for its return", In.IN_FLIGHT, false, In.PENDING),
                new Case("a group in flight has a gated member wait as well", In.IN_FLIGHT, true, In.PENDING),
                new Case("a group that is not known has it wait", In.INCOMPLETE, false, In.INCOMPLETE),
                new Case("a group that is not known has a gated member wait", In.INCOMPLETE, true, In.INCOMPLETE));

        @ParameterizedTest
        @FieldSource("CASES")
        void putsTheMemberWhereTheOthersAre(Case given) {
            put(given.group);
            if (given.isClosed) {
                closed.add("c");
            }
            queue.add(C);

            assertThat(placeOf(queue, C)).isEqualTo(given.expected);
            if (given.group != In.IN_FLIGHT) {
                assertThat(placeOf(queue, A)).isEqualTo(given.expected);
            }
        }

        @Test
        void makesTheFirstMemberAnActiveGroup() {
            addGroup(A);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(group().attempts()).isZero();
            QueuedPodGroupInfo popped = popGroup(queue);
            assertThat(popped.key()).isEqualTo(KEY);
            assertThat(popped.root()).isEqualTo(GroupKey.podGroup("ns", "g"));
            assertThat(popped.group()).isSameAs(G);
            assertThat(names(popped)).containsExactly("a");
            assertThat(popped.tree().children()).isEmpty();
            assertThat(popped.tree().members())
                    .isEqualTo(popped.members().stream().map(QueuedPodInfo::pod).toList());
            assertThat(popped.attempts()).isEqualTo(1);
            assertThat(popped.members().get(0).attempts()).isEqualTo(1);
            assertThat(popped.pod()).isEqualTo(A);
        }

        @Test
        void gatesTheGroupOfAFirstMemberThatIsGated() {
            closed.add("a");
            addGroup(A);

            assertThat(group().in()).isEqualTo(In.GATED);
            assertThat(group().gatedBy()).isEqualTo("Gate");
            assertThat(queue.poll()).isEmpty();
        }

        @Test
        void leavesTheGroupItsTimeAndItsBackoff() {
            put(In.ERROR_BACKOFF);
            QueueState before = group();
            fixture.pass(Duration.ofMillis(900));
            queue.add(C);

            assertThat(group().timestamp()).isEqualTo(before.timestamp());
            assertThat(group().backoffEnd()).isEqualTo(before.backoffEnd());
        }

        @Test
        void endsABackoffThatIsOver() {
            put(In.ERROR_BACKOFF);
            fixture.passSeconds(5);
            queue.add(C);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void takesAMemberThatComesAgainForAnUpdate() {
            put(In.ACTIVE);
            Pod changed = labelled(A, "x");
            queue.add(changed);

            assertThat(QueueState.all(queue, A.key())).hasSize(1);
            assertThat(QueueState.all(queue, A.key()).get(0).pod()).isSameAs(changed);
        }

        @Test
        void takesAMemberWithAnotherUidForAnotherPod() {
            put(In.ACTIVE);
            Pod successor = A.withMetadata(A.metadata().toBuilder().uid("new").build());
            queue.add(successor);
            queue.delete(A);

            assertThat(names(popGroup(queue))).containsExactly("a", "b");
        }

        @Test
        void refusesAMemberOfNoProfile() {
            Pod lost = pod(
                    "lost",
                    PodSpec.builder().podGroupName("g").schedulerName("nobody").build());

            assertThatThrownBy(() -> queue.add(lost)).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void isOfNoneWithoutTheFeature() {
            SchedulingQueue plain = fixture.settings(QueueSettings.DEFAULTS).queue();
            plain.putGroup(G);
            plain.add(A);
            plain.add(B);

            assertThat(QueueFixture.drain(plain)).containsExactly("a", "b");
        }
    }

    @Nested
    class Order {
        @Test
        void ofMembersIsByPriorityAttemptsTimeAndName() {
            queue.putGroup(G);
            queue.add(B);
            QueuedPodGroupInfo first = popGroup(queue);
            fixture.passSeconds(1);
            queue.add(C);
            queue.add(A);
            Pod late = member("0", "g");
            fixture.passSeconds(1);
            queue.add(late);
            Pod important =
                    pod("z", PodSpec.builder().podGroupName("g").priority(1).build());
            queue.add(important);
            fail(first, PodGroupOutcome.SUCCESS, by("Fit"));

            assertThat(names(popGroup(queue))).containsExactly("z", "b", "a", "c", "0");
        }

        @Test
        void ofGroupsIsByTheirOwnPriority() {
            queue.putGroup(PodGroup.of(G.metadata()).priority(5).build());
            queue.putGroup(podGroup("h"));
            queue.add(POD);
            queue.add(D);
            queue.add(A);

            assertThat(queue.poll()).map(QueuedEntity::key).contains(KEY);
            assertThat(queue.poll()).map(QueuedEntity::key).contains("ns/pod");
            assertThat(queue.poll()).map(QueuedEntity::key).contains("podgroup/ns/h");
        }

        @Test
        void followsAChangeOfTheGroup() {
            queue.add(POD);
            addGroup(A);
            queue.putGroup(PodGroup.of(G.metadata()).priority(5).build());

            assertThat(popGroup(queue).group().priority()).isEqualTo(5);
        }

        @Test
        void ofAPodThatIsNoMemberIsAsEver() {
            addGroup(A);
            fixture.passSeconds(-1);
            queue.add(POD);

            assertThat(queue.poll()).map(QueuedEntity::key).contains("ns/pod");
        }
    }

    @Nested
    class Leaving {
        @ParameterizedTest
        @EnumSource(
                value = In.class,
                names = {"ACTIVE", "ERROR_BACKOFF", "GATED", "INCOMPLETE"})
        void leavesTheOthersWhereTheyAre(In place) {
            put(place);
            queue.delete(A);

            assertThat(QueueState.of(queue, A.key())).isEmpty();
            assertThat(placeOf(queue, B)).isEqualTo(place);
        }

        @ParameterizedTest
        @EnumSource(
                value = In.class,
                names = {"ACTIVE", "ERROR_BACKOFF", "GATED", "INCOMPLETE"})
        void takesTheGroupAlongWithTheLastMember(In place) {
            put(place);
            queue.delete(A);
            queue.delete(B);

            assertThat(QueueState.ofGroup(queue, KEY)).isEmpty();
            assertThat(QueueState.counts(queue).queued()).isZero();
            assertThat(queue.dump().pendingPods()).isEmpty();
        }

        @Test
        void removesAPendingMember() {
            put(In.IN_FLIGHT);
            queue.add(C);
            queue.delete(C);

            assertThat(QueueState.of(queue, C.key())).isEmpty();
        }

        @Test
        void leavesAGroupGatedWhoseGatedMemberLeaves() {
            put(In.GATED);
            queue.delete(B);
            assertThat(placeOf(queue, A)).isEqualTo(In.GATED);

            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(placeOf(queue, A)).isEqualTo(In.ACTIVE);
        }

        @Test
        void mayGateAnActiveGroup() {
            put(In.ACTIVE);
            closed.add("a");
            closed.add("b");
            queue.delete(B);

            assertThat(placeOf(queue, A)).isEqualTo(In.GATED);
        }

        @Test
        void doesNothingForAPodOfAnotherUid() {
            put(In.ACTIVE);
            queue.delete(A.withMetadata(A.metadata().toBuilder().uid("other").build()));

            assertThat(names(popGroup(queue))).containsExactly("a", "b");
        }
    }

    @Nested
    class Updates {
        private final Pod changed = labelled(B, "x");

        @ParameterizedTest
        @EnumSource(
                value = In.class,
                names = {"ACTIVE", "ERROR_BACKOFF", "GATED", "INCOMPLETE"})
        void replaceTheMemberWhereItIs(In place) {
            put(place);
            queue.update(B, changed);

            assertThat(placeOf(queue, A)).isEqualTo(place);
            assertThat(QueueState.all(queue, B.key())).hasSize(1);
            QueueState state = QueueState.of(queue, B.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(place);
            assertThat(state.pod()).isSameAs(changed);
        }

        @Test
        void replaceAPendingMember() {
            put(In.IN_FLIGHT);
            queue.add(C);
            Pod labelled = labelled(C, "x");
            queue.update(C, labelled);

            QueueState state = QueueState.of(queue, C.key()).orElseThrow();
            assertThat(state.in()).isEqualTo(In.PENDING);
            assertThat(state.pod()).isSameAs(labelled);
        }

        @Test
        void areKeptAsEventsOfAMemberInFlight() {
            put(In.IN_FLIGHT);
            queue.update(B, changed);

            assertThat(QueueState.all(queue, B.key()))
                    .extracting(QueueState::in)
                    .containsExactly(In.IN_FLIGHT);
            assertThat(QueueState.counts(queue).inFlightEvents()).isEqualTo(1);
        }

        @Test
        void ofAGatedMemberMayLetTheGroupIn() {
            put(In.GATED);
            closed.clear();
            queue.update(B, changed);

            assertThat(placeOf(queue, A)).isEqualTo(In.ACTIVE);
        }

        @Test
        void ofAGatedMemberDoNotLetInAGroupWithAnother() {
            closed.add("a");
            put(In.GATED);
            closed.remove("b");
            queue.update(B, changed);

            assertThat(placeOf(queue, A)).isEqualTo(In.GATED);
            assertThat(placeOf(queue, B)).isEqualTo(In.GATED);
        }

        @Test
        void ofAnUnknownMemberAddIt() {
            put(In.ACTIVE);
            queue.update(C, labelled(C, "x"));

            assertThat(names(popGroup(queue))).containsExactly("a", "b", "c");
        }

        @Test
        void toAnotherPodOfAnotherGroupMoveIt() {
            put(In.ACTIVE);
            queue.putGroup(podGroup("h"));
            Pod successor = member("b", "h");
            successor = successor.withMetadata(
                    successor.metadata().toBuilder().uid("new").build());
            queue.update(B, successor);

            assertThat(QueueState.ofGroup(queue, "podgroup/ns/h")).isPresent();
            assertThat(QueueState.all(queue, B.key()))
                    .extracting(state -> state.pod().uid())
                    .containsExactly("new");
        }

        @Test
        void fromAMemberToAPodOnItsOwnAndBack() {
            put(In.ACTIVE);
            queue.update(A, pod("a"));
            assertThat(queue.dump().pendingPods()).hasSize(2);
            assertThat(QueueState.ofGroup(queue, A.key())).isPresent();

            queue.update(pod("a"), A);
            assertThat(QueueState.ofGroup(queue, A.key())).isEmpty();
            assertThat(names(popGroup(queue))).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Nested
    class AfterAnAttempt {
        private QueuedPodGroupInfo popped;

        @BeforeEach
        void pop() {
            addGroup(A, B);
            fixture.passSeconds(3);
            popped = popGroup(queue);
        }

        @ParameterizedTest
        @EnumSource(PodGroupOutcome.class)
        void aGroupWithoutWaitingMembersLeavesTheQueue(PodGroupOutcome outcome) {
            popped.members().forEach(queue::done);
            queue.addAttemptedPodGroup(popped, outcome);

            assertThat(QueueState.ofGroup(queue, KEY)).isEmpty();
            assertThat(QueueState.counts(queue)).isEqualTo(new QueueState.Counts(0, 0, 0, 0, 0, 0));
            queue.add(C);
            assertThat(names(popGroup(queue))).containsExactly("c");
        }

        @Test
        void aRejectedGroupBacksOff() {
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            QueueState state = group();
            assertThat(state.in()).isEqualTo(In.ERROR_BACKOFF);
            assertThat(state.unschedulableCount()).isEqualTo(1);
            assertThat(state.consecutiveErrors()).isZero();
            assertThat(state.timestamp()).isEqualTo(START.plusSeconds(3));
            assertThat(state.backoffEnd()).isEqualTo(START.plusSeconds(4));
            assertThat(state.rejectors()).isEqualTo(RejectorPlugins.NONE);
            assertThat(queue.poll()).isEmpty();

            fixture.passSeconds(2);
            queue.flushBackoff();
            QueuedPodGroupInfo again = popGroup(queue);
            assertThat(again.attempts()).isEqualTo(2);
            assertThat(again.members()).extracting(QueuedPodInfo::attempts).containsExactly(2, 2);
            assertThat(again.initialAttemptTimestamp()).contains(START);
            assertThat(again.members().get(0).rejectors()).isEqualTo(by("Fit"));
        }

        @Test
        void aGroupThatFailedBacksOffByItsErrors() {
            fail(popped, PodGroupOutcome.ERROR, RejectorPlugins.NONE);

            QueueState state = group();
            assertThat(state.in()).isEqualTo(In.ERROR_BACKOFF);
            assertThat(state.unschedulableCount()).isZero();
            assertThat(state.consecutiveErrors()).isEqualTo(1);
        }

        @Test
        void aRejectionEndsTheCountOfErrors() {
            fail(popped, PodGroupOutcome.ERROR, RejectorPlugins.NONE);
            fixture.passSeconds(10);
            queue.flushBackoff();
            fail(popGroup(queue), PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(group().unschedulableCount()).isEqualTo(1);
            assertThat(group().consecutiveErrors()).isZero();
        }

        @Test
        void membersLeftAfterASuccessAreTriedAtOnceInTheirOldPlace() {
            queue.done(popped.members().get(0));
            queue.addUnschedulable(popped.members().get(1), B, by("Fit"));
            queue.add(C);
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(group().timestamp()).isEqualTo(START);
            assertThat(group().unschedulableCount()).isZero();
            queue.add(POD);
            assertThat(names(popGroup(queue))).containsExactly("b", "c");
        }

        @Test
        void membersThatCameMeanwhileAreTriedInANewPlace() {
            popped.members().forEach(queue::done);
            queue.add(C);
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(group().timestamp()).isEqualTo(START.plusSeconds(3));
            assertThat(names(popGroup(queue))).containsExactly("c");
        }

        @Test
        void aSuccessEndsTheBackoffOfFailuresBefore() {
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));
            fixture.passSeconds(10);
            queue.flushBackoff();
            fail(popGroup(queue), PodGroupOutcome.SUCCESS, by("Fit"));
            assertThat(group().in()).isEqualTo(In.ACTIVE);

            fail(popGroup(queue), PodGroupOutcome.REJECTED, by("Fit"));
            assertThat(group().unschedulableCount()).isEqualTo(1);
        }

        @ParameterizedTest
        @EnumSource(PodGroupOutcome.class)
        void aGatedMemberGatesTheGroup(PodGroupOutcome outcome) {
            closed.add("a");
            fail(popped, outcome, by("Fit"));

            assertThat(group().in()).isEqualTo(In.GATED);
            assertThat(group().gatedBy()).isEqualTo("Gate");
        }

        @Test
        void aGroupIsActiveAtOnceWhereThereIsNoBackoff() {
            QueueSettings grouped = QueueFixture.withGates(FeatureGates.GENERIC_WORKLOAD);
            queue = fixture.settings(new QueueSettings(
                            Duration.ZERO, Duration.ZERO, grouped.maxInUnschedulable(), grouped.featureGates(), 0))
                    .queue();
            addGroup(A, B);
            fail(popGroup(queue), PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void aGroupThatReturnsTwiceIsForgotten() {
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.ERROR);

            assertThat(group().unschedulableCount()).isEqualTo(1);
            assertThat(group().consecutiveErrors()).isZero();
        }

        @Test
        void anotherPodThatReturnsLeavesTheGroupInFlight() {
            queue.add(POD);
            QueuedPodInfo other = QueueFixture.popPod(queue);
            queue.addUnschedulable(other, POD, by("Fit"));
            queue.addUnschedulable(popped.members().get(0), A, by("Fit"));

            assertThat(placeOf(queue, A)).isEqualTo(In.PENDING);
        }

        @Test
        void aMemberWhoseBindingFailsJoinsTheGroupThatIsQueued() {
            queue.add(C);
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);
            queue.addUnschedulable(popped.members().get(0), A, by("Fit"));

            assertThat(names(popGroup(queue))).containsExactly("a", "c");
        }

        @Test
        void aMemberWhoseBindingFailsLaterIsANewGroupWithoutBackoff() {
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);
            fixture.passSeconds(1);
            queue.addUnschedulable(popped.members().get(1), B, by("Fit"));

            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(group().timestamp()).isEqualTo(START.plusSeconds(4));
            assertThat(group().attempts()).isZero();
            QueuedPodGroupInfo again = popGroup(queue);
            assertThat(names(again)).containsExactly("b");
            assertThat(again.initialAttemptTimestamp()).contains(START);
            assertThat(again.members().get(0).attempts()).isEqualTo(2);
        }

        @Test
        void aMemberThatIsStillInFlightIsLeftOut() {
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);
            queue.add(A);
            queue.add(C);
            assertThat(names(popGroup(queue))).containsExactly("c");

            queue.addUnschedulable(popped.members().get(0), A, by("Fit"));
            assertThat(placeOf(queue, A)).isEqualTo(In.PENDING);
        }

        @Test
        void aGroupOfNothingButMembersInFlightIsDiscarded() {
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);
            queue.add(A);

            assertThat(queue.poll()).isEmpty();
            queue.add(C);
            assertThat(names(popGroup(queue))).containsExactly("c");
        }

        @Test
        void nothingReturnsToAClosedQueue() {
            queue.close();
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(QueueState.counts(queue).queued()).isZero();
        }
    }

    @Nested
    class Backoff {
        /** How long a group backs off after so many rejections. */
        record Case(String name, int pods, int failures, Duration expected) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("one pod, at first", 1, 1, Duration.ofSeconds(1)),
                new Case("one pod, at last", 1, 9, Duration.ofSeconds(10)),
                new Case("four pods, at first", 4, 1, Duration.ofSeconds(1)),
                new Case("four pods double as well", 4, 5, Duration.ofSeconds(16)),
                new Case("four pods, at last twice as long", 4, 6, Duration.ofSeconds(20)),
                new Case("a hundred pods, at last ten times as long", 100, 9, Duration.ofSeconds(100)));

        @ParameterizedTest
        @FieldSource("CASES")
        void growsWithTheSquareRootOfTheSize(Case given) {
            queue.putGroup(G);
            for (int i = 0; i < given.pods; i++) {
                queue.add(member("p" + i, "g"));
            }
            for (int i = 0; i < given.failures; i++) {
                fixture.passSeconds(1000);
                queue.flushBackoff();
                fail(popGroup(queue), PodGroupOutcome.REJECTED, RejectorPlugins.NONE);
            }

            Instant end = group().backoffEnd();
            assertThat(Duration.between(fixture.instant(), end)).isEqualTo(given.expected);
        }

        @Test
        void isNotEndedByAnyEvent() {
            put(In.ERROR_BACKOFF);
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            queue.moveAllToActiveOrBackoff(WellKnownEvents.KIND_AVAILABILITY);

            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);
            assertThat(queue.poll()).isEmpty();
        }

        @Test
        void isEndedByActivation() {
            put(In.ERROR_BACKOFF);
            queue.activate(List.of(A));

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void isServedByAGroupThatIsToBeTriedAfterIt() {
            put(In.ERROR_BACKOFF);
            fixture.asked.clear();
            queue.activateAfterBackoff(List.of(A, B));

            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);
            assertThat(fixture.asked).isEmpty();
        }

        @Test
        void asksTheGatesBehindItWhereNothingIsPoppedEarly() {
            FeatureGates late = FeatureGates.of(
                    Map.of(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q, false, FeatureGates.GENERIC_WORKLOAD, true));
            queue = fixture.settings(new QueueSettings(
                            Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(5), late, 0))
                    .queue();
            addGroup(A, B);
            QueuedPodGroupInfo popped = popGroup(queue);
            closed.add("a");
            fail(popped, PodGroupOutcome.REJECTED, RejectorPlugins.NONE);
            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);
            queue.add(C);
            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);

            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(group().in()).isEqualTo(In.GATED);
        }
    }

    @Nested
    class GatedGroups {
        @Test
        void areLetInWhenAnEventOfTheirGateComes() {
            put(In.GATED);
            queue.moveAllToActiveOrBackoff(NODE_LABEL, NODE_ADDED);
            assertThat(fixture.asked).doesNotContain("Fit");
            assertThat(group().in()).isEqualTo(In.GATED);

            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(names(popGroup(queue))).containsExactly("a", "b");
        }

        @Test
        void areLookedAtByWildcards() {
            put(In.GATED);
            closed.clear();
            queue.moveAllToActiveOrBackoff(WellKnownEvents.KIND_AVAILABILITY);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        // A member that nothing rejected is worth a try after any event.
        @Test
        void areMovedByAMemberThatNothingRejected() {
            queue = new QueueFixture()
                    .grouped()
                    .gate("Deaf", pod -> closed.contains(pod.name()) ? Status.unresolvable("closed") : Status.success())
                    .plugin("Deaf", NODE_ADD, Hint.SKIP)
                    .queue();
            closed.add("b");
            addGroup(B);
            assertThat(group().in()).isEqualTo(In.GATED);
            queue.add(A);
            fixture.asked.clear();
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void areTriedAfterTheBackoffThatTheyHave() {
            put(In.ERROR_BACKOFF);
            closed.add("c");
            queue.add(C);
            assertThat(group().in()).isEqualTo(In.GATED);
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);

            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void areActivatedOnlyIfTheirGateIsOpen() {
            put(In.GATED);
            queue.activate(List.of(A));
            assertThat(group().in()).isEqualTo(In.GATED);
            closed.clear();
            queue.activate(List.of(A));

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void areTriedAfterABackoffIfAskedTo() {
            put(In.GATED);
            closed.clear();
            queue.activateAfterBackoff(List.of(A));

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void areAskedAgainWhenTheyHaveWaitedForTooLong() {
            put(In.GATED);
            fixture.passSeconds(301);
            queue.flushUnschedulable();
            assertThat(group().in()).isEqualTo(In.GATED);
            fixture.asked.clear();
            fixture.passSeconds(300);
            queue.flushUnschedulable();
            assertThat(fixture.asked).isEmpty();

            closed.clear();
            fixture.passSeconds(1);
            queue.flushUnschedulable();
            QueuedPodGroupInfo popped = popGroup(queue);
            assertThat(popped.wasFlushed()).isTrue();
            assertThat(popped.members()).allMatch(QueuedPodInfo::wasFlushed);
        }

        @Test
        void doNotCountAsFlushedIfAnEventLetsThemInLater() {
            put(In.GATED);
            fixture.passSeconds(301);
            queue.flushUnschedulable();
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            QueuedPodGroupInfo popped = popGroup(queue);
            assertThat(popped.wasFlushed()).isFalse();
            assertThat(popped.members()).noneMatch(QueuedPodInfo::wasFlushed);
        }

        @Test
        void tellWhatGatesTheirMembers() {
            put(In.GATED);

            assertThat(queue.gate(A))
                    .hasValueSatisfying(gate -> assertThat(gate.plugin()).isEqualTo("Gate"));
            assertThat(queue.gate(B)).isPresent();
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(queue.gate(A)).isEmpty();
        }

        @Test
        void saysOfEachMemberWhatGatesItsGroupNow() {
            Set<String> first = new HashSet<>(Set.of("a"));
            Set<String> second = new HashSet<>();
            queue = new QueueFixture()
                    .grouped()
                    .gate("First", pod -> first.contains(pod.name()) ? Status.unresolvable("first") : Status.success())
                    .gate(
                            "Second",
                            pod -> second.contains(pod.name()) ? Status.unresolvable("second") : Status.success())
                    .plugin("First", NODE_ADD, Hint.QUEUE)
                    .queue();
            addGroup(A, B);
            first.clear();
            second.add("b");
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);

            assertThat(queue.dump().pendingPods())
                    .extracting(PendingPod::gatedBy)
                    .containsExactly("Second", "Second");
            assertThat(queue.gate(A)).map(PluginStatus::plugin).contains("Second");
        }

        @Test
        void areGatedByAPluginThatFails() {
            queue = fixture.gate("Broken", pod -> {
                        throw new IllegalStateException("broken");
                    })
                    .queue();
            addGroup(A);

            assertThat(group().gatedBy()).isEqualTo("Broken");
        }

        @Test
        void areNotLostWithAnErrorOfTheVirtualMachine() {
            boolean[] fails = {true};
            queue = fixture.gate("Fatal", pod -> {
                        if (fails[0] && pod.name().equals("b")) {
                            throw new OutOfMemoryError("test");
                        }
                        return Status.success();
                    })
                    .plugin("Fatal", NODE_ADD, Hint.QUEUE)
                    .queue();
            addGroup(A);
            assertThatThrownBy(() -> queue.add(B)).isInstanceOf(OutOfMemoryError.class);
            assertThat(group().in()).isEqualTo(In.GATED);

            fails[0] = false;
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            assertThat(names(popGroup(queue))).containsExactly("a", "b");
        }

        // Quadratic, if each pod that comes had all be asked again.
        @Test
        void askAboutEachMemberOnlyAFewTimesAsTheyCome() {
            int pods = 2_000;
            queue.putGroup(G);
            queue.putGroup(podGroup("h"));
            closed.add("0");
            for (int i = 0; i < pods; i++) {
                queue.add(member(Integer.toString(i), "g"));
                queue.add(member("h" + i, "h"));
                queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            }
            assertThat(fixture.asked).filteredOn("Gate"::equals).hasSizeLessThan(8 * pods);

            fixture.asked.clear();
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED);
            for (int i = 0; i < pods; i++) {
                queue.delete(member(Integer.toString(i), "g"));
            }
            assertThat(fixture.asked).hasSizeLessThan(3 * pods);
            assertThat(popGroup(queue).members()).hasSize(pods);
        }
    }

    @Nested
    class Narrowing {
        private void narrowing(Set<String> candidates, String... gates) {
            queue = fixture.settings(QueueFixture.withGates(gates))
                    .narrowing(
                            "Gate",
                            on(EventResource.NODE, ActionType.DELETE),
                            change -> Optional.of(pod -> candidates.contains(pod.name())))
                    .queue();
            put(In.GATED);
            closed.clear();
            queue.moveAllToActiveOrBackoff(WellKnownEvents.NODE_DELETE, ObjectChange.deleted(QueueFixture.NODE));
        }

        @Test
        void findsTheGroupOfAPod() {
            narrowing(Set.of("b"), FeatureGates.GENERIC_WORKLOAD, FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void leavesOtherGroupsAlone() {
            narrowing(Set.of("x"), FeatureGates.GENERIC_WORKLOAD, FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS);

            assertThat(group().in()).isEqualTo(In.GATED);
        }

        @Test
        void isOffWithCompositePodGroups() {
            narrowing(
                    Set.of("x"),
                    FeatureGates.GENERIC_WORKLOAD,
                    FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS,
                    FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
                    FeatureGates.COMPOSITE_POD_GROUP);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void byTheCallerLooksAtAllMembers() {
            put(In.GATED);
            closed.clear();
            queue.moveAllToActiveOrBackoff(NODE_ADD, NODE_ADDED, pod -> false);
            assertThat(group().in()).isEqualTo(In.GATED);
            queue.moveAllToActiveOrBackoff(
                    NODE_ADD, NODE_ADDED, pod -> pod.name().equals("b"));
            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }
    }

    @Nested
    class GroupsThatComeAndGo {
        @Test
        void completeTheMembersThatWaitForThem() {
            put(In.INCOMPLETE);
            assertThat(queue.poll()).isEmpty();
            queue.putGroup(G);

            assertThat(names(popGroup(queue))).containsExactly("a", "b");
        }

        @ParameterizedTest
        @EnumSource(
                value = In.class,
                names = {"ACTIVE", "ERROR_BACKOFF", "GATED"})
        void leaveTheirMembersIncomplete(In place) {
            put(place);
            queue.deleteGroup(G);

            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            assertThat(placeOf(queue, B)).isEqualTo(In.INCOMPLETE);
            assertThat(QueueState.counts(queue).queued()).isZero();
        }

        @Test
        void areOthersIfTheyHaveAnotherUid() {
            put(In.ACTIVE);
            PodGroup successor =
                    PodGroup.of(G.metadata().toBuilder().uid("new").build()).build();
            queue.deleteGroup(successor);
            assertThat(placeOf(queue, A)).isEqualTo(In.ACTIVE);

            queue.deleteGroup(G);
            queue.putGroup(successor);
            assertThat(popGroup(queue).group()).isSameAs(successor);
        }

        @Test
        void haveTheirPendingMembersIncompleteWhileTheyAreInFlight() {
            put(In.IN_FLIGHT);
            queue.add(C);
            queue.deleteGroup(G);

            assertThat(placeOf(queue, C)).isEqualTo(In.INCOMPLETE);
        }

        @Test
        void areGoneWhenTheyReturn() {
            addGroup(A, B);
            QueuedPodGroupInfo popped = popGroup(queue);
            queue.deleteGroup(G);
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            assertThat(QueueState.counts(queue).queued()).isZero();
            queue.putGroup(G);
            assertThat(group().in()).isEqualTo(In.ACTIVE);
            assertThat(group().attempts()).isZero();
        }

        @Test
        void goOnWhenTheyReturnIfTheyAreThereAgain() {
            addGroup(A, B);
            QueuedPodGroupInfo popped = popGroup(queue);
            queue.deleteGroup(G);
            PodGroup successor =
                    PodGroup.of(G.metadata().toBuilder().uid("new").build()).build();
            queue.putGroup(successor);
            queue.add(C);
            assertThat(placeOf(queue, C)).isEqualTo(In.PENDING);
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(group().in()).isEqualTo(In.ERROR_BACKOFF);
            fixture.passSeconds(2);
            queue.flushBackoff();
            assertThat(popGroup(queue).group()).isSameAs(successor);
        }

        @Test
        void moveNothingWhenTheyChange() {
            put(In.GATED);
            closed.clear();
            queue.putGroup(PodGroup.of(G.metadata()).gang(2).build());

            assertThat(group().in()).isEqualTo(In.GATED);
        }

        @Test
        void areNotKnownWithoutTheFeature() {
            queue = fixture.settings(QueueFixture.withGates(FeatureGates.GENERIC_WORKLOAD))
                    .queue();
            queue.putGroup(composite("top", ""));
            queue.putGroup(podGroup("g", "top"));
            queue.add(A);

            assertThat(group().in()).isEqualTo(In.ACTIVE);
        }
    }

    @Nested
    class Trees {
        private static final String TOP = "compositepodgroup/ns/top";

        private QueueState top() {
            return QueueState.ofGroup(queue, TOP).orElseThrow();
        }

        @BeforeEach
        void twoPodGroupsBelowOne() {
            queue.putGroup(composite("top", ""));
            queue.putGroup(podGroup("g", "top"));
            queue.putGroup(podGroup("h", "top"));
        }

        @Test
        void areTriedAsOne() {
            queue.add(D);
            queue.add(B);
            queue.add(A);

            QueuedPodGroupInfo popped = popGroup(queue);
            assertThat(popped.key()).isEqualTo(TOP);
            assertThat(names(popped)).containsExactly("a", "b", "d");
            assertThat(popped.tree().members()).isEmpty();
            assertThat(popped.tree().children())
                    .extracting(child -> child.key().name())
                    .containsExactly("g", "h");
            assertThat(popped.tree().children().get(1).members())
                    .extracting(Pod::name)
                    .containsExactly("d");
            assertThat(queue.poll()).isEmpty();
        }

        @Test
        void includeGroupsWithoutMembers() {
            queue.add(A);

            assertThat(popGroup(queue).tree().children()).hasSize(2);
        }

        @Test
        void haveTheStateOfTheGroupOnTop() {
            queue.add(D);
            QueuedPodGroupInfo popped = popGroup(queue);
            queue.add(A);
            assertThat(placeOf(queue, A)).isEqualTo(In.PENDING);
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(top().in()).isEqualTo(In.ERROR_BACKOFF);
            assertThat(placeOf(queue, A)).isEqualTo(In.ERROR_BACKOFF);
            assertThat(placeOf(queue, D)).isEqualTo(In.ERROR_BACKOFF);
        }

        @Test
        void loseTheMembersOfAPodGroupThatIsGone() {
            queue.add(A);
            queue.add(D);
            queue.deleteGroup(podGroup("g", "top"));

            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            assertThat(placeOf(queue, D)).isEqualTo(In.ACTIVE);
            queue.putGroup(podGroup("g", "top"));
            assertThat(placeOf(queue, A)).isEqualTo(In.ACTIVE);
            assertThat(names(popGroup(queue))).containsExactly("a", "d");
        }

        @Test
        void fallApartWhenTheGroupOnTopIsGone() {
            queue.add(A);
            queue.add(D);
            queue.deleteGroup(composite("top", ""));
            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            assertThat(placeOf(queue, D)).isEqualTo(In.INCOMPLETE);
            assertThat(QueueState.counts(queue).queued()).isZero();

            queue.putGroup(composite("top", ""));
            assertThat(names(popGroup(queue))).containsExactly("a", "d");
        }

        @Test
        void loseWhatIsBelowAGroupInTheMiddleThatIsGone() {
            queue.putGroup(composite("middle", "top"));
            queue.putGroup(podGroup("i", "middle"));
            Pod e = member("e", "i");
            queue.add(A);
            queue.add(e);
            queue.deleteGroup(composite("middle", "top"));

            assertThat(placeOf(queue, e)).isEqualTo(In.INCOMPLETE);
            assertThat(placeOf(queue, A)).isEqualTo(In.ACTIVE);
            QueuedPodGroupInfo popped = popGroup(queue);
            queue.putGroup(composite("middle", "top"));
            assertThat(placeOf(queue, e)).isEqualTo(In.PENDING);
            popped.members().forEach(queue::done);
            queue.addAttemptedPodGroup(popped, PodGroupOutcome.SUCCESS);
            assertThat(names(popGroup(queue))).containsExactly("e");
        }

        @Test
        void keepThePendingMembersOfOtherGroupsWhenOneIsGone() {
            queue.putGroup(composite("middle", "top"));
            queue.putGroup(podGroup("i", "middle"));
            queue.add(A);
            QueuedPodGroupInfo popped = popGroup(queue);
            Pod e = member("e", "i");
            queue.add(e);
            queue.add(D);
            queue.deleteGroup(composite("middle", "top"));

            assertThat(placeOf(queue, e)).isEqualTo(In.INCOMPLETE);
            assertThat(placeOf(queue, D)).isEqualTo(In.PENDING);
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));
            assertThat(placeOf(queue, D)).isEqualTo(In.ERROR_BACKOFF);
            assertThat(placeOf(queue, e)).isEqualTo(In.INCOMPLETE);
        }

        @Test
        void areCompletedFromTheMiddle() {
            queue.putGroup(podGroup("i", "middle"));
            Pod e = member("e", "i");
            queue.add(e);
            assertThat(placeOf(queue, e)).isEqualTo(In.INCOMPLETE);
            queue.putGroup(composite("middle", "top"));

            assertThat(placeOf(queue, e)).isEqualTo(In.ACTIVE);
            assertThat(top().in()).isEqualTo(In.ACTIVE);
        }

        @Test
        void doNotTakeAPodGroupOfTheirNameForThemselves() {
            queue.putGroup(podGroup("top"));
            Pod e = member("e", "top");
            queue.add(A);
            queue.add(e);

            assertThat(popGroup(queue).key()).isEqualTo(TOP);
            assertThat(popGroup(queue).key()).isEqualTo("podgroup/ns/top");
            queue.deleteGroup(podGroup("top"));
            queue.add(D);
            assertThat(placeOf(queue, D)).isEqualTo(In.PENDING);
        }

        @Test
        void haveNoCircles() {
            queue.putGroup(podGroup("i", "x"));
            queue.putGroup(composite("x", "y"));
            queue.putGroup(composite("y", "x"));
            Pod e = member("e", "i");
            queue.add(e);
            assertThat(placeOf(queue, e)).isEqualTo(In.INCOMPLETE);
            queue.deleteGroup(composite("y", "x"));
            queue.putGroup(composite("y", ""));

            assertThat(placeOf(queue, e)).isEqualTo(In.ACTIVE);
        }

        @Test
        void takeAGroupWithAnotherParentForAnotherGroup() {
            queue.add(A);
            queue.add(D);
            queue.putGroup(podGroup("g", "elsewhere"));
            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            queue.putGroup(composite("top", "elsewhere"));
            assertThat(placeOf(queue, D)).isEqualTo(In.INCOMPLETE);
            queue.putGroup(composite("elsewhere", ""));

            assertThat(names(popGroup(queue))).containsExactly("a", "d");
        }

        @Test
        void whoseGroupOnTopGetsAParentInFlightReturnWithNothing() {
            queue.add(A);
            QueuedPodGroupInfo popped = popGroup(queue);
            queue.putGroup(composite("above", ""));
            queue.putGroup(composite("top", "above"));
            queue.add(D);
            fail(popped, PodGroupOutcome.REJECTED, by("Fit"));

            assertThat(QueueState.ofGroup(queue, TOP)).isEmpty();
            assertThat(names(popGroup(queue))).containsExactly("a", "d");
        }
    }

    @Nested
    class Nominations {
        private final Pod nominated =
                A.withStatus(PodStatus.builder().nominatedNodeName("node").build());

        @ParameterizedTest
        @EnumSource(
                value = In.class,
                names = {"ACTIVE", "ERROR_BACKOFF", "GATED", "INCOMPLETE"})
        void followTheStatusOfMembers(In place) {
            put(place);
            fixture.cluster.put(A.key(), nominated);
            queue.update(A, nominated);
            assertThat(fixture.nominator.nominatedPodsFor("node")).containsExactly(nominated);
            queue.delete(nominated);
            assertThat(fixture.nominator.nominatedPodsFor("node")).isEmpty();
        }

        @Test
        void areKnownFromTheBeginning() {
            fixture.cluster.put(A.key(), nominated);
            queue.add(nominated);

            assertThat(placeOf(queue, A)).isEqualTo(In.INCOMPLETE);
            assertThat(fixture.nominator.nominatedPodsFor("node")).containsExactly(nominated);
        }
    }

    /** A member whose resize is deferred is queued on its own, since it runs already. */
    @Nested
    class DeferredResizes {
        private final Pod resized = A.withNode("node")
                .withStatus(PodStatus.builder()
                        .conditions(List.of(new PodCondition("PodResizePending", "True", "Deferred", "", 0)))
                        .build());

        @Test
        void areNoBusinessOfTheGroup() {
            queue = fixture.settings(QueueFixture.withGates(
                            FeatureGates.GENERIC_WORKLOAD,
                            FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION))
                    .queue();
            addGroup(B);
            queue.add(resized);

            assertThat(queue.poll()).map(QueuedEntity::key).contains(KEY);
            QueuedPodInfo alone = QueueFixture.popPod(queue);
            queue.addUnschedulable(alone, resized, by("Fit"));
            assertThat(placeOf(queue, A)).isEqualTo(In.UNSCHEDULABLE);
            queue.delete(resized);
            assertThat(QueueState.of(queue, A.key())).isEmpty();
        }
    }

    @Nested
    class Counting {
        private final List<String> pods = new ArrayList<>();
        private final List<String> entities = new ArrayList<>();

        @Test
        void tellsOfEachPodAndOfTheGroupOnce() {
            queue = fixture.listener(new SchedulerListener() {
                        @Override
                        public void podQueued(Pod pod, String in, String event) {
                            pods.add(pod.name() + " " + in + " " + event);
                        }

                        @Override
                        public void entityQueued(String in, String event, String type) {
                            entities.add(type + " " + in + " " + event);
                        }
                    })
                    .queue();
            addGroup(A, B);
            queue.add(POD);
            fail(popGroup(queue), PodGroupOutcome.REJECTED, by("Fit"));
            queue.delete(A);
            fixture.passSeconds(5);
            queue.flushBackoff();

            assertThat(pods)
                    .containsExactly(
                            "a active UnscheduledPodAdd",
                            "b active UnscheduledPodAdd",
                            "pod active UnscheduledPodAdd",
                            "a backoff ScheduleAttemptFailure",
                            "b backoff ScheduleAttemptFailure",
                            "b active BackoffComplete");
            assertThat(entities)
                    .containsExactly(
                            "podgroup active UnscheduledPodAdd",
                            "pod active UnscheduledPodAdd",
                            "podgroup backoff ScheduleAttemptFailure",
                            "podgroup active BackoffComplete");
        }
    }

    @Nested
    class Reports {
        @BeforeEach
        void someEverywhere() {
            queue.add(member("lost", "unknown"));
            queue.putGroup(podGroup("h"));
            queue.add(D);
            popGroup(queue);
            queue.add(member("late", "h"));
            put(In.GATED);
            queue.putGroup(podGroup("i"));
            queue.add(member("e", "i"));
            queue.add(POD);
        }

        @Test
        void countPodsAndGroups() {
            SchedulerGauges gauges = queue.gauges(new SchedulerCache.Counts(0, 0, 0));

            assertThat(gauges.pendingPods())
                    .isEqualTo(Map.of(
                            "active", 2, "backoff", 0, "unschedulable", 0, "gated", 2, "incomplete", 1, "pending", 1));
            assertThat(gauges.queuedPods())
                    .isEqualTo(Map.of("active", 1, "backoff", 0, "unschedulable", 0, "gated", 0));
            assertThat(gauges.queuedPodGroups())
                    .isEqualTo(Map.of("active", 1, "backoff", 0, "unschedulable", 0, "gated", 1));
            assertThat(gauges.unschedulablePods())
                    .isEqualTo(Map.of(new ProfilePlugin(PodSpec.DEFAULT_SCHEDULER, "Gate"), 1));
        }

        @Test
        void showEachPod() {
            List<String> shown = new ArrayList<>();
            for (PendingPod pending : queue.dump().pendingPods()) {
                shown.add(pending.pod().name() + " " + pending.in() + " " + pending.gatedBy());
            }

            assertThat(shown)
                    .containsExactlyInAnyOrder(
                            "e active ",
                            "pod active ",
                            "a gated Gate",
                            "b gated Gate",
                            "lost incomplete ",
                            "late pending ");
        }
    }
}
