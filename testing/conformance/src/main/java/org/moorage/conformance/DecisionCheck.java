// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.DecisionComparison.Situation;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Checks the whole decision about a pod, on all nodes. */
final class DecisionCheck implements VectorCheck {
    private static final String UNSCORED = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins: {preScore: {disabled: [{name: "*"}]}, score: {disabled: [{name: "*"}]}}
            """;
    private static final Instant RECORDED_AT = Instant.parse("2026-12-01T00:00:00Z");
    private static final long SEED = 1;
    private static final String DEVICE_CLASS_RESOURCE = "deviceclass.resource.kubernetes.io/";

    private final PluginRegistry registry;

    DecisionCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        JsonNode config = vector.path("config");
        if (vector.has("metrics")) {
            try (RecordedLoadWatcher watcher = new RecordedLoadWatcher(vector.path("metrics"), now(vector))) {
                return check(vector, watcher.withOwnAddress(config.toString()), UnaryOperator.identity());
            }
        }
        if (config.path("extenders").isEmpty()) {
            return check(vector, config.toString(), UnaryOperator.identity());
        }
        try (ScriptedExtender extender = new ScriptedExtender()) {
            List<Comparison> comparisons = new ArrayList<>(
                    check(vector, extender.withOwnAddress(config.toString()), extender::withRecordedAddress));
            comparisons.addAll(
                    comparison(vector, Set.of(), UnaryOperator.identity()).ofRequests(extender.requests()));
            return comparisons;
        }
    }

    private static DecisionComparison comparison(
            ObjectNode vector, Set<String> missing, UnaryOperator<String> asRecorded) {
        return new DecisionComparison(vector.path("expect"), missing, situation(vector), asRecorded);
    }

    private List<Comparison> check(ObjectNode vector, String config, UnaryOperator<String> asRecorded) {
        FeatureGates features = Conformance.features(vector);
        String text = config.isEmpty() && isUnscored(vector) ? UNSCORED : config;
        CreatedPlugins created = new CreatedPlugins();
        PluginRegistry plugins = vector.path("expect").has("raw") ? created.recordedFrom(registry) : registry;
        LoadedConfig loaded = text.isEmpty()
                ? ConfigLoader.defaults(plugins, features)
                : ConfigLoader.load(text, "config", plugins, features);
        DecisionComparison comparison = comparison(vector, Set.copyOf(loaded.missingPlugins()), asRecorded);
        InMemoryCluster cluster = new RecordedCluster(features).of(vector.path("objects"));
        Pod pod = pod(cluster, vector.path("pod").asText());
        SteppingClock clock = SteppingClock.startingAt(now(vector));
        try (Scheduler scheduler = Scheduler.builder(loaded, plugins, cluster)
                .random(new SplittableRandom(SEED))
                .clock(clock)
                .executor(clock.timers(), pause -> {})
                .build()) {
            scheduler.start();
            Optional<List<Comparison>> failed =
                    DecisionComparison.ofRecordedFailure(vector.path("expect"), () -> scheduler.evaluate(pod));
            if (failed.isPresent()) {
                return failed.get();
            }
            Evaluation evaluation;
            try {
                evaluation = scheduler.evaluate(pod);
            } catch (RuntimeException failure) {
                return comparison.ofFailure(failure);
            }
            Optional<Status> postFilter = evaluation.postFilter().map(PluginStatus::status);
            if (postFilter.isPresent() && postFilter.get().code() == Code.ERROR) {
                return comparison.ofFailure(
                        new IllegalStateException(postFilter.get().message()));
            }
            return comparison.of(evaluation, created.rawScores());
        }
    }

    // Most cases do not depend on the time, except that their objects are from the past.
    private static Instant now(ObjectNode vector) {
        return vector.hasNonNull("now") ? Instant.parse(vector.path("now").asText()) : RECORDED_AT;
    }

    // kube-scheduler does not score the only feasible node, but an evaluation does.
    private static boolean isUnscored(ObjectNode vector) {
        JsonNode expect = vector.path("expect");
        return expect.has("best") && !expect.has("scores");
    }

    private static Situation situation(ObjectNode vector) {
        JsonNode objects = vector.path("objects");
        return new Situation(
                deviceResources(objects),
                claimsVolumes(objects, vector.path("pod").asText()));
    }

    private static boolean claimsVolumes(JsonNode objects, String podKey) {
        for (JsonNode object : objects) {
            JsonNode metadata = object.path("metadata");
            String key = metadata.path("namespace").asText() + "/"
                    + metadata.path("name").asText();
            if (object.path("kind").asText().equals("Pod") && key.equals(podKey)) {
                for (JsonNode volume : object.path("spec").path("volumes")) {
                    if (volume.has("persistentVolumeClaim") || volume.has("ephemeral")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    // An extended resource may be backed by devices; its name is set by a device class or derived from the class's
    // name.
    private static Set<String> deviceResources(JsonNode objects) {
        Set<String> names = new HashSet<>();
        for (JsonNode object : objects) {
            if (object.path("kind").asText().equals("DeviceClass")) {
                names.add(object.path("spec").path("extendedResourceName").asText(""));
                names.add(DEVICE_CLASS_RESOURCE
                        + object.path("metadata").path("name").asText(""));
            }
        }
        return names;
    }

    private static Pod pod(InMemoryCluster cluster, String key) {
        int slash = key.indexOf('/');
        return cluster.find(ObjectKind.POD, key.substring(0, Math.max(0, slash)), key.substring(slash + 1))
                .orElseThrow(() -> new IllegalArgumentException("pod: \"" + key + "\" (expected: one of the objects)"));
    }
}
