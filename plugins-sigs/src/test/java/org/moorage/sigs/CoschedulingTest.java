// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.sigs.Coscheduling.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class CoschedulingTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

    @Nested
    class PreFilter {
        record Case(String name, List<ClusterObject> cluster, String rejection) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("a group that does not exist is no group", List.of(), ""),
                new Case("a group of 1 is complete", List.of(group("g", "{\"minMember\": 1}")), ""),
                new Case(
                        "a group waits for its members to be created",
                        List.of(group("g", "{\"minMember\": 3}"), member("p2").build()),
                        "pre-filter pod p1 cannot find enough sibling pods, current pods number: 2, minMember of"
                                + " group: 3"),
                new Case(
                        "a gated member is none",
                        List.of(
                                group("g", "{\"minMember\": 2}"),
                                member("p2").schedulingGate("example.com/wait").build()),
                        "pre-filter pod p1 cannot proceed due to gated pods in the same PodGroup"),
                new Case(
                        "a gated member beyond the minimum does not matter",
                        List.of(
                                group("g", "{\"minMember\": 1}"),
                                member("p2").schedulingGate("example.com/wait").build()),
                        ""),
                new Case(
                        "members of another namespace do not count",
                        List.of(
                                group("g", "{\"minMember\": 2}"),
                                member("p2").namespace("other").build()),
                        "pre-filter pod p1 cannot find enough sibling pods, current pods number: 1, minMember of"
                                + " group: 2"),
                new Case(
                        "the cluster has the resources of the group",
                        List.of(group("g", "{\"minMember\": 1, \"minResources\": {\"cpu\": \"8\"}}")),
                        ""),
                new Case(
                        "what other pods use is missing",
                        List.of(
                                group("g", "{\"minMember\": 1, \"minResources\": {\"cpu\": \"8\"}}"),
                                Pods.named("other").requests("cpu", "1").on("a").build()),
                        "resource gap: map[cpu:1]"),
                new Case(
                        "what the group's own pods use is not missing",
                        List.of(
                                group("g", "{\"minMember\": 1, \"minResources\": {\"cpu\": \"8\"}}"),
                                member("p2").requests("cpu", "1").on("a").build()),
                        ""));

        @ParameterizedTest
        @FieldSource("CASES")
        void decides(Case each) {
            Pod pod = member("p1").requests("cpu", "1").build();
            PodTester tester =
                    tester(Args.DEFAULTS).cluster(each.cluster()).cluster(pod).pod(pod);

            if (each.rejection().isEmpty()) {
                tester.accepts("a", "b");
            } else {
                tester.rejectsPod(Status.unresolvable(each.rejection()));
            }
        }
    }

    @Nested
    class Permit {
        record Case(String name, Args args, String spec, PermitResult result) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("a complete group is allowed", Args.DEFAULTS, "{\"minMember\": 1}", PermitResult.allow()),
                new Case(
                        "a pod waits for a minute by default",
                        Args.DEFAULTS,
                        "{\"minMember\": 2}",
                        PermitResult.waitAtMost(Duration.ofSeconds(60))),
                new Case(
                        "the arguments set the time",
                        new Args(10, 0, 10),
                        "{\"minMember\": 2}",
                        PermitResult.waitAtMost(Duration.ofSeconds(10))),
                new Case(
                        "the group sets the time",
                        new Args(10, 0, 10),
                        "{\"minMember\": 2, \"scheduleTimeoutSeconds\": 5}",
                        PermitResult.waitAtMost(Duration.ofSeconds(5))),
                new Case(
                        "a time of 0 in the group is that of the arguments",
                        new Args(10, 0, 10),
                        "{\"minMember\": 2, \"scheduleTimeoutSeconds\": 0}",
                        PermitResult.waitAtMost(Duration.ofSeconds(10))));

        @ParameterizedTest
        @FieldSource("CASES")
        void decides(Case each) {
            tester(each.args())
                    .cluster(group("g", each.spec()), member("p2").build())
                    .pod(member("p1").build())
                    .permits("a", each.result());
        }
    }

    @Test
    void bindsTheGroupWhenItsLastMemberHasANode() {
        Pod first = member("p1").build();
        Pod second = member("p2").build();
        try (TestScheduler scheduler = tester(Args.DEFAULTS)
                .cluster(group("g", "{\"minMember\": 2}"), first, second)
                .startAt(NOW)) {
            scheduler.schedule(first);
            assertThat(scheduler.nodeOf(first)).isEmpty();
            assertThat(scheduler.waitingPods()).hasSize(1);

            scheduler.schedule(second);
            assertThat(scheduler.nodeOf(first)).isPresent();
            assertThat(scheduler.nodeOf(second)).isPresent();
        }
    }

    @Test
    void endsTheWaitAfterTheTimeout() {
        Pod first = member("p1").build();
        try (TestScheduler scheduler = tester(new Args(10, 0, 10))
                .cluster(group("g", "{\"minMember\": 2}"), first, member("p2").build())
                .startAt(NOW)) {
            scheduler.schedule(first);
            scheduler.advance(Duration.ofSeconds(9));
            assertThat(scheduler.waitingPods()).hasSize(1);

            scheduler.advance(Duration.ofSeconds(1));
            assertThat(scheduler.waitingPods()).isEmpty();
            assertThat(scheduler.nodeOf(first)).isEmpty();
        }
    }

    record Order(String name, QueuedPod first, QueuedPod second) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Order> ORDERS = List.of(
            new Order("a higher priority first", Queued.at(2, member("p1").priority(1)), Queued.at(1, member("p2"))),
            new Order(
                    "groups by when they were created",
                    Queued.at(9, Pods.named("p1").label(Coscheduling.LABEL, "old")),
                    Queued.at(1, Pods.named("p2").label(Coscheduling.LABEL, "new"))),
            new Order("pods of one group by name", Queued.at(2, member("p1")), Queued.at(1, member("p2"))),
            new Order(
                    "other pods by when they were queued",
                    Queued.at(1, Pods.named("p2")),
                    Queued.at(2, Pods.named("p1"))));

    @ParameterizedTest
    @FieldSource("ORDERS")
    void orders(Order each) {
        try (TestScheduler scheduler = tester(Args.DEFAULTS)
                .cluster(group("g", "{}"), group("old", "{}", 1), group("new", "{}", 2))
                .start()) {
            Coscheduling sort = scheduler.plugin(Coscheduling.class);

            assertThat(sort.less(each.first(), each.second())).isTrue();
            assertThat(sort.less(each.second(), each.first())).isFalse();
        }
    }

    @Test
    void reportsInvalidArguments() {
        Problems problems = Problems.collector();
        new Args(-1, -1, 101).validate(problems);

        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "permitWaitingTimeSeconds: -1 (expected: 0 or more)",
                        "podGroupBackoffSeconds: -1 (expected: 0 or more)",
                        "podGroupRejectPercentage: 101 (expected: 0 to 100)");
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new Coscheduling.Factory(), Args.DEFAULTS, group("g", "{\"minMember\": 2}"));
    }

    private static PluginTester tester(Args args) {
        return PluginTester.of(new Coscheduling.Factory(), args)
                .cluster(
                        Nodes.named("a").allocatable("cpu", "4").build(),
                        Nodes.named("b").allocatable("cpu", "4").build());
    }

    private static OtherObject group(String name, String spec) {
        return group(name, spec, 1);
    }

    private static OtherObject group(String name, String spec, int createdAt) {
        return new OtherObject(
                Coscheduling.POD_GROUP,
                ObjectMeta.named(name)
                        .namespace("default")
                        .creationTimestamp(Instant.ofEpochSecond(createdAt))
                        .build(),
                "{\"spec\": " + spec + "}");
    }

    private static Pods member(String name) {
        return Pods.named(name).uid(name).label(Coscheduling.LABEL, "g");
    }
}
