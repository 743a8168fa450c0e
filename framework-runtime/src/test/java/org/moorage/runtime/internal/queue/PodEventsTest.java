// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Toleration;

final class PodEventsTest {
    private static final Pod PLAIN = pod(spec -> {});

    private static Pod pod(Consumer<PodSpec.Builder> spec) {
        PodSpec.Builder builder = PodSpec.builder();
        spec.accept(builder);
        return QueueFixture.pod("pod", builder.build());
    }

    private static Pod requesting(Map<String, String> amounts) {
        Map<String, Quantity> overhead = new HashMap<>();
        amounts.forEach((resource, amount) -> overhead.put(resource, Quantity.parse(amount)));
        return pod(spec -> spec.overhead(overhead));
    }

    private static Pod tolerating(int count) {
        List<Toleration> tolerations = Stream.generate(() -> new Toleration("", "Exists", "", ""))
                .limit(count)
                .toList();
        return pod(spec -> spec.tolerations(tolerations));
    }

    private static Pod gated(String... gates) {
        return pod(spec -> spec.schedulingGates(List.of(gates)));
    }

    private static Pod withStatus(Consumer<PodStatus.Builder> status) {
        PodStatus.Builder builder = PodStatus.builder();
        status.accept(builder);
        return PLAIN.withStatus(builder.build());
    }

    record Case(String name, Pod before, Pod after, List<String> labels) {
        Case(String name, Pod before, Pod after, String... labels) {
            this(name, before, after, List.of(labels));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Pod gpus = requesting(Map.of("cpu", "1", "example.com/gpu", "2", "example.com/z", "1"));
        return Stream.of(
                new Case("nothing is an update of every kind", PLAIN, PLAIN, "UnscheduledPodUpdate"),
                new Case(
                        "the scheduler's own condition is an update of every kind",
                        PLAIN,
                        withStatus(status -> status.nominatedNodeName("node")
                                .conditions(List.of(new PodCondition(
                                        PodCondition.POD_SCHEDULED, "False", "Unschedulable", "no", 1)))),
                        "UnscheduledPodUpdate"),
                new Case("a label", PLAIN, QueueFixture.labelled(PLAIN, "x"), "UnscheduledPodUpdatePodLabel"),
                new Case(
                        "less cpu",
                        requesting(Map.of("cpu", "2", "memory", "1Gi")),
                        requesting(Map.of("cpu", "1", "memory", "1Gi")),
                        "UnscheduledPodUpdatePodScaleDown"),
                new Case(
                        "less cpu and more memory",
                        requesting(Map.of("cpu", "2", "memory", "1Gi")),
                        requesting(Map.of("cpu", "1", "memory", "2Gi")),
                        "UnscheduledPodUpdatePodScaleDown",
                        "UnscheduledPodUpdatePodScaleUp"),
                new Case(
                        "less memory",
                        requesting(Map.of("memory", "2Gi")),
                        requesting(Map.of("memory", "1Gi")),
                        "UnscheduledPodUpdatePodScaleDown"),
                new Case(
                        "less ephemeral storage",
                        requesting(Map.of("ephemeral-storage", "2Gi")),
                        PLAIN,
                        "UnscheduledPodUpdatePodScaleDown"),
                new Case(
                        "fewer devices",
                        gpus,
                        requesting(Map.of("cpu", "1", "example.com/gpu", "1", "example.com/z", "1")),
                        "UnscheduledPodUpdatePodScaleDown"),
                new Case(
                        "no more devices",
                        gpus,
                        requesting(Map.of("cpu", "1", "example.com/gpu", "2")),
                        "UnscheduledPodUpdatePodScaleDown"),
                new Case(
                        "further devices",
                        gpus,
                        requesting(
                                Map.of("cpu", "1", "example.com/a", "1", "example.com/gpu", "2", "example.com/z", "1")),
                        "UnscheduledPodUpdatePodScaleUp"),
                new Case(
                        "more cpu",
                        requesting(Map.of("cpu", "1")),
                        requesting(Map.of("cpu", "2")),
                        "UnscheduledPodUpdatePodScaleUp"),
                new Case(
                        "nothing of a resource",
                        PLAIN,
                        requesting(Map.of("cpu", "0")),
                        "UnscheduledPodUpdatePodScaleUp"),
                new Case("one of two gates", gated("a", "b"), gated("b"), "UnscheduledPodUpdate"),
                new Case("the last gate", gated("a"), gated(), "UnscheduledPodUpdatePodSchedulingGatesEliminated"),
                new Case("a new toleration", tolerating(1), tolerating(2), "UnscheduledPodUpdatePodToleration"),
                new Case(
                        "a claim made for it",
                        PLAIN,
                        withStatus(status ->
                                status.resourceClaimStatuses(List.of(new PodStatus.ClaimStatus("entry", "claim")))),
                        "UnscheduledPodUpdatePodGeneratedResourceClaim"),
                new Case(
                        "several at once, in kube-scheduler's order",
                        requesting(Map.of("cpu", "2")),
                        QueueFixture.labelled(tolerating(1), "x"),
                        "UnscheduledPodUpdatePodLabel",
                        "UnscheduledPodUpdatePodScaleDown",
                        "UnscheduledPodUpdatePodToleration"),
                new Case(
                        "less cpu of a pod with a node",
                        requesting(Map.of("cpu", "2")).withNode("node"),
                        requesting(Map.of("cpu", "1")).withNode("node"),
                        "AssignedPodUpdatePodScaleDown"),
                new Case(
                        "nothing of a pod with a node",
                        PLAIN.withNode("node"),
                        PLAIN.withNode("node"),
                        "AssignedPodUpdate"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void distinguishes(Case update) {
        assertThat(PodEvents.of(update.before(), update.after()))
                .extracting(ClusterEvent::label)
                .isEqualTo(update.labels());
    }

    @Test
    void countsWhatTheNodeReportsAsRequested() {
        Map<String, Quantity> one = Map.of("cpu", Quantity.parse("1"));
        Map<String, Quantity> two = Map.of("cpu", Quantity.parse("2"));
        Pod asking = pod(spec -> spec.podRequests(one)).withNode("node");
        Pod holding = asking.withStatus(PodStatus.builder()
                .podResources(new PodStatus.ContainerResources("", Optional.of(one), Optional.of(two)))
                .build());

        assertThat(PodEvents.of(holding, asking))
                .extracting(ClusterEvent::label)
                .containsExactly("AssignedPodUpdatePodScaleDown");
    }

    @Test
    void reportsThePodItselfUnlessItHasANode() {
        assertThat(PodEvents.ofTarget(tolerating(1), tolerating(2)))
                .extracting(ClusterEvent::label)
                .containsExactly("TargetPodUpdatePodToleration");
        assertThat(PodEvents.ofTarget(PLAIN, PLAIN))
                .extracting(ClusterEvent::label)
                .containsExactly("TargetPodUpdate");
        assertThat(PodEvents.ofTarget(PLAIN.withNode("node"), PLAIN.withNode("node")))
                .extracting(ClusterEvent::label)
                .containsExactly("AssignedPodUpdate");
    }

    @Test
    void anUpdateOfNoParticularKindIsOneOfEveryKind() {
        assertThat(PodEvents.of(PLAIN, PLAIN).get(0).actions()).isEqualTo(ActionType.UPDATE);
    }
}
