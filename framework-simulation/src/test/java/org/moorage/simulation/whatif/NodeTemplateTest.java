// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.CsiStorageCapacity;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Taint;

class NodeTemplateTest {
    private static final Taint DEDICATED = new Taint("dedicated", "batch", "NoSchedule");
    private static final Node OLD = Node.of(ObjectMeta.named("old")
                    .uid("1")
                    .labels(Map.of(
                            "kubernetes.io/hostname", "old", "topology.kubernetes.io/zone", "east", "disk", "ssd"))
                    .annotations(Map.of("csi.volume.kubernetes.io/nodeid", "old"))
                    .build())
            .unschedulable(true)
            .taints(List.of(
                    new Taint("node.kubernetes.io/not-ready", "", "NoExecute"),
                    new Taint("ToBeDeletedByClusterAutoscaler", "", "NoSchedule"),
                    DEDICATED))
            .conditions(Map.of("Ready", "Unknown"))
            .json("""
                    {"metadata": {"name": "old", "uid": "1", "annotations": {"a": "b"}}, "spec": {"providerID": "cloud:1", "unschedulable": true,
                     "taints": [{"key": "node.kubernetes.io/not-ready"}, {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]}}
                    """)
            .build();

    private static NodeTemplate type(List<Pod> daemonPods, String... zones) {
        return new NodeTemplate("m5.large", "m5.large-new-", OLD, List.of(), daemonPods, List.of(zones));
    }

    @Test
    void makesReadyNodesWithTheirOwnNames() {
        Node made = type(List.of()).newNode(3);

        assertThat(made.name()).isEqualTo("m5.large-new-3");
        assertThat(made.metadata().uid()).isNotEmpty().isNotEqualTo("1");
        assertThat(made.metadata().annotations()).isEmpty();
        assertThat(made.labels())
                .isEqualTo(Map.of(
                        "kubernetes.io/hostname",
                        "m5.large-new-3",
                        "topology.kubernetes.io/zone",
                        "east",
                        "disk",
                        "ssd"));
        assertThat(made.unschedulable()).isFalse();
        assertThat(made.taints()).containsExactly(DEDICATED);
        assertThat(made.conditions()).isEqualTo(Map.of("Ready", "True"));
        assertThat(made.json().orElse(""))
                .contains("\"name\":\"m5.large-new-3\"", "\"dedicated\"")
                .doesNotContain("cloud:1", "not-ready", "unschedulable", "annotations");
    }

    @Test
    void spreadsNodesAmongZones() {
        NodeTemplate type = type(List.of(), "a", "b");

        assertThat(type.newNodes(3))
                .extracting(object -> ((Node) object).labels().get("topology.kubernetes.io/zone"))
                .containsExactly("a", "b", "a");
    }

    @Test
    void putsThePodsOfDaemonSetsOnEachNode() {
        Pod agent = Pod.of(
                ObjectMeta.named("agent").namespace("system").build(),
                PodSpec.builder().build());

        List<ClusterObject> made = List.copyOf(type(List.of(agent)).newNodes(2));

        assertThat(made)
                .extracting(ClusterObject::name)
                .containsExactly("m5.large-new-1", "agent-m5.large-new-1", "m5.large-new-2", "agent-m5.large-new-2");
        assertThat(((Pod) made.get(3)).nodeName()).isEqualTo("m5.large-new-2");
        assertThat(((Pod) made.get(1)).uid()).isNotEqualTo(((Pod) made.get(3)).uid());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "node.kubernetes.io/not-ready",
                "node.kubernetes.io/unreachable",
                "node.kubernetes.io/unschedulable",
                "node.kubernetes.io/memory-pressure",
                "node.kubernetes.io/disk-pressure",
                "node.kubernetes.io/network-unavailable",
                "node.kubernetes.io/pid-pressure",
                "node.kubernetes.io/out-of-service",
                "node.cloudprovider.kubernetes.io/uninitialized",
                "node.cloudprovider.kubernetes.io/shutdown",
                "cloud.google.com/impending-node-termination",
                "NodeWithImpairedVolumes",
                "ToBeDeletedByClusterAutoscaler",
                "DeletionCandidateOfClusterAutoscaler",
                "ignore-taint.cluster-autoscaler.kubernetes.io/a",
                "startup-taint.cluster-autoscaler.kubernetes.io/a",
                "status-taint.cluster-autoscaler.kubernetes.io/a"
            })
    void dropsTaintsThatClusterAutoscalerDrops(String key) {
        assertThat(withTaint(key)).containsExactly(DEDICATED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"node.kubernetes.io/windows", "CriticalAddonsOnly", "cluster-autoscaler.kubernetes.io/a", "x"})
    void keepsOtherTaints(String key) {
        assertThat(withTaint(key)).extracting(Taint::key).containsExactly(key, "dedicated");
    }

    private static List<Taint> withTaint(String key) {
        Node node = OLD.toBuilder()
                .taints(List.of(new Taint(key, "", "NoSchedule"), DEDICATED))
                .build();
        return new NodeTemplate("t", "t-new-", node, List.of(), List.of(), List.of())
                .newNode(1)
                .taints();
    }

    private static Node labelled(String name, Map<String, String> labels) {
        return Node.of(ObjectMeta.named(name).labels(labels).build()).build();
    }

    private static CsiNode drivers(String... topologyKeys) {
        return new CsiNode(
                ObjectMeta.named("old").build(),
                List.of(new CsiNode.Driver("d", List.of(topologyKeys), OptionalInt.empty())));
    }

    @Test
    void changesTopologyLabelsWithTheNameAndTheZone() {
        Node node = labelled(
                "old",
                Map.of(
                        "kubernetes.io/hostname", "old.example.com",
                        "topology.kubernetes.io/zone", "east",
                        "topology.d/node", "old",
                        "topology.d/host", "old.example.com",
                        "topology.d/zone", "east",
                        "pool", "old",
                        "direction", "east"));
        NodeTemplate type = new NodeTemplate(
                "t", "n-", node, List.of(drivers("topology.d/node", "topology.d/host")), List.of(), List.of("west"));

        assertThat(type.newNode(1).labels())
                .isEqualTo(Map.of(
                        "kubernetes.io/hostname", "n-1",
                        "topology.kubernetes.io/zone", "west",
                        "topology.d/node", "n-1",
                        "topology.d/host", "n-1",
                        "topology.d/zone", "west",
                        "pool", "old",
                        "direction", "east"));
    }

    private static CsiStorageCapacity capacity(String name, String storageClass, LabelSelector topology) {
        return new CsiStorageCapacity(
                ObjectMeta.named(name).namespace("kube-system").build(),
                storageClass,
                Optional.empty(),
                Optional.empty(),
                Optional.of(topology));
    }

    private static LabelSelector label(String key, String value) {
        return new LabelSelector(Map.of(key, value), List.of());
    }

    private static List<String> capacities(NodeTemplate type, int nodes) {
        return type.newNodes(nodes).stream()
                .filter(CsiStorageCapacity.class::isInstance)
                .map(CsiStorageCapacity.class::cast)
                .map(made -> made.name() + " " + made.nodeTopology().orElseThrow())
                .toList();
    }

    @Test
    void copiesTheStorageCapacityThatOnlyTheNodeHas() {
        Node node = labelled("old", Map.of("kubernetes.io/hostname", "old", "zone", "z"));
        LabelSelector zone = label("zone", "z");
        LabelSelector in = new LabelSelector(
                Map.of(), List.of(new LabelSelector.Requirement("kubernetes.io/hostname", "In", List.of("old", "b"))));
        NodeTemplate type = new NodeTemplate(
                "t",
                "n-",
                node,
                List.of(
                        capacity("local", "local", label("kubernetes.io/hostname", "old")),
                        capacity("other", "local", label("kubernetes.io/hostname", "b")),
                        capacity("listed", "listed", in),
                        capacity("shared", "shared", zone)),
                List.of(),
                List.of());

        assertThat(capacities(type, 2))
                .containsExactly(
                        "local-n-1 " + label("kubernetes.io/hostname", "n-1"),
                        "listed-n-1 "
                                + new LabelSelector(
                                        Map.of(),
                                        List.of(new LabelSelector.Requirement(
                                                "kubernetes.io/hostname", "In", List.of("n-1")))),
                        "local-n-2 " + label("kubernetes.io/hostname", "n-2"),
                        "listed-n-2 "
                                + new LabelSelector(
                                        Map.of(),
                                        List.of(new LabelSelector.Requirement(
                                                "kubernetes.io/hostname", "In", List.of("n-2")))));
    }

    @Test
    void copiesTheStorageCapacityOfAZoneOnceForAZoneWithout() {
        String zone = "topology.kubernetes.io/zone";
        Node node = labelled("old", Map.of("kubernetes.io/hostname", "old", zone, "a"));
        NodeTemplate type = new NodeTemplate(
                "t",
                "n-",
                node,
                List.of(capacity("a", "dyn", label(zone, "a")), capacity("b", "dyn", label(zone, "b"))),
                List.of(),
                List.of("a", "b", "c"));

        assertThat(capacities(type, 6)).containsExactly("a-n-3 " + label(zone, "c"));
    }
}
