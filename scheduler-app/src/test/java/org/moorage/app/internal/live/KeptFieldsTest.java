// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.objects.tree.TreeDecoder;

final class KeptFieldsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final TreeDecoder DECODER = new TreeDecoder();
    private static final KeptFields KEPT = new KeptFields(List.of());
    private static final Map<String, Map<String, String>> FIELDS_BY_TYPE = new TreeMap<>();
    private static final Map<String, String> TYPE_BY_KIND = new TreeMap<>();

    /** Fields, anywhere, in which users, programs and drivers write free texts that may be secret. */
    private static final Set<String> NEVER_KEPT = Set.of(
            "env",
            "envFrom",
            "args",
            "command",
            "workingDir",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "lifecycle",
            "securityContext",
            "imagePullSecrets",
            "secretRef",
            "secretName",
            "secretNamespace",
            "nodePublishSecretRef",
            "nodeStageSecretRef",
            "nodeExpandSecretRef",
            "controllerPublishSecretRef",
            "controllerExpandSecretRef",
            "volumeAttributes",
            "attachmentMetadata",
            "options",
            "mountOptions",
            "keyring",
            "user",
            "message",
            "description",
            "data",
            "networkData",
            "managedFields",
            "addresses",
            "nodeInfo",
            "providerID",
            "nodeID",
            "sources",
            "inlineVolumeSpec",
            "hostAliases",
            "dnsConfig",
            "tokenRequests",
            "subPath",
            "containerID",
            "imageID");

    // The fields of the kinds of Kubernetes v1.37.
    static {
        try (InputStream in = Objects.requireNonNull(TreeDecoder.class.getResourceAsStream("fields.txt"));
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            for (String line : reader.lines().toList()) {
                int equals = line.indexOf(" = ");
                if (equals >= 0) {
                    TYPE_BY_KIND.put(line.substring(0, equals), line.substring(equals + 3));
                } else {
                    Map<String, String> fields = new TreeMap<>();
                    int colon = line.indexOf(": ");
                    for (String field : line.substring(colon + 2).split(" ", -1)) {
                        int end = field.indexOf('=');
                        fields.put(end < 0 ? field : field.substring(0, end), end < 0 ? "" : field.substring(end + 1));
                    }
                    FIELDS_BY_TYPE.put(line.substring(0, colon), fields);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> kinds() {
        return List.copyOf(TYPE_BY_KIND.keySet());
    }

    private static ObjectNode marked(String type, String path) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        FIELDS_BY_TYPE.getOrDefault(type, Map.of()).forEach((name, ofField) -> {
            String at = path + "/" + name;
            if (ofField.isEmpty()) {
                if (name.equals("annotations")) {
                    object.putObject(name).put("example.com/x", at);
                } else {
                    object.put(name, at);
                }
            } else if (ofField.startsWith("{}")) {
                object.putObject(name).set("x", marked(ofField.substring(2), at));
            } else {
                object.set(name, marked(ofField, at));
            }
        });
        return object;
    }

    private static OtherObject object(ObjectNode tree) {
        String apiVersion = tree.path("apiVersion").asText();
        String kind = tree.path("kind").asText();
        return new OtherObject(
                ObjectKind.other(apiVersion, kind, kind.toLowerCase(Locale.ROOT) + "s", true),
                ObjectMeta.named("x").build(),
                tree.toString());
    }

    private static void paths(JsonNode value, Set<String> paths) {
        if (value.isTextual()) {
            paths.add(value.asText());
        }
        value.forEach(inner -> paths(inner, paths));
    }

    private static Set<String> keptPaths(String kind) throws IOException {
        int slash = kind.lastIndexOf('/');
        ObjectNode tree = marked(Objects.requireNonNull(TYPE_BY_KIND.get(kind)), "")
                .put("apiVersion", kind.substring(0, slash))
                .put("kind", kind.substring(slash + 1));
        Set<String> paths = new TreeSet<>();
        paths(JSON.readTree(KEPT.text(object(tree))), paths);
        return paths;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void fieldsWithFreeTextAreOmittedFromEveryKind(String kind) throws IOException {
        Set<String> kept = keptPaths(kind);

        assertThat(kept).hasSizeGreaterThan(2).contains("/metadata/name", "/metadata/uid");
        assertThat(kept).noneMatch(path -> path.startsWith("/metadata/annotations"));
        for (String path : kept) {
            assertThat(List.of(path.split("/", -1))).as(path).doesNotContainAnyElementsOf(NEVER_KEPT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"containers", "initContainers", "ephemeralContainers"})
    void containersKeepTheSameFieldsWhereverTheyAre(String list) throws IOException {
        Set<String> ofPod = new TreeSet<>();
        keptPaths("v1/Pod").stream()
                .filter(path -> path.startsWith("/spec/" + list + "/"))
                .forEach(path -> ofPod.add(path.substring("/spec".length())));
        Map<String, String> templates = Map.of(
                "apps/v1/Deployment", "/spec/template/spec",
                "apps/v1/ReplicaSet", "/spec/template/spec",
                "apps/v1/StatefulSet", "/spec/template/spec",
                "apps/v1/DaemonSet", "/spec/template/spec",
                "v1/ReplicationController", "/spec/template/spec",
                "batch/v1/Job", "/spec/template/spec",
                "batch/v1/CronJob", "/spec/jobTemplate/spec/template/spec");

        assertThat(ofPod).contains("/" + list + "/resources/requests", "/" + list + "/image");
        for (Map.Entry<String, String> template : templates.entrySet()) {
            Set<String> ofTemplate = new TreeSet<>();
            keptPaths(template.getKey()).stream()
                    .filter(path -> path.startsWith(template.getValue() + "/" + list + "/"))
                    .forEach(path ->
                            ofTemplate.add(path.substring(template.getValue().length())));
            assertThat(ofTemplate).as(template.getKey()).isEqualTo(ofPod);
        }
    }

    @Test
    void everyKindThatIsReadIsOnTheList() throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (ObjectKind<OtherObject> kind : LiveObjects.KINDS) {
            ObjectNode tree = JsonNodeFactory.instance
                    .objectNode()
                    .put("apiVersion", kind.apiVersion())
                    .put("kind", kind.kind());
            // A field of each kind but Namespace, whose list stands for unknown kinds.
            tree.putObject("spec");
            tree.put("provisioner", "p").put("value", 1).put("capacity", "1").put("handler", "h");
            JsonNode kept = JSON.readTree(KEPT.text(object(tree)));
            if (kept.size() == 2 && !kind.kind().equals("Namespace")) {
                unknown.add(kind.kind());
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void annotationsThatDecideStayWithTheirValues() throws IOException {
        List<String> names = new ArrayList<>(List.of(
                "cluster-autoscaler.kubernetes.io/safe-to-evict",
                "cluster-autoscaler.kubernetes.io/scale-down-disabled",
                "kubernetes.io/config.mirror",
                "scheduler.alpha.kubernetes.io/critical-pod",
                "volume.kubernetes.io/selected-node",
                "volume.beta.kubernetes.io/storage-class",
                "pv.kubernetes.io/bind-completed",
                "resource.kubernetes.io/extended-resource-claim",
                "storageclass.kubernetes.io/is-default-class",
                "storageclass.beta.kubernetes.io/is-default-class",
                "storage.alpha.kubernetes.io/migrated-plugins",
                "batch.kubernetes.io/job-completion-index",
                "deployment.kubernetes.io/revision",
                "controller.kubernetes.io/pod-deletion-cost",
                "descheduler.alpha.kubernetes.io/evict",
                "scheduling.k8s.io/group-template-name",
                "congestion-factor",
                "mean-free-memory",
                "requested-gpu"));
        List<String> secret = List.of(
                "kubectl.kubernetes.io/last-applied-configuration",
                "kubernetes.io/change-cause",
                "alpha.kubernetes.io/provided-node-ip",
                "token",
                "example.com/batch.kubernetes.io",
                "x.batch.kubernetes.io/token",
                "batch.kubernetes.io.example.com/token");
        ObjectNode tree =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
        names.forEach(name -> tree.withObject("/metadata/annotations").put(name, "v"));
        secret.forEach(name -> tree.withObject("/metadata/annotations").put(name, "v"));

        JsonNode kept = JSON.readTree(KEPT.text(object(tree))).at("/metadata/annotations");
        JsonNode further = JSON.readTree(new KeptFields(List.of("example.com/")).text(object(tree)))
                .at("/metadata/annotations");
        JsonNode all =
                JSON.readTree(new KeptFields(List.of("")).text(object(tree))).at("/metadata/annotations");

        assertThat(kept.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(names);
        assertThat(further.has("example.com/batch.kubernetes.io")).isTrue();
        assertThat(further.size()).isEqualTo(names.size() + 1);
        assertThat(all.size()).isEqualTo(names.size() + secret.size() - 1);
    }

    @Test
    void whatIsKeptDecodesToTheSameObject() {
        for (String json : List.of(
                // A volume without its source would be an emptyDir.
                """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "1"}, "spec": {"containers": [{"name": "c", "image": "i",
                 "volumeMounts": [{"name": "s", "mountPath": "/s", "bindMountOptions": ["noexec"]}], "ports": [{"hostPort": 80}]}],
                 "volumes": [{"name": "s", "secret": {"secretName": "x"}}, {"name": "e", "emptyDir": {"medium": "Memory"}},
                  {"name": "h", "hostPath": {"path": "/x"}}, {"name": "r", "rbd": {"monitors": ["m"], "image": "i", "pool": "p"}},
                  {"name": "v", "csi": {"driver": "d", "volumeAttributes": {"password": "x"}}},
                  {"name": "i", "image": {"reference": "i"}}, {"name": "c", "persistentVolumeClaim": {"claimName": "c"}},
                  {"name": "a", "azureDisk": {"diskURI": "u", "diskName": "n", "kind": "Managed"}}]},
                 "status": {"phase": "Running", "qosClass": "Burstable", "containerStatuses": [{"name": "c", "restartCount": 2,
                  "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "x"}},
                  "lastState": {"terminated": {"finishedAt": "2026-01-01T00:00:00Z", "message": "x", "exitCode": 1}}}]}}""", """
                {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "uid": "1"}, "spec": {"capacity": {"storage": "1Gi"},
                 "csi": {"driver": "d", "volumeHandle": "h", "volumeAttributes": {"password": "x"}, "nodeStageSecretRef": {"name": "s"}},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]}},
                 "claimRef": {"namespace": "n", "name": "c", "uid": "2"}}, "status": {"phase": "Bound", "message": "x"}}""", """
                {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "uid": "1"}, "spec": {"priority": 5,
                 "disruptionMode": {"all": {}}, "schedulingPolicy": {"gang": {"minCount": 3}},
                 "schedulingConstraints": {"topology": [{"key": "zone"}]}}}""", """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s", "uid": "1"}, "spec": {"driver": "d",
                 "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "x",
                 "attributes": {"a": {"string": "b"}}, "capacity": {"m": {"value": "1Gi", "requestPolicy": {"default": "1"}}},
                 "consumesCounters": [{"counterSet": "c", "counters": {"k": {"value": "1"}}}],
                 "taints": [{"key": "t", "effect": "NoSchedule"}]}]}}""", """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "1", "labels": {"zone": "a"}}, "spec":
                 {"unschedulable": true, "taints": [{"key": "t", "effect": "NoSchedule"}], "providerID": "x"}, "status": {"capacity": {"cpu": "2"}, "allocatable":
                 {"cpu": "1"}, "conditions": [{"type": "Ready", "status": "True", "message": "x"}],
                 "images": [{"names": ["i"], "sizeBytes": 5}], "declaredFeatures": ["F"], "addresses": [{"address": "x"}]}}""")) {
            ObjectNode full = ObjectTrees.of(json);
            ObjectNode kept = ObjectTrees.of(KEPT.text(object(full)));

            assertThat(kept.toString().length())
                    .isLessThanOrEqualTo(full.toString().length());
            assertThat(DECODER.decode(TreeDecoder.kindOf(kept), kept, KeptJson.NONE))
                    .usingRecursiveComparison()
                    .isEqualTo(DECODER.decode(TreeDecoder.kindOf(full), full, KeptJson.NONE));
        }
    }
}
