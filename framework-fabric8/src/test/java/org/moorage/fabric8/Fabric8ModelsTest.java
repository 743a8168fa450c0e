// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.decode.ObjectDecoder;

class Fabric8ModelsTest {
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7",
                          "creationTimestamp": "2026-11-21T09:30:00Z", "labels": {"app": "web"}},
             "spec": {"containers": [{"name": "main", "image": "web:1",
                                      "resources": {"requests": {"cpu": "500m", "memory": "1.5Gi"}},
                                      "ports": [{"containerPort": 80, "hostPort": 8080}],
                                      "livenessProbe": {"httpGet": {"port": "http"}}}],
                      "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                      "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
                          "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}],
                      "volumes": [{"name": "tmp", "emptyDir": {}}],
                      "priority": 10, "schedulerName": "moorage"},
             "status": {"phase": "Pending", "startTime": "2026-11-21T09:30:01.5Z"}}""";

    private final Fabric8Models models = new Fabric8Models(new KubernetesSerialization());

    @Test
    void readsTheSameInAModelAsInItsText() {
        assertThat(models.pod(models.model(POD, Pod.class)))
                .usingRecursiveComparison()
                .isEqualTo(new ObjectDecoder().decode(POD));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "500m",
                "1.5Gi",
                "1Ei",
                "0.1n",
                "1e3",
                "1E3",
                "12E",
                "-3",
                "100n",
                "123456789012345678",
                "0.5",
                "9223372036854775807",
                "1e-3"
            })
    void readsQuantitiesToTheLastDigit(String quantity) {
        String node = """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
                 "status": {"allocatable": {"memory": "%s"}}}""".formatted(quantity);

        assertThat(models.node(models.model(node, Node.class)))
                .usingRecursiveComparison()
                .isEqualTo(new ObjectDecoder().decode(node));
    }

    @Test
    void keepsAFieldThatTheModelDoesNotKnow() {
        String newer = POD.replace("\"priority\": 10", "\"priority\": 10, \"inventedLater\": {\"a\": [1]}");

        Map<String, ?> fields = models.fields(models.model(newer, Pod.class));

        assertThat(((Map<?, ?>) fields.get("spec")).get("inventedLater")).hasToString("{a=[1]}");
    }

    @Test
    void givesTheModelOfAPodThatCarriesItsText() {
        org.moorage.api.model.Pod pod = models.pod(models.model(POD, Pod.class));

        assertThat(models.model(pod)).isEmpty();
        assertThat(models.model(pod.withJson(POD))).contains(models.model(POD, Pod.class));
    }

    @Test
    void readsGenericResources() {
        GenericKubernetesResource ship = new GenericKubernetesResource();
        ship.setApiVersion("example.com/v1");
        ship.setKind("Ship");
        ship.setMetadata(new ObjectMetaBuilder().withName("s").build());
        ship.setAdditionalProperty("spec", Map.of("masts", 3));

        OtherObject read = (OtherObject) models.object(ship);

        assertThat(read.json()).contains("\"masts\":3");
        assertThat(read.kind()).isEqualTo(ObjectKind.other("example.com/v1", "Ship", "ships", true));
    }

    @Test
    void refusesWhatIsNoQuantity() {
        Pod pod = new PodBuilder(models.model(POD, Pod.class))
                .editSpec()
                .addToOverhead("cpu", new io.fabric8.kubernetes.api.model.Quantity("much"))
                .endSpec()
                .build();

        assertThatThrownBy(() -> models.pod(pod)).isInstanceOf(ObjectDecodeException.class);
    }
}
