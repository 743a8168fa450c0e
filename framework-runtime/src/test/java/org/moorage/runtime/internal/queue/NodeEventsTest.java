// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Taint;

final class NodeEventsTest {
    private static final Node PLAIN = node(node -> {});

    private static Node node(Consumer<Node.Builder> change) {
        Node.Builder builder = Node.of(meta().build());
        change.accept(builder);
        return builder.build();
    }

    private static ObjectMeta.Builder meta() {
        return ObjectMeta.named("node").uid("node");
    }

    private static Node offering(String cpu) {
        return node(node -> node.allocatable(Map.of("cpu", Quantity.parse(cpu))));
    }

    private static Node ready(String status) {
        return node(node -> node.conditions(Map.of("Ready", status)));
    }

    record Case(String name, Node before, Node after, List<String> labels) {
        Case(String name, Node before, Node after, String... labels) {
            this(name, before, after, List.of(labels));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Node closed = node(node -> node.unschedulable(true));
        Node tainted = node(node -> node.taints(List.of(new Taint("key", "", Taint.NO_SCHEDULE))));
        Node closedAndTainted =
                node(node -> node.unschedulable(true).taints(List.of(new Taint("key", "", Taint.NO_SCHEDULE))));
        return Stream.of(
                new Case("nothing", PLAIN, PLAIN),
                new Case(
                        "a newer version",
                        PLAIN,
                        node(node -> node.metadata(meta().resourceVersion("2").build()))),
                new Case(
                        "an image", PLAIN, node(node -> node.images(List.of(new ContainerImage(List.of("image"), 1))))),
                new Case("opened", closed, PLAIN, "NodeUpdateNodeTaint"),
                new Case("closed", PLAIN, closed),
                new Case("opened and untainted", closedAndTainted, PLAIN, "NodeUpdateNodeTaint", "NodeUpdateNodeTaint"),
                new Case("more cpu", offering("1"), offering("2"), "NodeUpdateNodeAllocatable"),
                new Case("the same cpu in other words", offering("1"), offering("1000m")),
                new Case(
                        "a label",
                        PLAIN,
                        node(node ->
                                node.metadata(meta().labels(Map.of("zone", "a")).build())),
                        "NodeUpdateNodeLabel"),
                new Case("a taint", PLAIN, tainted, "NodeUpdateNodeTaint"),
                new Case("a condition", ready("True"), ready("False"), "NodeUpdateNodeCondition"),
                new Case(
                        "an annotation",
                        PLAIN,
                        node(node -> node.metadata(
                                meta().annotations(Map.of("a", "b")).build())),
                        "NodeUpdateNodeAnnotation"),
                new Case(
                        "a feature",
                        PLAIN,
                        node(node -> node.declaredFeatures(List.of("feature"))),
                        "NodeUpdateNodeDeclaredFeature"),
                new Case(
                        "a preemption policy",
                        PLAIN,
                        node(node -> node.podPreemptionPolicy(new Node.PodPreemptionPolicy(List.of()))),
                        "NodeUpdateNodePreemptionPolicy"),
                new Case(
                        "several at once, in kube-scheduler's order",
                        offering("1"),
                        node(node -> node.metadata(
                                        meta().labels(Map.of("zone", "a")).build())
                                .taints(tainted.taints())
                                .conditions(Map.of("Ready", "True"))),
                        "NodeUpdateNodeAllocatable",
                        "NodeUpdateNodeLabel",
                        "NodeUpdateNodeTaint",
                        "NodeUpdateNodeCondition"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void distinguishes(Case update) {
        assertThat(NodeEvents.of(update.before(), update.after()))
                .extracting(ClusterEvent::label)
                .isEqualTo(update.labels());
    }
}
