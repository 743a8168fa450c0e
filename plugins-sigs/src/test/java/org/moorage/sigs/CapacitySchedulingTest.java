// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.builtin.resources.NodeResourcesFit;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class CapacitySchedulingTest {
    private static final String MORE_THAN_MAX = "ElasticQuota a is more than Max";
    private static final String MORE_THAN_MIN = "total ElasticQuota used is more than min";

    /**
     * A pod of namespace a that requests 2 cores.
     *
     * @param rejection why PreFilter rejects it; empty if it does not
     */
    record Case(String name, List<ClusterObject> cluster, String rejection) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a namespace without a quota is not limited", List.of(quota("b", "0", "0")), ""),
            new Case("a namespace may use its minimum", List.of(quota("a", "4", "8"), used("a", 2)), ""),
            new Case(
                    "a namespace may borrow what another one leaves of its minimum",
                    List.of(quota("a", "2", "8"), used("a", 2), quota("b", "4", "8"), used("b", 2)),
                    ""),
            new Case(
                    "a namespace may not use more than its maximum",
                    List.of(quota("a", "2", "4"), used("a", 3), quota("b", "4", "8")),
                    MORE_THAN_MAX),
            new Case(
                    "all namespaces together may not use more than all minimums",
                    List.of(quota("a", "2", "8"), used("a", 2), quota("b", "4", "8"), used("b", 3)),
                    MORE_THAN_MIN),
            new Case(
                    "a resource that a given maximum does not name has the maximum 0",
                    List.of(quota("a", "{\"min\": {\"cpu\": \"4\"}, \"max\": {\"memory\": \"1Gi\"}}")),
                    MORE_THAN_MAX),
            new Case(
                    "a quota without a maximum limits by the minimums alone",
                    List.of(quota("a", "{\"min\": {\"cpu\": \"4\"}}"), used("a", 1)),
                    ""),
            new Case(
                    "a quota without a minimum guarantees nothing",
                    List.of(quota("a", "{\"max\": {\"cpu\": \"4\"}}")),
                    MORE_THAN_MIN),
            new Case(
                    "a nominated pod of the namespace counts if its priority is not lower",
                    List.of(
                            quota("a", "4", "8"),
                            used("a", 1),
                            pod("a", "nominated", 2)
                                    .priority(9)
                                    .nominatedTo("n")
                                    .build()),
                    MORE_THAN_MIN),
            new Case(
                    "a nominated pod of the namespace does not count if its priority is lower",
                    List.of(
                            quota("a", "4", "8"),
                            used("a", 1),
                            pod("a", "nominated", 2)
                                    .priority(-1)
                                    .nominatedTo("n")
                                    .build()),
                    ""));

    @ParameterizedTest
    @FieldSource("CASES")
    void limits(Case each) {
        PodTester tester =
                tester("9").cluster(each.cluster()).pod(pod("a", "p", 2).build());

        if (each.rejection().isEmpty()) {
            tester.accepts("n");
        } else {
            tester.rejectsPod(Status.unschedulable("Pod a/p is rejected in PreFilter because " + each.rejection()));
        }
    }

    @Test
    void reclaimsItsMinimumFromANamespaceThatBorrows() {
        tester("4")
                .cluster(
                        quota("a", "2", "4"),
                        quota("b", "2", "4"),
                        running("b", "old", 2).build(),
                        running("b", "new", 2)
                                .started(Instant.parse("2026-01-02T00:00:00Z"))
                                .build())
                .pod(pod("a", "p", 2).build())
                .preempts("n", "new");
    }

    @Test
    void evictsPodsOfLowerPriorityOfItsOwnNamespaceAboveTheMinimum() {
        tester("4")
                .cluster(
                        quota("a", "2", "8"),
                        quota("b", "4", "8"),
                        running("a", "low", 2).build(),
                        running("b", "other", 2).build())
                .pod(pod("a", "p", 2).priority(1).build())
                .preempts("n", "low");
    }

    @Test
    void doesNotEvictPodsOfANamespaceWithinItsMinimum() {
        tester("2")
                .cluster(
                        quota("a", "2", "4"),
                        quota("b", "2", "4"),
                        running("b", "other", 2).build())
                .pod(pod("a", "p", 2).priority(1).build())
                .doesNotPreempt(Status.unschedulable(
                        "0/1 nodes are available: 1 No victims found on node n for preemptor pod p."));
    }

    @Test
    void countsPodsFromReserveUntilTheyAreGone() {
        Pod first = pod("a", "first", 2).build();
        try (TestScheduler scheduler =
                tester("9").cluster(quota("a", "4", "4"), used("a", 1)).start()) {
            CapacityScheduling plugin = scheduler.plugin(CapacityScheduling.class);
            scheduler.reserve(first, "n");
            assertThat(plugin).asString().contains("used/a=cpu=3000m memory=0");

            scheduler.unreserve(first);
            assertThat(plugin).asString().contains("used/a=cpu=1000m memory=0");
        }
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new CapacityScheduling.Factory(), PluginArgs.None.DEFAULTS, quota("default", "1", "2"));
    }

    private static PluginTester tester(String cpu) {
        return PluginTester.of(new CapacityScheduling.Factory())
                .beside(NodeResourcesFit.FACTORY)
                .cluster(Nodes.named("n").allocatable("cpu", cpu).build());
    }

    private static OtherObject quota(String namespace, String min, String max) {
        return quota(namespace, "{\"min\": {\"cpu\": \"" + min + "\"}, \"max\": {\"cpu\": \"" + max + "\"}}");
    }

    private static OtherObject quota(String namespace, String spec) {
        return new OtherObject(
                CapacityScheduling.ELASTIC_QUOTA,
                ObjectMeta.named("quota").namespace(namespace).build(),
                "{\"spec\": " + spec + "}");
    }

    private static Pod used(String namespace, int cpu) {
        return running(namespace, "used", cpu).build();
    }

    private static Pods running(String namespace, String name, int cpu) {
        return pod(namespace, name, cpu)
                .started(Instant.parse("2026-01-01T00:00:00Z"))
                .status(status -> status.phase("Running"))
                .on("n");
    }

    private static Pods pod(String namespace, String name, int cpu) {
        return Pods.named(name).namespace(namespace).uid(namespace + "-" + name).requests("cpu", String.valueOf(cpu));
    }
}
