// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ClusterObject;
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
    void makesNodesThatAreReadyAndHaveNamesOfTheirOwn() {
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
}
