// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.ImageState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.NodeDraft;

class ClusterSketchTest {
    private static final Pod WEB = Pods.named("web")
            .label("app", "web")
            .requests("cpu", "500m")
            .hostPort(80)
            .apartFrom("zone", "app", "web")
            .on("n1")
            .build();
    private static final Pod IDLE = Pods.named("idle").on("n1").build();

    private final ClusterSketch cluster = ClusterSketch.of(
                    Nodes.named("n1")
                            .allocatable("cpu", "4")
                            .image(100, "a:1", "b:1")
                            .build(),
                    Nodes.named("n2").image(200, "a:1").build())
            .with(WEB, IDLE);
    private final NodeInfo first = cluster.nodeInfo("n1");

    @Test
    void numbersNodesInTheOrderGiven() {
        assertThat(cluster.nodes()).extracting(NodeInfo::name).containsExactly("n1", "n2");
        assertThat(cluster.nodes()).extracting(NodeInfo::index).containsExactly(0, 1);
        assertThat(cluster.node("n3")).isEmpty();
    }

    @Test
    void addsUpWhatPodsRequest() {
        assertThat(first.podCount()).isEqualTo(2);
        assertThat(first.allocatable(ResourceName.CPU)).isEqualTo(4000);
        assertThat(first.requested(ResourceName.CPU)).isEqualTo(500);
        assertThat(first.nonZeroRequested(ResourceName.CPU)).isEqualTo(600);
        assertThat(first.nonZeroRequested(ResourceName.MEMORY)).isEqualTo(2 * (200L << 20));
        assertThat(first.allowedPods()).isEqualTo(110);
    }

    @Test
    void knowsPorts() {
        assertThat(first.conflicts(new HostPort("127.0.0.1", "TCP", 80))).isTrue();
        assertThat(cluster.nodeInfo("n2").conflicts(new HostPort("", "", 80))).isFalse();
    }

    @Test
    void countsTheNodesThatHoldAnImage() {
        assertThat(first.image("a:1")).isEqualTo(new ImageState(100, 2));
        assertThat(first.image("b:1")).isEqualTo(new ImageState(100, 1));
        assertThat(cluster.nodeInfo("n2").image("b:1")).isEqualTo(ImageState.ABSENT);
    }

    @Test
    void listsNodesOfPodsWithAffinity() {
        assertThat(cluster.nodesWithAffinityPods()).containsExactly(first);
        assertThat(cluster.nodesWithRequiredAntiAffinityPods()).containsExactly(first);
        assertThat(first.podsWithRequiredAntiAffinity()).containsExactly(WEB);
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> cluster.with(Pods.named("p").on("n9").build()))
                .hasMessage("pod \"default/p\": on node \"n9\" (expected: one of the sketch's nodes)");
        assertThatThrownBy(() -> ClusterSketch.of(
                        Nodes.named("n").build(), Nodes.named("n").build()))
                .hasMessage("node \"n\": twice (expected: unique names)");
    }

    @Nested
    class Draft {
        private final NodeDraft draft = TestHandle.of(cluster).draft(new CycleState(), IDLE, first);

        @Test
        void changesOnlyItself() {
            draft.remove(WEB);
            draft.add(Pods.named("new").requests("cpu", "1").build());
            assertThat(draft.node().requested(ResourceName.CPU)).isEqualTo(1000);
            assertThat(draft.node().index()).isZero();
            assertThat(first.requested(ResourceName.CPU)).isEqualTo(500);
        }

        @Test
        void refusesToRemoveAPodThatIsNotThere() {
            assertThatThrownBy(() -> draft.remove(Pods.named("new").build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("default/new");
        }
    }
}
