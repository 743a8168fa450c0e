// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Checks the status of a custom resource, and the events, after one run of the plugin that writes them. */
final class ReconciliationCheck implements VectorCheck {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint:
                  disabled: [{name: "*"}]
                  enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: SchedulingController}]
            """;
    private static final ObjectMapper JSON = new JsonMapper();

    private final PluginRegistry registry;

    ReconciliationCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        FeatureGates features = Conformance.features(vector);
        CreatedPlugins created = new CreatedPlugins();
        PluginRegistry plugins = created.recordedFrom(registry);
        RecordedCluster recorded = new RecordedCluster(features);
        List<ClusterObject> objects = new ArrayList<>();
        vector.path("objects").forEach(object -> objects.add(recorded.object(object)));
        InMemoryCluster cluster = InMemoryCluster.of(objects);
        JsonNode request = vector.path("reconcile");
        // What the plugin does on its own is not run, so that there is one run.
        try (Scheduler scheduler = Scheduler.builder(
                        ConfigLoader.load(CONFIG, "config", plugins, features), plugins, cluster)
                .clock(SteppingClock.startingAt(SequenceRun.START))
                .bindingExecutor(task -> {})
                .build()) {
            scheduler.start();
            created.first(ControllerPlugin.class)
                    .orElseThrow()
                    .reconcile(
                            request.path("kind").asText(),
                            request.path("namespace").asText(),
                            request.path("name").asText());
        }
        return compare(request.path("kind").asText(), vector.path("expect").path("reconcile"), cluster, objects);
    }

    private static List<Comparison> compare(
            String kind, JsonNode expect, InMemoryCluster cluster, List<ClusterObject> objects) {
        Comparisons comparisons = new Comparisons();
        Map<String, JsonNode> expected = new TreeMap<>();
        for (ClusterObject object : objects) {
            if (object instanceof OtherObject other && other.kind().kind().equals(kind)) {
                expected.put(
                        object.key(),
                        kind.equals("PodGroup")
                                ? expect.path("status")
                                : expect.path("status").path(object.key()));
                JsonNode got = status(cluster, other.kind(), other);
                comparisons.compare(
                        "status of " + object.key(),
                        shown(expected.getOrDefault(object.key(), MissingNode.getInstance())),
                        shown(got));
            }
        }
        List<String> events = new ArrayList<>();
        expect.path("events").forEach(event -> events.add(event.asText()));
        comparisons.compare(
                "events",
                events.toString(),
                cluster.objectEvents().stream()
                        .map(event -> event.type() + " " + event.reason() + " " + event.note())
                        .toList()
                        .toString());
        return comparisons.all();
    }

    private static JsonNode status(InMemoryCluster cluster, ObjectKind<OtherObject> kind, OtherObject object) {
        try {
            return JSON.readTree(cluster.find(kind, object.namespace(), object.name())
                            .orElseThrow()
                            .json())
                    .path("status");
        } catch (JsonProcessingException notJson) {
            throw new IllegalStateException(notJson);
        }
    }

    // Zero counts and unset times may be written or not; amounts are compared by their values.
    private static String shown(JsonNode status) {
        Map<String, String> shown = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            JsonNode value = field.getValue();
            if (field.getKey().equals("used")) {
                Map<String, String> used = new TreeMap<>();
                value.properties()
                        .forEach(amount -> used.put(
                                amount.getKey(),
                                Quantity.parse(amount.getValue().asText()).toString()));
                if (!used.isEmpty()) {
                    shown.put("used", used.toString());
                }
            } else if (!value.isNull()
                    && !value.asText().isEmpty()
                    && !value.asText().equals("0")) {
                shown.put(field.getKey(), value.asText());
            }
        }
        return shown.toString();
    }
}
