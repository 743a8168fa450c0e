// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.LogLine;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** The plugins of the pages on plugins in docs/extend. */
class GuideTest {
    // region constants
    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    private static final Node N1 = Nodes.named("n1").build();
    private static final Node N2 = Nodes.named("n2").build();
    // endregion

    @Nested
    class TheTeamBudget {
        // region budget
        private final TeamBudget.Args args = new TeamBudget.Args("team", TeamBudget.WithoutBudget.REJECT_POD);
        private final Pod red = Pods.named("p").label("team", "red").build();
        private final Pod other = Pods.named("q").label("team", "red").on("n1").build();

        private OtherObject budget(String team, int maxPods) {
            return new OtherObject(
                    TeamBudget.BUDGET,
                    ObjectMeta.named(team).namespace("default").build(),
                    "{\"spec\": {\"maxPods\": " + maxPods + "}}");
        }
        // endregion

        @Test
        void keepsTheContract() {
            PluginContract.verify(TeamBudget.FACTORY, args, budget("red", 2));
        }

        @Test
        void countsThePodsOfTheTeam() {
            PluginTester tester = PluginTester.of(TeamBudget.FACTORY, args).cluster(N1, other);
            tester.cluster(budget("red", 2)).pod(red).skipsFilter();
            tester.cluster(budget("red", 1)).pod(red).rejectsPod(TeamBudget.SPENT);
            tester.pod(red).rejectsPod(TeamBudget.NO_BUDGET);
        }

        @Test
        void hasAPodTriedAgainWhenItsOwnBudgetChanges() {
            PluginTester.of(TeamBudget.FACTORY, args)
                    .cluster(N1, other)
                    .pod(red)
                    .hint(ObjectChange.updated(budget("red", 1), budget("red", 2)), Hint.QUEUE)
                    .hint(ObjectChange.added(budget("blue", 2)), Hint.SKIP)
                    .hint(ObjectChange.deleted(other), Hint.QUEUE);
        }

        // region queueing
        @Test
        void bindsThePendingPodOnceTheBudgetIsRaised() {
            PluginTester tester = PluginTester.of(TeamBudget.FACTORY, args).cluster(N1, other, budget("red", 1), red);
            try (TestScheduler scheduler = tester.startAt(NOON)) {
                scheduler.scheduleAll();
                assertThat(scheduler.nodeOf(red)).isEmpty();

                scheduler.cluster().apply(budget("blue", 9)); // another team's budget: no pod is retried
                scheduler.advance(Duration.ofSeconds(20));
                assertThat(scheduler.scheduleAll()).isEmpty();

                scheduler.cluster().apply(budget("red", 2));
                scheduler.advance(Duration.ofSeconds(20)); // past the backoff
                scheduler.scheduleAll();
                assertThat(scheduler.nodeOf(red)).contains("n1");
            }
        }
        // endregion
    }

    @Nested
    class TheGang {
        // region gang-members
        private final PluginTester tester = PluginTester.of(Gang.FACTORY, new Gang.Args(3, Duration.ofMinutes(2)))
                .cluster(N1, N2);
        private final Pod first = member("first");
        private final Pod second = member("second");
        private final Pod third = member("third");

        private Pod member(String name) {
            return Pods.named(name).label(Gang.LABEL, "g").build();
        }
        // endregion

        @Test
        void keepsTheContract() {
            PluginContract.verify(Gang.FACTORY);
        }

        // region gang
        @Test
        void bindsItsPodsTogether() {
            try (TestScheduler scheduler = tester.cluster(first, second).startAt(NOON)) {
                scheduler.scheduleAll();
                assertThat(scheduler.waitingPods()).hasSize(2);

                scheduler.cluster().apply(third);
                scheduler.scheduleAll();
                assertThat(List.of(first, second, third))
                        .allMatch(pod -> scheduler.nodeOf(pod).isPresent());
            }
        }

        @Test
        void rejectsItsPodsAfterTheTimeout() {
            try (TestScheduler scheduler = tester.cluster(first, second).startAt(NOON)) {
                scheduler.scheduleAll();

                scheduler.advance(Duration.ofMinutes(2));
                assertThat(scheduler.waitingPods()).isEmpty();
                assertThat(scheduler.nodeOf(first)).isEmpty();

                scheduler.cluster().apply(third); // its Permit activates the others
                scheduler.scheduleAll();
                assertThat(scheduler.nodeOf(first)).isPresent();
            }
        }
        // endregion

        // region one-after-the-other
        @Test
        void needsAllOfItsPodsAtOneTime() {
            try (TestScheduler scheduler = tester.start()) {
                scheduler.reserve(first, "n1"); // Reserve, then the pod waits in Permit
                scheduler.reserve(second, "n2");
                scheduler.unreserve(first); // or scheduler.bind(first)
                scheduler.pod(third).permits("n1", PermitResult.waitAtMost(Duration.ofMinutes(2)));
            }
        }
        // endregion

        @Test
        void leavesOtherPodsAlone() {
            Pod alone = Pods.named("alone").build();
            try (TestScheduler scheduler = tester.cluster(alone).startAt(NOON)) {
                assertThat(scheduler.scheduleAll())
                        .extracting(Decision::outcome)
                        .containsExactly(Decision.Outcome.SCHEDULED);
                assertThat(scheduler.nodeOf(alone)).isPresent();
            }
        }
    }

    @Nested
    class TheCheapNodes {
        private final Pod pod = Pods.named("p").build();

        // region stale
        @Test
        void skipsScoreOnceThePricesAreStale() {
            AtomicReference<Map<String, Long>> prices = new AtomicReference<>(Map.of("n1", 50L, "n2", 100L));
            CheapNodes.PriceList list = () -> {
                Map<String, Long> current = prices.get();
                if (current.isEmpty()) {
                    throw new IllegalStateException("no response");
                }
                return current;
            };
            PluginTester tester = PluginTester.of(CheapNodes.factory(list)).cluster(N1, N2);
            try (TestScheduler scheduler = tester.startAt(NOON)) {
                scheduler.pod(pod).scores("n1", 50).scores("n2", 0);

                prices.set(Map.of());
                scheduler.advance(Duration.ofSeconds(30));
                scheduler.pod(pod).scores("n1", 50); // still fresh
                scheduler.advance(Duration.ofSeconds(60));
                scheduler.pod(pod).skipsScore();

                assertThat(scheduler.logged())
                        .filteredOn(line -> line.level() == PluginLogger.Level.WARN)
                        .extracting(LogLine::message)
                        .containsOnly("Prices cannot be read");
            }
        }
        // endregion

        @Test
        void readsPricesAnew() {
            AtomicReference<Map<String, Long>> prices = new AtomicReference<>(Map.of("n1", 50L, "n2", 100L));
            PluginTester tester =
                    PluginTester.of(CheapNodes.factory(prices::get)).cluster(N1, N2);
            try (TestScheduler scheduler = tester.startAt(NOON)) {
                prices.set(Map.of("n1", 100L, "n2", 25L));
                scheduler.pod(pod).scores("n2", 0);
                scheduler.advance(Duration.ofSeconds(15));
                scheduler.pod(pod).scores("n1", 0).scores("n2", 75);
            }
        }

        @Test
        void keepsTheContract() {
            PluginContract.verify(CheapNodes.factory(() -> Map.of("plain", 3L)));
        }
    }

    @Test
    void movesTheClockOnlyOfASchedulerThatHasOne() {
        try (TestScheduler scheduler = PluginTester.of(Gang.FACTORY).start()) {
            assertThatIllegalStateException().isThrownBy(() -> scheduler.advance(Duration.ofSeconds(1)));
        }
    }
}
