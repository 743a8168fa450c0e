// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.objects.tree.DecodedObjects.NODE;
import static org.moorage.objects.tree.DecodedObjects.POD;
import static org.moorage.objects.tree.DecodedObjects.tree;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ContainerImage;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ReplicaSet;
import org.moorage.api.model.ReplicationController;
import org.moorage.api.model.Service;
import org.moorage.api.model.StatefulSet;
import org.moorage.api.model.Taint;
import org.moorage.objects.KeptJson;

/** Objects that are no pods. */
class OtherObjectsDecoderTest {
    private final TreeDecoder decoder = new TreeDecoder();

    @Test
    void readsANode() {
        Node node = decoder.node(tree(NODE), KeptJson.NONE);

        assertThat(node.name()).isEqualTo("n1");
        assertThat(node.labels()).isEqualTo(Map.of("zone", "a"));
        assertThat(node.unschedulable()).isTrue();
        assertThat(node.taints()).containsExactly(new Taint("gpu", "yes", "NoSchedule"));
        assertThat(node.allocatable())
                .isEqualTo(Map.of("cpu", Quantity.of(8), "memory", Quantity.parse("32Gi"), "pods", Quantity.of(110)));
        assertThat(node.capacity()).isEqualTo(Map.of("cpu", Quantity.of(9)));
        assertThat(node.conditions()).isEqualTo(Map.of("Ready", "True"));
        assertThat(node.images()).containsExactly(new ContainerImage(List.of("web:1", "web@sha256:1"), 5_000_000_000L));
        assertThat(node.declaredFeatures()).containsExactly("A", "B");
        assertThat(node.podPreemptionPolicy()).contains(new Node.PodPreemptionPolicy(List.of("*")));
        assertThat(node.isResizePreemptionDisabled()).isTrue();
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
                                "{'spec': {'hostUsers': false, 'initContainers': [{'restartPolicyRules': [{'action': 'RestartAllContainers'}]}], 'ephemeralContainers': [{'volumeMounts': [{}, {'bindMountOptions': ['noexec']}]}]}}"),
                        KeptJson.NONE)
                .spec();

        assertThat(plain.hostUsers()).isTrue();
        assertThat(plain.restartsAllContainers()).isFalse();
        assertThat(plain.hasBindMountOptions()).isFalse();
        assertThat(special.hostUsers()).isFalse();
        assertThat(special.restartsAllContainers()).isTrue();
        assertThat(special.hasBindMountOptions()).isTrue();
    }

    @Test
    void readsTheSeccompProfilesOnTheNode() {
        PodSpec spec = decoder.pod(
                        tree("{'spec': {'securityContext': {'seccompProfile':"
                                + " {'type': 'Localhost', 'localhostProfile': 'pod.json'}}, 'containers': ["
                                + "{'securityContext': {'seccompProfile': {'type': 'RuntimeDefault'}}},"
                                + "{'securityContext': {'seccompProfile':"
                                + " {'type': 'Localhost', 'localhostProfile': 'operator/web.json'}}}, {}]}}"),
                        KeptJson.NONE)
                .spec();

        assertThat(spec.seccompProfiles()).containsExactly("pod.json", "operator/web.json");
    }

    @Test
    void decodesByKind() {
        assertThat(decoder.decode(tree(POD))).isInstanceOf(Pod.class);
        assertThat(decoder.decode(tree(NODE))).isInstanceOf(Node.class);
        assertThat(decoder.decode(tree(
                        "{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'a', 'labels': {'x': 'y'}}}")))
                .isInstanceOfSatisfying(
                        Namespace.class,
                        namespace -> assertThat(namespace.metadata().labels()).isEqualTo(Map.of("x", "y")));
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
        ObjectNode object = tree("{}").put("apiVersion", expected.apiVersion).put("kind", expected.kind);

        assertThat(TreeDecoder.kindOf(object))
                .isEqualTo(ObjectKind.other(expected.apiVersion, expected.kind, expected.plural, expected.namespaced));
    }
}
