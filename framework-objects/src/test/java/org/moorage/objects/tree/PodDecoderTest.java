// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.objects.tree.DecodedObjects.NODE;
import static org.moorage.objects.tree.DecodedObjects.POD;
import static org.moorage.objects.tree.DecodedObjects.tree;
import static org.moorage.objects.tree.DecodedObjects.withNulls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Container;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.QosClass;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.model.Volume;
import org.moorage.objects.KeptJson;

class PodDecoderTest {
    private final TreeDecoder decoder = new TreeDecoder();

    private final Pod pod = decoder.pod(tree(POD), KeptJson.NONE);

    @Test
    void readsTheMetadata() {
        assertThat(pod.key()).isEqualTo("shop/web-0");
        assertThat(pod.uid()).isEqualTo("0b5c7d4e-3f3a-4a1e-9d55-2f6f0c6f5a11");
        assertThat(pod.metadata().resourceVersion()).isEqualTo("4711");
        assertThat(pod.metadata().generation()).isEqualTo(3);
        assertThat(pod.metadata().creationTimestamp()).contains(Instant.parse("2026-11-21T09:30:00Z"));
        assertThat(pod.metadata().deletionTimestamp()).contains(Instant.parse("2026-11-21T09:00:00Z"));
        assertThat(pod.labels()).isEqualTo(Map.of("app", "web"));
        assertThat(pod.metadata().ownerReferences())
                .containsExactly(new OwnerReference("apps/v1", "ReplicaSet", "web", "u1", true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            'deletionTimestamp': '2026-11-21T09:00:00Z', 'deletionGracePeriodSeconds': 0                               | true
            'deletionTimestamp': '2026-11-21T09:00:00Z', 'deletionGracePeriodSeconds': 30                              | false
            'deletionTimestamp': '2026-11-21T09:00:00Z'                                                                | false
            'deletionTimestamp': '2026-11-21T09:00:00Z', 'deletionGracePeriodSeconds': 0, 'finalizers': ['example/f']  | false
            'name': 'web-0'                                                                                            | false
            """, quoteCharacter = '`')
    void knowsWhetherThePodIsDeletedImmediately(String metadata, boolean atOnce) {
        assertThat(decoder.pod(tree("{'kind': 'Pod', 'metadata': {" + metadata + "}}"), KeptJson.NONE)
                        .metadata()
                        .isDeletedAtOnce())
                .isEqualTo(atOnce);
    }

    @Test
    void omitsKubectlsOwnAnnotation() {
        assertThat(pod.metadata().annotations()).isEqualTo(Map.of("team", "shop"));
    }

    @Test
    void readsTheSpecification() {
        PodSpec expected = PodSpec.builder()
                .containers(List.of(new Container(
                        "web",
                        "web:1",
                        Map.of("cpu", Quantity.parse("100m"), "memory", Quantity.of(1024)),
                        Map.of("cpu", Quantity.of(1)),
                        List.of(new HostPort("0.0.0.0", "TCP", 8443), new HostPort("10.0.0.1", "UDP", 53)),
                        "")))
                .initContainers(List.of(new Container("proxy", "proxy:1", Map.of(), Map.of(), List.of(), "Always")))
                .overhead(Map.of("cpu", Quantity.parse("10m")))
                .podRequests(Map.of("cpu", Quantity.of(2)))
                .podLimits(Map.of("cpu", Quantity.of(3)))
                .nodeSelector(Map.of("disk", "ssd"))
                .affinity(affinity())
                .tolerations(List.of(new Toleration("gpu", "Exists", "", "NoSchedule")))
                .topologySpreadConstraints(List.of(new TopologySpreadConstraint(
                        2,
                        "zone",
                        "DoNotSchedule",
                        Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                        OptionalInt.of(3),
                        "Honor",
                        "Ignore",
                        List.of("pod-template-hash"))))
                .priority(1000)
                .preemptionPolicy("Never")
                .schedulerName("moorage")
                .schedulingGates(List.of("quota"))
                .podGroupName("shop")
                .hostNetwork(true)
                .resourceClaims(List.of(
                        new PodSpec.ResourceClaim("gpu", "shared", ""),
                        new PodSpec.ResourceClaim("nic", "", "nic-template")))
                .volumes(List.of(new Volume("data", new Volume.EmptyDir(""))))
                .imageVolumes(List.of("model:7"))
                .build();

        assertThat(pod.spec()).isEqualTo(expected);
        assertThat(pod.nodeName()).isEqualTo("n1");
    }

    private static Affinity affinity() {
        NodeSelector.Term term = new NodeSelector.Term(
                List.of(new NodeSelector.Requirement("zone", "In", List.of("a", "b"))),
                List.of(new NodeSelector.Requirement("metadata.name", "In", List.of("n1"))));
        NodeSelector.Term wish =
                new NodeSelector.Term(List.of(new NodeSelector.Requirement("gpu", "Exists", List.of())), List.of());
        return new Affinity(
                new NodeAffinity(
                        Optional.of(new NodeSelector(List.of(term))), List.of(new NodeAffinity.Preferred(7, wish))),
                Optional.of(new PodAffinity(
                        List.of(new PodAffinityTerm(
                                Optional.of(new LabelSelector(Map.of("app", "db"), List.of())),
                                List.of("data"),
                                Optional.of(new LabelSelector(Map.of(), List.of())),
                                "zone")),
                        List.of())),
                Optional.of(new PodAffinity(
                        List.of(),
                        List.of(new PodAffinityTerm.Weighted(
                                9,
                                new PodAffinityTerm(
                                        Optional.of(new LabelSelector(
                                                Map.of(),
                                                List.of(new LabelSelector.Requirement("app", "NotIn", List.of("x"))))),
                                        List.of(),
                                        Optional.empty(),
                                        "kubernetes.io/hostname"))))));
    }

    @Test
    void readsTheStatusAndCountsOnlyContainersThatReportResources() {
        PodStatus expected = PodStatus.builder()
                .phase("Running")
                .nominatedNodeName("n2")
                .qosClass(QosClass.BURSTABLE)
                .hostIp("10.0.0.1")
                .startTime(Instant.parse("2026-11-21T09:31:00Z"))
                .conditions(List.of(
                        new PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available", 3)))
                .containerResources(List.of(
                        new PodStatus.ContainerResources(
                                "web",
                                Optional.of(Map.of("cpu", Quantity.parse("200m"))),
                                Optional.of(Map.of("cpu", Quantity.parse("150m")))),
                        new PodStatus.ContainerResources(
                                "second", Optional.empty(), Optional.of(Map.of("cpu", Quantity.parse("150m"))))))
                .podResources(new PodStatus.ContainerResources(
                        "", Optional.of(Map.of("cpu", Quantity.of(4))), Optional.of(Map.of("cpu", Quantity.of(5)))))
                .resourceClaimStatuses(List.of(
                        new PodStatus.ClaimStatus("nic", "web-0-nic-abcde"), new PodStatus.ClaimStatus("none", "")))
                .build();

        assertThat(pod.status()).isEqualTo(expected);
    }

    @Test
    void countsTheNodesReservationOnlyTogetherWithResources() {
        Pod reserved = decoder.pod(tree("{'status': {'allocatedResources': {'cpu': '1'}}}"), KeptJson.NONE);

        assertThat(reserved.status().podResources()).isEmpty();
    }

    @Test
    void keepsTheTextOfBoundPodsAndNodesIfAsked() {
        Set<KeptJson> all = Set.of(KeptJson.BOUND_PODS, KeptJson.NODES);
        JsonNode node = tree(decoder.node(tree(NODE), all).json().orElseThrow());

        assertThat(tree(decoder.pod(tree(POD), all).json().orElseThrow())
                        .at("/metadata/name")
                        .textValue())
                .isEqualTo("web-0");
        assertThat(decoder.node(tree(NODE), Set.of(KeptJson.BOUND_PODS)).json()).isEmpty();
        assertThat(node.has("kind") || node.has("apiVersion")).isFalse();
        assertThat(node.path("status")).isEqualTo(tree(NODE).path("status"));
    }

    @Test
    void keepsTheTextOnlyOfAWaitingPodAndOnlyIfAsked() {
        ObjectNode waiting = tree(POD);
        ((ObjectNode) waiting.get("spec")).remove("nodeName");

        assertThat(decoder.pod(waiting, KeptJson.NONE).json()).isEmpty();
        assertThat(decoder.pod(tree(POD), Set.of(KeptJson.PENDING_PODS)).json()).isEmpty();
        JsonNode kept =
                tree(decoder.pod(waiting, Set.of(KeptJson.PENDING_PODS)).json().orElseThrow());

        assertThat(kept.at("/spec/tolerations/0/tolerationSeconds").intValue()).isEqualTo(5);
        assertThat(kept.at("/metadata/name").textValue()).isEqualTo("web-0");
        assertThat(kept.at("/metadata").has("managedFields")).isFalse();
        assertThat(waiting.at("/metadata").has("managedFields"))
                .as("the tree that was given is left alone")
                .isTrue();
    }

    @Test
    void takesWhatIsAbsentOrNullForEmpty() {
        Pod absent = decoder.pod(tree("{'kind': 'Pod', 'metadata': {'name': 'a'}}"), KeptJson.NONE);
        Pod nulls = decoder.pod(withNulls(POD), KeptJson.NONE);

        assertThat(absent.spec()).isEqualTo(PodSpec.builder().build());
        assertThat(absent.status()).isEqualTo(PodStatus.NONE);
        assertThat(nulls.spec()).isEqualTo(PodSpec.builder().build());
        assertThat(nulls.status()).isEqualTo(PodStatus.NONE);
        assertThat(nulls.metadata()).isEqualTo(absent.metadata());
    }

    @Test
    void distinguishesAnEmptyPodAffinityFromNone() {
        Pod pod = decoder.pod(tree("{'spec': {'affinity': {'podAntiAffinity': {}}}}"), KeptJson.NONE);

        assertThat(pod.spec().affinity())
                .isEqualTo(new Affinity(NodeAffinity.NONE, Optional.empty(), Optional.of(PodAffinity.NONE)));
    }

    @Test
    void readsTheStatesOfContainersThatDoNotSimplyRun() {
        PodStatus status = decoder.pod(tree("""
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": "Running",
              "initContainerStatuses": [{"name": "init", "state": {"terminated": {"exitCode": 0}}}],
              "containerStatuses": [
                {"name": "first run", "state": {"running": {"startedAt": "2026-11-21T09:30:00Z"}}, "lastState": {}},
                {"name": "unknown"},
                {"name": "waiting", "state": {"waiting": {"reason": "ContainerCreating"}}},
                {"name": "ended", "state": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T09:31:00Z"}}},
                {"name": "ended again", "state": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T09:33:00Z"}},
                 "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T09:31:00Z"}}},
                {"name": "started again", "state": {"running": {}},
                 "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-11-21T09:31:00Z"}}}]}}
            """), KeptJson.NONE).status();
        Optional<Instant> end = Optional.of(Instant.parse("2026-11-21T09:31:00Z"));
        assertThat(status.containerStates())
                .containsExactly(
                        new PodStatus.ContainerState(
                                "waiting", PodStatus.ContainerPhase.WAITING, Optional.empty(), Optional.empty()),
                        new PodStatus.ContainerState(
                                "ended", PodStatus.ContainerPhase.TERMINATED, end, Optional.empty()),
                        new PodStatus.ContainerState(
                                "ended again",
                                PodStatus.ContainerPhase.TERMINATED,
                                Optional.of(Instant.parse("2026-11-21T09:33:00Z")),
                                end),
                        new PodStatus.ContainerState(
                                "started again", PodStatus.ContainerPhase.RUNNING, Optional.empty(), end));
    }
}
