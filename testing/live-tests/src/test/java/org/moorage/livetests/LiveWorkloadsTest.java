// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.openapi.JSON;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;

/**
 * Compares the pods and claims that simulations create for workloads with those that the controllers of a real control
 * plane create for the same manifests.
 */
@Tag("live")
class LiveWorkloadsTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void arePodsAndClaimsOfTheRealControllers() throws IOException {
        String manifests = Scene.resource(LiveWorkloadsTest.class, "workloads.yaml");
        List<String> ours = new ArrayList<>();
        for (String text : read(manifests).json()) {
            JsonNode tree = JSON.readTree(text);
            if (isCompared(tree)) {
                ours.add(comparable(tree));
            }
        }
        try (Scene scene = Scene.withControllers()) {
            scene.create(manifests);

            // A cron job starts at the next minute.
            List<String> theirs = new ArrayList<>();
            for (JsonNode object : scene.await(
                    ours.size() + " pods and claims",
                    () -> podsAndClaims(scene.api()),
                    seen -> seen.size() >= ours.size())) {
                theirs.add(comparable(object));
            }

            assertThat(theirs).containsExactlyInAnyOrderElementsOf(ours);
            ClusterDump dump = read(scene.plane()
                    .kubectl(
                            "get",
                            "nodes,pods,pvc,rc,deployments,replicasets,statefulsets,daemonsets,jobs,cronjobs",
                            "-A",
                            "-o",
                            "json"));
            assertThat(dump.pods())
                    .hasSize(Math.toIntExact(ours.stream()
                            .filter(object -> object.startsWith("Pod "))
                            .count()));
            assertThat(dump.notes())
                    .containsExactly(
                            "no pods are made of Deployment default/paused (paused)",
                            "no pods are made of Job default/suspended (suspended)",
                            "no pods are made of CronJob default/minutely (its last job is still active)");
            assertThat(dump.warnings()).isEmpty();
        }
    }

    private static ClusterDump read(String text) {
        PluginRegistry registry = PluginRegistry.of(List.of());
        return new ClusterDumpReader(ConfigLoader.defaults(registry, FeatureGates.DEFAULTS), registry)
                .withWorkloads()
                .withCronJobs()
                .withJson()
                .read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    private static boolean isCompared(JsonNode object) {
        String kind = object.path("kind").asText();
        return kind.equals("Pod") || kind.equals("PersistentVolumeClaim");
    }

    private static List<JsonNode> podsAndClaims(ApiAccess api) {
        List<JsonNode> seen = new ArrayList<>();
        for (String kind : List.of("Pod", "PersistentVolumeClaim")) {
            String path = "/api/v1/namespaces/default/" + kind.toLowerCase(Locale.ROOT) + "s";
            for (JsonNode object : api.items(path)) {
                // Lists omit these fields in their items.
                seen.add(((ObjectNode) object).put("apiVersion", "v1").put("kind", kind));
            }
        }
        return seen;
    }

    // Returns the object without random values and without the fields that only a running API server sets.
    private static String comparable(JsonNode object) throws IOException {
        ObjectNode tree = object.deepCopy();
        ObjectNode metadata = tree.withObject("/metadata");
        metadata.remove(List.of("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"));
        tree.remove("status");
        if (metadata.path("labels").isEmpty()) {
            metadata.remove("labels");
        }
        String prefix = metadata.path("generateName").asText();
        String name = metadata.path("name").asText();
        boolean isRandom = !prefix.isEmpty() && name.length() == prefix.length() + 5;
        if (isRandom) {
            metadata.put("name", prefix + "*");
        }
        if (tree.path("kind").asText().equals("PersistentVolumeClaim")) {
            // The API server protects claims.
            metadata.remove("finalizers");
        }
        for (String field : List.of("containers", "initContainers")) {
            for (JsonNode container : tree.path("spec").path(field)) {
                if (container instanceof ObjectNode fields
                        && container.path("resources").isEmpty()) {
                    // The API server writes it as an empty object.
                    fields.remove("resources");
                }
            }
        }
        String text = tree.toString();
        JsonNode labels = metadata.path("labels");
        for (String label : List.of("pod-template-hash", "controller-revision-hash", "controller-uid")) {
            String value = labels.path(label).asText("");
            // The hash of a stateful set follows its name and a dash; a uid contains dashes itself.
            String random = label.endsWith("hash") ? value.substring(value.lastIndexOf('-') + 1) : value;
            if (!random.isEmpty()) {
                text = text.replace(random, "<" + label + ">");
            }
        }
        text = text.replaceAll("\"uid\":\"[^\"]*\"", "\"uid\":\"\"").replaceAll("minutely-[0-9]{8}", "minutely-*");
        return tree.path("kind").asText() + " " + sorted(ApiAccess.parse(text));
    }

    private static String sorted(JsonNode value) throws IOException {
        return JsonMapper.builder()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build()
                .writeValueAsString(JSON.treeToValue(value, Object.class));
    }
}
