// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetSpec;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.decode.ObjectDecoder;

class ClientJavaModelsTest {
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

    private final ClientJavaModels models = new ClientJavaModels();

    @Test
    void readsTheSameInAModelAsInItsText() {
        assertThat(models.pod(models.model(POD, V1Pod.class)))
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
                "1e-3",
                ".5",
                "5."
            })
    void readsQuantitiesToTheLastDigit(String quantity) {
        String node = """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
                 "status": {"allocatable": {"memory": "%s"}}}""".formatted(quantity);

        assertThat(models.node(models.model(node, V1Node.class)))
                .usingRecursiveComparison()
                .isEqualTo(new ObjectDecoder().decode(node));
    }

    @Test
    void refusesWhatIsNoQuantity() {
        String node = "{\"status\": {\"allocatable\": {\"memory\": \"much\"}}}";

        assertThatThrownBy(() -> models.model(node, V1Node.class))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageContaining("much");
    }

    /** With one such field client-java's own codec refuses the pod, and its informer lists for ever. */
    @Test
    void omitsAFieldThatTheModelDoesNotKnow() {
        String newer = POD.replace("\"priority\": 10", "\"priority\": 10, \"inventedLater\": {\"a\": [1]}");

        assertThatThrownBy(() -> JSON.getGson().fromJson(newer, V1Pod.class)).hasMessageContaining("inventedLater");
        assertThat(models.model(newer, V1Pod.class)).isEqualTo(models.model(POD, V1Pod.class));
    }

    @Test
    void takesNullForAListThatIsEmpty() {
        String list = "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"metadata\": {}, \"items\": null}";

        assertThatThrownBy(() -> JSON.getGson().fromJson(list, V1PodList.class)).isInstanceOf(RuntimeException.class);
        assertThat(models.model(list, V1PodList.class).getItems()).isEmpty();
    }

    /** The API server takes {@code overhead: {}} for an overhead without its runtime class. */
    @Test
    void writesNoEmptyListsAndMaps() {
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta().name("web"))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("main")));

        assertThat(ModelJson.fields(ObjectKind.POD, pod))
                .isEqualTo(Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Pod",
                        "metadata",
                        Map.of("name", "web"),
                        "spec",
                        Map.of("containers", List.of(Map.of("name", "main")))));
    }

    @Test
    void keepsAnEmptySelectorAndAnEmptyText() {
        PodDisruptionBudget budget = (PodDisruptionBudget) models.object(new V1PodDisruptionBudget()
                .metadata(new V1ObjectMeta().name("all"))
                .spec(new V1PodDisruptionBudgetSpec().selector(new V1LabelSelector())));
        PersistentVolumeClaim claim = (PersistentVolumeClaim) models.object(new V1PersistentVolumeClaim()
                .metadata(new V1ObjectMeta().name("data"))
                .spec(new V1PersistentVolumeClaimSpec().storageClassName("")));

        assertThat(budget).usingRecursiveComparison().isEqualTo(new ObjectDecoder().decode("""
                        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"},
                         "spec": {"selector": {}}}"""));
        assertThat(claim).usingRecursiveComparison().isEqualTo(new ObjectDecoder().decode("""
                        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
                         "spec": {"storageClassName": ""}}"""));
    }

    @Test
    void givesTheModelOfAPodThatCarriesItsText() {
        Pod pod = models.pod(models.model(POD, V1Pod.class));

        assertThat(models.model(pod)).isEmpty();
        assertThat(models.model(pod.withJson(POD))).contains(models.model(POD, V1Pod.class));
    }

    @Test
    void readsObjectsOfTheDynamicApi() {
        DynamicKubernetesObject ship =
                new DynamicKubernetesObject(JsonParser.parseString("""
                {"apiVersion": "example.com/v1", "kind": "Ship", "metadata": {"name": "s"}, "spec": {"masts": 3}}""").getAsJsonObject());

        OtherObject read = (OtherObject) models.object(ship);

        assertThat(read.json()).contains("\"masts\":3");
        assertThat(read.kind()).isEqualTo(ObjectKind.other("example.com/v1", "Ship", "ships", true));
    }

    @Test
    void namesNoKindOfAModelThatHasNone() throws IOException {
        assertThat(ModelJson.fields(ModelJson.read(POD.replace("\"kind\": \"Pod\",", ""), V1Pod.class)))
                .doesNotContainKey("kind");
    }
}
