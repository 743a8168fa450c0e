// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.Problems;
import org.moorage.builtin.resources.NodeResourcesFit;
import org.moorage.sigs.PreemptionToleration.Args;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class PreemptionTolerationTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final String MINIMUM = "preemption-toleration.scheduling.x-k8s.io/minimum-preemptable-priority";
    private static final String SECONDS = "preemption-toleration.scheduling.x-k8s.io/toleration-seconds";
    private static final ObjectKind<OtherObject> PRIORITY_CLASS =
            ObjectKind.other("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false);

    /**
     * A victim of priority 10 and a preemptor.
     *
     * @param minimum the annotation of the victim's class; none if empty
     * @param seconds the annotation of the victim's class; none if empty
     * @param scheduledBefore how long ago the victim was scheduled, in seconds
     */
    record Case(String name, String minimum, String seconds, int scheduledBefore, int preemptor, boolean isPreempted) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("without annotations a pod tolerates nothing", "", "", 1, 11, true),
            new Case("a pod of the minimum priority preempts at any time", "100", "-1", 1, 100, true),
            new Case("a pod below the minimum does not preempt within the time", "100", "60", 59, 99, false),
            new Case("a pod below the minimum preempts once the time is over", "100", "60", 60, 99, true),
            new Case("negative seconds last forever", "100", "-1", 1_000_000, 99, false),
            new Case("without seconds the toleration is over at once", "100", "", 1, 99, true),
            new Case("without a minimum any higher priority preempts", "", "60", 1, 11, true),
            new Case("a minimum that is no number means no toleration", "many", "60", 1, 99, true),
            new Case("a minimum beyond 32 bits means no toleration", "3000000000", "60", 1, 99, true),
            new Case("seconds that are no whole number mean no toleration", "100", "1.5", 1, 99, true));

    @ParameterizedTest
    @FieldSource("CASES")
    void preempts(Case each) {
        Map<String, String> annotations = new HashMap<>(Map.of(MINIMUM, each.minimum(), SECONDS, each.seconds()));
        annotations.values().removeIf(String::isEmpty);
        Pod victim = victim(
                status -> status.conditions(List.of(new PodCondition(PodCondition.POD_SCHEDULED, "True", "", "", 0)))
                        .scheduledAt(NOW.minusSeconds(each.scheduledBefore())));
        try (TestScheduler scheduler =
                tester().cluster(priorityClass(annotations), victim).startAt(NOW)) {
            PodTester pod = scheduler.pod(preemptor(each.preemptor()));

            if (each.isPreempted()) {
                pod.preempts("n", "victim");
            } else {
                pod.doesNotPreempt(Status.unschedulable(
                        "0/1 nodes are available: 1 No victims found on node n for preemptor pod p."));
            }
        }
    }

    @Test
    void sparesPodsThatAreNotScheduledYet() {
        tester().cluster(priorityClass(Map.of(MINIMUM, "100", SECONDS, "0")), victim(status -> {}))
                .pod(preemptor(99))
                .doesNotPreempt(Status.unschedulable(
                        "0/1 nodes are available: 1 No victims found on node n for preemptor pod p."));
    }

    @Test
    void findsNoCandidateIfNoneIsEnough() {
        PluginTester.of(new PreemptionToleration.Factory(), new Args(10, 0))
                .beside(NodeResourcesFit.FACTORY)
                .cluster(
                        Nodes.named("n").allocatable("cpu", "2").build(),
                        Pods.named("other").on("n").requests("cpu", "2").build())
                .pod(preemptor(99))
                .doesNotPreempt(
                        Status.unschedulable("0/1 nodes are available: 1 Preemption is not helpful for scheduling."));
    }

    @Test
    void failsIfTheClassOfAVictimIsMissing() {
        tester().cluster(victim(status -> {}))
                .pod(preemptor(99))
                .fails("priorityclass.scheduling.k8s.io \"batch\" not found");
    }

    @Test
    void reportsInvalidArguments() {
        Problems problems = Problems.collector();
        new Args(101, -1).validate(problems);
        new Args(0, 0).validate(problems);

        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100] (expected: 0 to"
                                + " 100)",
                        "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf) (expected: at least"
                                + " 0)",
                        "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as"
                                + " minCandidateNodesAbsolute (expected: more than 0, or minCandidateNodesAbsolute"
                                + " more than 0)",
                        "minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as"
                                + " minCandidateNodesPercentage (expected: more than 0, or"
                                + " minCandidateNodesPercentage more than 0)");
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new PreemptionToleration.Factory());
    }

    private static PluginTester tester() {
        return PluginTester.of(new PreemptionToleration.Factory())
                .beside(NodeResourcesFit.FACTORY)
                .cluster(Nodes.named("n").allocatable("cpu", "2").build());
    }

    private static OtherObject priorityClass(Map<String, String> annotations) {
        return new OtherObject(
                PRIORITY_CLASS,
                ObjectMeta.named("batch").annotations(annotations).build(),
                "{\"value\": 10}");
    }

    private static Pod victim(Consumer<PodStatus.Builder> status) {
        Pod pod = Pods.named("victim")
                .on("n")
                .priority(10)
                .requests("cpu", "2")
                .status(status)
                .build();
        return pod.withSpec(pod.spec().toBuilder().priorityClassName("batch").build());
    }

    private static Pod preemptor(int priority) {
        return Pods.named("p").priority(priority).requests("cpu", "1").build();
    }
}
