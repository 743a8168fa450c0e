// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Container;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TopologySpreadConstraint;

class ObjectDecoderTest {
    private static final String POD = """
            {
              "apiVersion": "v1",
              "kind": "Pod",
              "metadata": {
                "name": "web-0",
                "namespace": "shop",
                "uid": "0b5c7d4e-3f3a-4a1e-9d55-2f6f0c6f5a11",
                "resourceVersion": "4711",
                "generation": 3,
                "creationTimestamp": "2026-11-21T09:30:00Z",
                "deletionTimestamp": "2026-11-21T10:00:00+01:00",
                "labels": {"app": "web"},
                "annotations": {
                  "team": "shop",
                  "kubectl.kubernetes.io/last-applied-configuration": "{}"
                },
                "ownerReferences": [
                  {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u1", "controller": true}
                ],
                "managedFields": [{"manager": "kubectl"}]
              },
              "spec": {
                "containers": [
                  {
                    "name": "web",
                    "image": "web:1",
                    "ports": [
                      {"containerPort": 80},
                      {"containerPort": 443, "hostPort": 8443},
                      {"containerPort": 53, "hostPort": 53, "hostIP": "10.0.0.1", "protocol": "UDP"}
                    ],
                    "resources": {"requests": {"cpu": "100m", "memory": 1024}, "limits": {"cpu": "1"}}
                  }
                ],
                "initContainers": [{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}],
                "overhead": {"cpu": "10m"},
                "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}},
                "nodeSelector": {"disk": "ssd"},
                "affinity": {
                  "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                      "nodeSelectorTerms": [
                        {
                          "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                          "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
                        }
                      ]
                    },
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                      {"weight": 7, "preference": {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}}
                    ]
                  },
                  "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                      {
                        "labelSelector": {"matchLabels": {"app": "db"}},
                        "namespaces": ["data"],
                        "namespaceSelector": {},
                        "topologyKey": "zone"
                      }
                    ]
                  },
                  "podAntiAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                      {
                        "weight": 9,
                        "podAffinityTerm": {
                          "labelSelector": {
                            "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]
                          },
                          "topologyKey": "kubernetes.io/hostname"
                        }
                      }
                    ]
                  }
                },
                "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}],
                "topologySpreadConstraints": [
                  {
                    "maxSkew": 2,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                    "minDomains": 3,
                    "nodeAffinityPolicy": "Honor",
                    "nodeTaintsPolicy": "Ignore",
                    "matchLabelKeys": ["pod-template-hash"]
                  }
                ],
                "priority": 1000,
                "preemptionPolicy": "Never",
                "schedulerName": "moorage",
                "schedulingGates": [{"name": "quota"}],
                "hostNetwork": true,
                "nodeName": "n1",
                "volumes": [{"name": "data", "emptyDir": {}}, {"name": "model", "image": {"reference": "model:7"}}],
                "resourceClaims": [
                  {"name": "gpu", "resourceClaimName": "shared"},
                  {"name": "nic", "resourceClaimTemplateName": "nic-template"}
                ]
              },
              "status": {
                "phase": "Running",
                "nominatedNodeName": "n2",
                "startTime": "2026-11-21T09:31:00Z",
                "conditions": [
                  {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "0/1 nodes are available",
                    "observedGeneration": 3,
                    "lastTransitionTime": "2026-11-21T09:31:00Z"
                  }
                ],
                "containerStatuses": [
                  {
                    "name": "web",
                    "resources": {"requests": {"cpu": "200m"}},
                    "allocatedResources": {"cpu": "150m"}
                  },
                  {"name": "second", "allocatedResources": {"cpu": "150m"}}
                ],
                "initContainerStatuses": [{"name": "proxy", "resources": {}}],
                "resources": {"requests": {"cpu": "4"}},
                "allocatedResources": {"cpu": "5"},
                "resourceClaimStatuses": [{"name": "nic", "resourceClaimName": "web-0-nic-abcde"}, {"name": "none"}]
              }
            }
            """;

    private static final String NODE = """
            {
              "apiVersion": "v1",
              "kind": "Node",
              "metadata": {"name": "n1", "labels": {"zone": "a"}},
              "spec": {
                "unschedulable": true,
                "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule", "timeAdded": "2026-11-21T09:31:00Z"}]
              },
              "status": {
                "capacity": {"cpu": "9"},
                "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-21T09:31:00Z"}],
                "images": [{"names": ["web:1", "web@sha256:1"], "sizeBytes": 5000000000}],
                "declaredFeatures": ["A", "B"]
              }
            }
            """;

    private final ObjectDecoder decoder = new ObjectDecoder();

    @Nested
    class OfAPod {
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

        @Test
        void leavesOutWhatKubectlNotesForItself() {
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
                    .hostNetwork(true)
                    .resourceClaims(List.of(
                            new PodSpec.ResourceClaim("gpu", "shared", ""),
                            new PodSpec.ResourceClaim("nic", "", "nic-template")))
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
                                                    List.of(new LabelSelector.Requirement(
                                                            "app", "NotIn", List.of("x"))))),
                                            List.of(),
                                            Optional.empty(),
                                            "kubernetes.io/hostname"))))));
        }

        @Test
        void readsTheStatusAndCountsOnlyContainersThatReportResources() {
            PodStatus expected = PodStatus.builder()
                    .phase("Running")
                    .nominatedNodeName("n2")
                    .startTime(Instant.parse("2026-11-21T09:31:00Z"))
                    .conditions(List.of(
                            new PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available", 3)))
                    .containerResources(List.of(
                            new PodStatus.ContainerResources(
                                    "web",
                                    Map.of("cpu", Quantity.parse("200m")),
                                    Map.of("cpu", Quantity.parse("150m"))),
                            new PodStatus.ContainerResources("proxy", Map.of(), Map.of())))
                    .podResources(new PodStatus.ContainerResources(
                            "", Map.of("cpu", Quantity.of(4)), Map.of("cpu", Quantity.of(5))))
                    .resourceClaimStatuses(List.of(
                            new PodStatus.ClaimStatus("nic", "web-0-nic-abcde"), new PodStatus.ClaimStatus("none", "")))
                    .build();

            assertThat(pod.status()).isEqualTo(expected);
        }

        @Test
        void countsWhatTheNodeReservedForThePodOnlyBesideItsResources() {
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
            assertThat(decoder.node(tree(NODE), Set.of(KeptJson.BOUND_PODS)).json())
                    .isEmpty();
            assertThat(node.has("kind") || node.has("apiVersion")).isFalse();
            assertThat(node.path("status")).isEqualTo(tree(NODE).path("status"));
        }

        @Test
        void keepsTheTextOnlyOfAWaitingPodAndOnlyIfAsked() {
            ObjectNode waiting = tree(POD);
            ((ObjectNode) waiting.get("spec")).remove("nodeName");

            assertThat(decoder.pod(waiting, KeptJson.NONE).json()).isEmpty();
            assertThat(decoder.pod(tree(POD), Set.of(KeptJson.PENDING_PODS)).json())
                    .isEmpty();
            JsonNode kept = tree(
                    decoder.pod(waiting, Set.of(KeptJson.PENDING_PODS)).json().orElseThrow());

            assertThat(kept.at("/spec/tolerations/0/tolerationSeconds").intValue())
                    .isEqualTo(5);
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
        void tellsAnEmptyPodAffinityFromNone() {
            Pod pod = decoder.pod(tree("{'spec': {'affinity': {'podAntiAffinity': {}}}}"), KeptJson.NONE);

            assertThat(pod.spec().affinity())
                    .isEqualTo(new Affinity(NodeAffinity.NONE, Optional.empty(), Optional.of(PodAffinity.NONE)));
        }
    }

    @Nested
    class OfOtherObjects {
        @Test
        void readsANode() {
            Node node = decoder.node(tree(NODE), KeptJson.NONE);

            assertThat(node.name()).isEqualTo("n1");
            assertThat(node.labels()).isEqualTo(Map.of("zone", "a"));
            assertThat(node.unschedulable()).isTrue();
            assertThat(node.taints()).containsExactly(new Taint("gpu", "yes", "NoSchedule"));
            assertThat(node.allocatable())
                    .isEqualTo(
                            Map.of("cpu", Quantity.of(8), "memory", Quantity.parse("32Gi"), "pods", Quantity.of(110)));
            assertThat(node.conditions()).isEqualTo(Map.of("Ready", "True"));
            assertThat(node.images())
                    .containsExactly(new ContainerImage(List.of("web:1", "web@sha256:1"), 5_000_000_000L));
            assertThat(node.declaredFeatures()).containsExactly("A", "B");
        }

        @Test
        void readsADisruptionBudget() {
            String budget = "{'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget',"
                    + " 'metadata': {'name': 'web', 'namespace': 'shop'},"
                    + " 'spec': {'selector': {'matchLabels': {'app': 'web'}}},"
                    + " 'status': {'disruptionsAllowed': 2, 'disruptedPods': {'a': '2026-11-21T09:30:00Z'}}}";

            assertThat(decoder.decode(tree(budget)))
                    .isEqualTo(new PodDisruptionBudget(
                            ObjectMeta.named("web").namespace("shop").build(),
                            Optional.of(new LabelSelector(Map.of("app", "web"), List.of())),
                            2,
                            Set.of("a")));
        }

        @Test
        void readsADisruptionBudgetThatSaysNothing() {
            String budget = "{'apiVersion': 'policy/v1', 'kind': 'PodDisruptionBudget', 'metadata': {'name': 'web'}}";

            assertThat(decoder.decode(tree(budget)))
                    .isEqualTo(new PodDisruptionBudget(ObjectMeta.named("web").build(), Optional.empty(), 0, Set.of()));
        }

        @Test
        void readsWhatPodsUseOfTheirKubelet() {
            PodSpec plain = decoder.pod(
                            tree("{'spec': {'containers': [{'restartPolicyRules': [{'action': 'Restart'}]}]}}"),
                            KeptJson.NONE)
                    .spec();
            PodSpec special = decoder.pod(
                            tree(
                                    "{'spec': {'hostUsers': false, 'initContainers': [{'restartPolicyRules': [{'action': 'RestartAllContainers'}]}]}}"),
                            KeptJson.NONE)
                    .spec();

            assertThat(plain.hostUsers()).isTrue();
            assertThat(plain.restartsAllContainers()).isFalse();
            assertThat(special.hostUsers()).isFalse();
            assertThat(special.restartsAllContainers()).isTrue();
        }

        @Test
        void decodesByKind() {
            assertThat(decoder.decode(tree(POD))).isInstanceOf(Pod.class);
            assertThat(decoder.decode(tree(NODE))).isInstanceOf(Node.class);
            assertThat(
                            decoder.decode(
                                    tree(
                                            "{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'a', 'labels': {'x': 'y'}}}")))
                    .isInstanceOfSatisfying(
                            Namespace.class,
                            namespace ->
                                    assertThat(namespace.metadata().labels()).isEqualTo(Map.of("x", "y")));
        }

        record Owner(String object, ClusterObject expected) {
            @Override
            public String toString() {
                return expected.getClass().getSimpleName();
            }
        }

        static final List<Owner> OWNERS = List.of(
                new Owner(
                        "{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'a', 'namespace': 'b'},"
                                + " 'spec': {'selector': {'app': 'web'}, 'ports': [{'port': 80}]}}",
                        new Service(meta(), Map.of("app", "web"))),
                new Owner(
                        "{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'a', 'namespace': 'b'}}",
                        new Service(meta(), Map.of())),
                new Owner(
                        "{'apiVersion': 'v1', 'kind': 'ReplicationController', 'metadata': {'name': 'a',"
                                + " 'namespace': 'b'}, 'spec': {'selector': {'app': 'web'}}}",
                        new ReplicationController(meta(), Map.of("app", "web"))),
                new Owner(
                        "{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'metadata': {'name': 'a', 'namespace': 'b'},"
                                + " 'spec': {'selector': {'matchLabels': {'app': 'web'}}}}",
                        new ReplicaSet(meta(), Optional.of(new LabelSelector(Map.of("app", "web"), List.of())))),
                new Owner(
                        "{'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'metadata': {'name': 'a', 'namespace': 'b'},"
                                + " 'spec': {}}",
                        new StatefulSet(meta(), Optional.empty())));

        private static ObjectMeta meta() {
            return ObjectMeta.named("a").namespace("b").build();
        }

        @ParameterizedTest
        @FieldSource("OWNERS")
        void readsWhatSelectsPods(Owner owner) {
            assertThat(decoder.decode(tree(owner.object))).isEqualTo(owner.expected);
        }

        @Test
        void keepsTheWholeTextOfAKindWithoutAType() {
            String map = "{'apiVersion': 'v1', 'kind': 'ConfigMap',"
                    + " 'metadata': {'name': 'data', 'namespace': 'shop'}, 'data': {'key': 'value'}}";

            OtherObject object = (OtherObject) decoder.decode(tree(map));

            assertThat(object.key()).isEqualTo("shop/data");
            assertThat(object.kind()).isEqualTo(ObjectKind.other("v1", "ConfigMap", "configmaps", true));
            assertThat(tree(object.json())).isEqualTo(tree(map));
        }

        record Kind(String name, String apiVersion, String kind, String plural, boolean namespaced) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Kind> KINDS = List.of(
                new Kind("a regular plural", "apps/v1", "Deployment", "deployments", true),
                new Kind("a plural in -ies", "networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", true),
                new Kind("a vowel before the y", "gateway.networking.k8s.io/v1", "Gateway", "gateways", true),
                new Kind("a plural in -es", "networking.k8s.io/v1", "IngressClass", "ingressclasses", false),
                new Kind("a plural from the start", "v1", "Endpoints", "endpoints", true),
                new Kind("a kind without namespaces", "networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", false),
                new Kind("a custom kind that is called like one of those", "example.com/v1", "Node", "nodes", true));

        @ParameterizedTest
        @FieldSource("KINDS")
        void guessesPluralAndScope(Kind expected) {
            ObjectNode object =
                    tree("{}").put("apiVersion", expected.apiVersion).put("kind", expected.kind);

            assertThat(ObjectDecoder.kindOf(object))
                    .isEqualTo(
                            ObjectKind.other(expected.apiVersion, expected.kind, expected.plural, expected.namespaced));
        }
    }

    @Nested
    class IsLenient {
        @Test
        void passesOverUnknownFieldsInEveryPlace() {
            ObjectNode pod = tree(POD);
            ObjectNode node = tree(NODE);

            int places = invent(pod) + invent(node);

            assertThat(places).isGreaterThan(40);
            Pod decoded = decoder.pod(pod, KeptJson.NONE);
            Pod plain = decoder.pod(tree(POD), KeptJson.NONE);
            assertThat(decoded.spec()).isEqualTo(plain.spec());
            assertThat(decoded.status()).isEqualTo(plain.status());
            assertThat(decoded.metadata()).isEqualTo(plain.metadata());
            assertThat(decoder.node(node, KeptJson.NONE).allocatable())
                    .isEqualTo(decoder.node(tree(NODE), KeptJson.NONE).allocatable());
        }

        // Maps have no fields: there, every key is known.
        private static final List<String> MAPS = List.of(
                "labels",
                "annotations",
                "requests",
                "limits",
                "overhead",
                "nodeSelector",
                "matchLabels",
                "allocatable",
                "capacity",
                "allocatedResources");

        private static int invent(ObjectNode object) {
            int places = 1;
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                for (JsonNode inner : field.getValue().isArray() ? field.getValue() : List.of(field.getValue())) {
                    if (inner instanceof ObjectNode tree && !MAPS.contains(field.getKey())) {
                        places += invent(tree);
                    }
                }
            }
            object.putObject("inventedObject").put("x", 1);
            object.putArray("inventedList").add(2);
            object.put("inventedText", "y");
            return places;
        }
    }

    @Nested
    class Refuses {
        record Case(String name, String object, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a quantity that is none",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'namespace': 'default'},"
                                + " 'spec': {'containers': [{'resources': {'requests': {'cpu': 'abc'}}}]}}",
                        "Pod default/web: spec.containers[0].resources.requests.cpu: \"abc\" (expected: a quantity)"),
                new Case(
                        "a truth value as a quantity",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'status': {'allocatable': {'cpu': true}}}",
                        "Node n: status.allocatable.cpu: true (expected: a quantity)"),
                new Case(
                        "a text for an object",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': 'x'}",
                        "Pod web: spec: \"x\" (expected: an object)"),
                new Case(
                        "an object for a list",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'tolerations': {'key': 'x'}}}",
                        "Pod web: spec.tolerations: {\"key\":\"x\"} (expected: a list)"),
                new Case(
                        "a null in a list of objects",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'containers': [{}, null]}}",
                        "Pod web: spec.containers[1]: null (expected: an object)"),
                new Case(
                        "a number in a list of texts",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'status': {'images': [{'names': ['a', 1]}]}}",
                        "Node n: status.images[0].names[1]: 1 (expected: a text)"),
                new Case(
                        "a number as a label",
                        "{'kind': 'Node', 'metadata': {'name': 'n', 'labels': {'a/b': 1}}}",
                        "Node n: metadata.labels.a/b: 1 (expected: a text)"),
                new Case(
                        "a text for a truth value",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'spec': {'unschedulable': 'yes'}}",
                        "Node n: spec.unschedulable: \"yes\" (expected: true or false)"),
                new Case(
                        "a number that is not whole",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'priority': 1.5}}",
                        "Pod web: spec.priority: 1.5 (expected: a whole number of at most 32 bits)"),
                new Case(
                        "a number that is too large",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'priority': 3000000000}}",
                        "Pod web: spec.priority: 3000000000 (expected: a whole number of at most 32 bits)"),
                new Case(
                        "a time that is none",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'creationTimestamp': 'today'}}",
                        "Pod web: metadata.creationTimestamp: \"today\" (expected: a time such as 2026-11-21T09:30:00Z)"));

        @ParameterizedTest
        @FieldSource("CASES")
        void namesThePlace(Case wrong) {
            ObjectNode object = tree(wrong.object).put("apiVersion", "v1");

            assertThatThrownBy(() -> decoder.decode(object))
                    .isInstanceOf(ObjectDecodeException.class)
                    .hasMessage(wrong.message);
        }

        @Test
        void anObjectThatDoesNotSayItsKind() {
            assertThatThrownBy(() -> decoder.decode(tree("{'apiVersion': 'v1', 'metadata': {'name': 'a'}}")))
                    .isInstanceOf(ObjectDecodeException.class)
                    .hasMessageContaining("kind: nothing (expected: such as Pod)");
        }
    }

    @Nested
    class Shares {
        @Test
        void oneSpecificationAmongThePodsOfATemplate() {
            ObjectNode other = tree(POD);
            ((ObjectNode) other.get("metadata")).put("name", "web-1");
            ((ObjectNode) other.get("spec")).put("nodeName", "n2");

            Pod first = decoder.pod(tree(POD), KeptJson.NONE);
            Pod second = decoder.pod(other, KeptJson.NONE);

            assertThat(second.spec()).isSameAs(first.spec());
            assertThat(second.nodeName()).isEqualTo("n2");
            assertThat(second.labels()).isSameAs(first.labels());
            assertThat(second.namespace()).isSameAs(first.namespace());
            assertThat(second.metadata().ownerReferences())
                    .isSameAs(first.metadata().ownerReferences());
            assertThat(second.status().conditions()).isSameAs(first.status().conditions());
        }

        @Test
        void partsOfSpecificationsThatDiffer() {
            ObjectNode other = tree(POD);
            ((ObjectNode) other.get("spec")).put("priority", 1);

            Pod first = decoder.pod(tree(POD), KeptJson.NONE);
            Pod second = decoder.pod(other, KeptJson.NONE);

            assertThat(second.spec()).isNotEqualTo(first.spec());
            assertThat(second.spec().containers()).isSameAs(first.spec().containers());
            assertThat(second.spec().affinity()).isSameAs(first.spec().affinity());
        }

        @Test
        void imagesAmongNodes() {
            assertThat(decoder.node(tree(NODE), KeptJson.NONE).images())
                    .isSameAs(decoder.node(tree(NODE), KeptJson.NONE).images());
        }
    }

    @Nested
    class ReadsQuantitiesAsKubernetesDoes {
        // The figures are those of k8s.io/apimachinery's resource.ParseQuantity, Value and MilliValue.
        record Case(String text, long value, long milliValue) {}

        static final List<Case> CASES = List.of(
                new Case("1", 1, 1000),
                new Case("0", 0, 0),
                new Case("00", 0, 0),
                new Case("100m", 1, 100),
                new Case("1500m", 2, 1500),
                new Case("0.5", 1, 500),
                new Case(".5", 1, 500),
                new Case("5.", 5, 5000),
                new Case("+5", 5, 5000),
                new Case("1.5Gi", 1610612736L, 1610612736000L),
                new Case("3.3Gi", 3543348020L, 3543348019200L),
                new Case("1Ki", 1024, 1024000),
                new Case("0.1Ki", 103, 102400),
                new Case("123Mi", 128974848L, 128974848000L),
                new Case("100Ti", 109951162777600L, 109951162777600000L),
                new Case("129M", 129000000L, 129000000000L),
                new Case("129e6", 129000000L, 129000000000L),
                new Case("1E3", 1000, 1000000),
                new Case("12e+2", 1200, 1200000),
                new Case("1.5e3", 1500, 1500000),
                new Case("1e-3", 1, 1),
                new Case("1e-10", 1, 1),
                new Case("1P", 1000000000000000L, 1000000000000000000L),
                new Case("0.1n", 1, 1),
                new Case("999u", 1, 1),
                new Case("1.1m", 1, 2),
                new Case("1.0000000001", 2, 1001),
                new Case("2.0000000009Ki", 2049, 2048001),
                new Case("-1.5", -2, -1500),
                new Case("-100m", -1, -100),
                new Case("-.5", -1, -500));

        static final List<String> NONE =
                List.of("", "abc", "1 Gi", "1kk", "1K", "1ki", "1Gib", "0x10", "1_000", "1e", "1e2e", "--1", "1.2.3");

        @ParameterizedTest
        @FieldSource("CASES")
        void amount(Case expected) {
            Quantity quantity = cpu(expected.text);

            assertThat(quantity.value()).isEqualTo(expected.value);
            assertThat(quantity.milliValue()).isEqualTo(expected.milliValue);
        }

        @ParameterizedTest
        @FieldSource("NONE")
        void notAnAmount(String text) {
            assertThatThrownBy(() -> cpu(text)).isInstanceOf(ObjectDecodeException.class);
        }

        private Quantity cpu(String text) {
            ObjectNode pod = tree("{'spec': {'overhead': {}}}");
            ((ObjectNode) pod.at("/spec/overhead")).put("cpu", text);
            return decoder.pod(pod, KeptJson.NONE).spec().overhead().get("cpu");
        }
    }

    private static ObjectNode withNulls(String json) {
        ObjectNode object = tree(json);
        for (String part : List.of("metadata", "spec", "status")) {
            ObjectNode fields = (ObjectNode) object.get(part);
            fields.properties().forEach(field -> field.setValue(fields.nullNode()));
        }
        ((ObjectNode) object.get("metadata")).put("name", "a");
        return object;
    }

    private static ObjectNode tree(String json) {
        try {
            return (ObjectNode) JsonMapper.builder()
                    .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
                    .build()
                    .readTree(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
