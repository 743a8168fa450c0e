// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.FittingChanges;
import org.moorage.simulation.whatif.KnownCluster;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeLoss;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.RescheduledPods;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests that what-if questions know the gangs of Coscheduling and the quotas of CapacityScheduling. */
class QuestionsTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all())
            .with(List.of(new Coscheduling.Factory(), new CapacityScheduling.Factory()));
    private static final LoadedConfig CONFIG = ConfigLoader.load("""
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - plugins:
            queueSort: {disabled: [{name: PrioritySort}]}
            multiPoint: {enabled: [{name: Coscheduling}, {name: CapacityScheduling}]}
            postFilter: {disabled: [{name: DefaultPreemption}]}
        """, "test", PLUGINS);

    private final List<ClusterObject> objects = new ArrayList<>();

    private void node(String name, int cpu) {
        objects.add(Nodes.named(name)
                .allocatable("cpu", Integer.toString(cpu))
                .allocatable("memory", "64Gi")
                .allocatable("pods", "110")
                .build());
    }

    private void group(String name, int minMember) {
        objects.add(new OtherObject(
                Coscheduling.POD_GROUP,
                ObjectMeta.named(name)
                        .namespace("default")
                        .creationTimestamp(Instant.EPOCH)
                        .build(),
                "{\"spec\": {\"minMember\": " + minMember + "}}"));
    }

    private void quota(String limits) {
        objects.add(new OtherObject(
                CapacityScheduling.ELASTIC_QUOTA,
                ObjectMeta.named("quota").namespace("default").build(),
                "{\"spec\": {\"min\": " + limits + ", \"max\": " + limits + "}}"));
    }

    private static Pods member(String gang, int number) {
        return Pods.named(gang + "-" + number)
                .label(Coscheduling.LABEL, gang)
                .controlledBy("batch/v1", "Job", gang)
                .requests("cpu", "1");
    }

    private static List<Pod> members(String gang, int count) {
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pods.add(member(gang, i).build());
        }
        return pods;
    }

    private KnownCluster known(WhatIf cluster) {
        return new KnownCluster(cluster, objects, CONFIG, Instant.EPOCH);
    }

    private RescheduledPods schedule(List<Pod> pods) {
        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            return known(cluster).rescheduling(transaction).waiting(pods).schedule();
        }
    }

    private static Map<String, Integer> placedByGang(RescheduledPods pods) {
        Map<String, Integer> placed = new TreeMap<>();
        for (RescheduledPods.RescheduledPod pod : pods.pods()) {
            placed.merge(
                    pod.pod().labels().getOrDefault(Coscheduling.LABEL, ""),
                    pod.nodeName().isPresent() ? 1 : 0,
                    Integer::sum);
        }
        return placed;
    }

    @Test
    void gangIsPlacedWholeOrNotAtAll() {
        node("a", 2);
        node("b", 2);
        group("four", 4);
        group("five", 5);

        assertThat(placedByGang(schedule(members("four", 4)))).containsEntry("four", 4);
        RescheduledPods five = schedule(members("five", 5));

        assertThat(placedByGang(five)).containsEntry("five", 0);
        assertThat(five.pods())
                .anyMatch(pod -> pod.message().contains("2 Insufficient cpu")
                        && pod.message().contains("PodGroup default/five gets rejected"));
        assertThat(five.pods()).anyMatch(pod -> pod.message().equals("waits for a permit of Coscheduling"));
    }

    @Test
    void waitingMembersLeaveTheirNodesToOthers() {
        node("a", 4);
        group("five", 5);
        List<Pod> pods = new ArrayList<>(members("five", 5));
        pods.add(Pods.named("alone").requests("cpu", "4").build());

        assertThat(placedByGang(schedule(pods))).containsEntry("five", 0).containsEntry("", 1);
    }

    @Test
    void oneOfTwoGangsWhosePodsAlternateIsPlacedWhole() {
        node("a", 3);
        group("x", 3);
        group("y", 3);
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pods.add(member("x", i).build());
            pods.add(member("y", i).build());
        }

        assertThat(placedByGang(schedule(pods)).values()).containsExactlyInAnyOrder(0, 3);
    }

    @Test
    void missingMembersAreTheReason() {
        node("a", 4);
        group("four", 4);

        assertThat(schedule(members("four", 3)).pods())
                .hasSize(3)
                .allMatch(pod -> pod.message()
                        .contains("cannot find enough sibling pods, current pods number: 3, minMember of group: 4"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void lostMembersReturnOnlyIfTheGangIsComplete(int minMember) {
        node("a", 1);
        node("b", 1);
        node("c", 2);
        group("gang", minMember);
        for (int i = 0; i < 3; i++) {
            objects.add(member("gang", i).on(List.of("a", "b", "c").get(i)).build());
        }

        List<DisruptedPod> lost;
        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS)) {
            lost = NodeLoss.of(known(cluster), List.of("a", "b")).pods();
        }

        // There is room for one of them.
        assertThat(lost)
                .filteredOn(pod -> pod.outcome() == DisruptedPod.Outcome.RESCHEDULED)
                .hasSize(minMember == 2 ? 1 : 0);
        assertThat(lost)
                .filteredOn(pod -> pod.outcome() == DisruptedPod.Outcome.PENDING)
                .hasSize(minMember == 2 ? 1 : 2);
    }

    @Test
    void evictedPodsLeaveRoomInTheirQuota() {
        node("a", 4);
        node("b", 4);
        quota("{\"cpu\": \"2\"}");
        List<Pod> bound = List.of(
                Pods.named("p0").requests("cpu", "1").on("a").build(),
                Pods.named("p1").requests("cpu", "1").on("a").build());
        objects.addAll(bound);
        Pod further = Pods.named("p2").requests("cpu", "1").build();

        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS)) {
            for (int round = 0; round < 2; round++) {
                try (Transaction transaction = cluster.begin()) {
                    assertThat(transaction.place(List.of(further)).pods().get(0).message())
                            .contains("ElasticQuota default is more than Max");
                    try (Transaction inner = transaction.begin()) {
                        assertThat(inner.evict(List.of(bound.get(0)))
                                        .place(List.of(further))
                                        .placed())
                                .isEqualTo(1);
                        assertThat(inner.place(List.of(bound.get(0))).placed()).isZero();
                    }
                    assertThat(transaction.place(List.of(further)).placed()).isZero();
                }
            }
        }
    }

    @Test
    void copiesThatWaitForAPermitDoNotCount() {
        node("a", 4);
        group("small", 3);
        group("large", 6);

        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            Transaction ignored = transaction.with(members("large", 6)).with(members("small", 3));
            HowMany large = transaction.howMany(member("large", 9).build(), 10);
            HowMany small = transaction.howMany(member("small", 9).build(), 10);

            assertThat(large.count()).isZero();
            assertThat(small.count()).isEqualTo(4);
            assertThat(transaction.waitingPods()).isEmpty();
        }
    }

    @Test
    void scaleUpAddsNodesForTheWholeGang() {
        node("full", 1);
        group("gang", 3);
        for (int i = 0; i < 3; i++) {
            objects.add(member("gang", i).requests("cpu", "3").build());
        }
        NodeTemplate five = new NodeTemplate(
                "five",
                "five-",
                Nodes.named("five")
                        .allocatable("cpu", "5")
                        .allocatable("memory", "8Gi")
                        .allocatable("pods", "110")
                        .build(),
                List.of(),
                List.of(),
                List.of());

        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS)) {
            KnownCluster known = known(cluster);
            NodeEstimate estimate = new NodeEstimator(known, -10, count -> {}).estimate(five, known.waitingPods(), 10);

            // Two nodes have the capacity for all requests, and each holds one of the pods.
            assertThat(estimate.nodes()).isEqualTo(3);
        }
    }

    @Test
    void podsAreAlignedWithNumaZonesOfFiles() {
        List<ClusterObject> files = new ClusterDumpReader()
                .read(List.of("-"), new ByteArrayInputStream("""
                    apiVersion: v1
                    kind: Node
                    metadata: {name: a}
                    status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
                    ---
                    apiVersion: topology.node.k8s.io/v1alpha2
                    kind: NodeResourceTopology
                    metadata: {name: a}
                    topologyPolicies: [SingleNUMANodeContainerLevel]
                    zones:
                    - name: node-0
                      type: Node
                      resources:
                      - {name: cpu, capacity: "2", allocatable: "2", available: "2"}
                      - {name: memory, capacity: 8Gi, allocatable: 8Gi, available: 8Gi}
                    - name: node-1
                      type: Node
                      resources:
                      - {name: cpu, capacity: "2", allocatable: "2", available: "2"}
                      - {name: memory, capacity: 8Gi, allocatable: 8Gi, available: 8Gi}
                    """.getBytes(StandardCharsets.UTF_8)))
                .objects();
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).with(List.of(new NodeResourceTopologyMatch.Factory()));
        LoadedConfig config = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{plugins: {multiPoint: {enabled: [{name: NodeResourceTopologyMatch}]}}}]
            """, "test", plugins);

        try (WhatIf cluster = Scheduler.whatIf(files, config, plugins)) {
            Pods pod = Pods.named("p").requests("memory", "1Gi").limits("memory", "1Gi");

            assertThat(cluster.fits(pod.requests("cpu", "2").limits("cpu", "2").build())
                            .feasible())
                    .containsExactly("a");
            assertThat(cluster.fits(pod.requests("cpu", "3").limits("cpu", "3").build())
                            .whyNot("a")
                            .orElseThrow()
                            .status()
                            .message())
                    .isEqualTo("cannot align container");
        }
    }

    private List<String> changes(Pod pod) {
        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            return new FittingChanges(
                            transaction.withPending(List.of(pod)),
                            known(cluster).nodes().values(),
                            transaction.evaluate(pod))
                    .all().stream()
                            .map(change -> change.kind() + " " + String.join(", ", change.details()) + " -> "
                                    + String.join(",", change.nodes()))
                            .toList();
        }
    }

    @Test
    void missingMembersWouldHelp() {
        node("a", 4);
        group("gang", 3);

        assertThat(changes(member("gang", 0).build()))
                .containsExactly(
                        "OBJECTS create 2 more pods of PodGroup default/gang -> a",
                        "OBJECTS lower spec.minMember of PodGroup default/gang to 1 -> a");
        assertThat(changes(member("gang", 0).requests("cpu", "5").build())).isEmpty();
    }

    @Test
    void largerQuotaWouldHelp() {
        node("a", 8);
        quota("{\"cpu\": \"2\", \"example.com/gpu\": \"1\"}");
        objects.add(Pods.named("p0").requests("cpu", "1500m").on("a").build());

        assertThat(changes(Pods.named("p1").requests("cpu", "1").build()))
                .containsExactly("OBJECTS raise spec.max of ElasticQuota default/quota by cpu 500m and spec.min by cpu"
                        + " 500m -> a");
        assertThat(changes(Pods.named("p1").requests("memory", "1Gi").build()))
                .containsExactly("OBJECTS raise spec.max of ElasticQuota default/quota by memory 1Gi and spec.min by"
                        + " memory 1Gi -> a");
        assertThat(changes(Pods.named("p1").requests("cpu", "10").build())).isEmpty();
        assertThat(changes(Pods.named("p1").requests("cpu", "100m").build())).isEmpty();
    }

    @Test
    void closedTransactionsLeaveNoMemberBehind() {
        node("a", 4);
        group("gang", 4);
        List<Pod> pods = members("gang", 4);
        try (WhatIf cluster = Scheduler.whatIf(objects, CONFIG, PLUGINS);
                Transaction transaction = cluster.begin()) {
            Transaction ignored = transaction.with(pods);
            for (int round = 0; round < 3; round++) {
                try (Transaction inner = transaction.begin()) {
                    assertThat(inner.place(pods.subList(0, 3)).placed()).isEqualTo(3);
                    assertThat(inner.waitingPods()).hasSize(3);
                    try (Transaction last = inner.begin()) {
                        assertThat(last.place(pods.subList(3, 4)).placed()).isEqualTo(1);
                        assertThat(last.waitingPods()).isEmpty();
                        assertThat(last.evict(pods.subList(0, 1)).waitingPods()).isEmpty();
                    }
                    assertThat(inner.waitingPods()).hasSize(3);
                    assertThat(inner.evict(pods.subList(0, 1)).waitingPods()).hasSize(2);
                }
                assertThat(transaction.waitingPods()).isEmpty();
            }
        }
    }
}
