// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.HintEvaluation;

/** Checks which cluster events a change causes, and for which plugins a rejected pod is requeued. */
final class HintCheck implements VectorCheck {
    private static final String NOT_ASKED = "not asked";
    private static final String ALL_PODS = "all";

    private final PluginRegistry registry;

    HintCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        FeatureGates features = Conformance.features(vector);
        LoadedConfig loaded = ConfigLoader.defaults(registry, features);
        RecordedCluster recorded = new RecordedCluster(features);
        HintEvaluation evaluation;
        try (Scheduler scheduler = Scheduler.builder(loaded, registry, recorded.of(vector.path("objects")))
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            evaluation = scheduler.hints(pod(vector, recorded), change(vector, recorded));
        }
        return compare(vector.path("expect"), evaluation, pods(vector, recorded), Set.copyOf(loaded.missingPlugins()));
    }

    // The recorded hints are those of the only profile, regardless of the pod's scheduler name.
    private static Pod pod(ObjectNode vector, RecordedCluster recorded) {
        if (recorded.object(vector.path("pod")) instanceof Pod pod) {
            return pod.withSpec(pod.spec().toBuilder()
                    .schedulerName(PodSpec.DEFAULT_SCHEDULER)
                    .build());
        }
        throw new IllegalArgumentException("pod: " + vector.path("pod") + " (expected: a pod)");
    }

    private static ObjectChange<ClusterObject> change(ObjectNode vector, RecordedCluster recorded) {
        JsonNode before = vector.path("old");
        JsonNode after = vector.path("new");
        if (before.isMissingNode()) {
            return ObjectChange.added(recorded.object(after));
        }
        return after.isMissingNode()
                ? ObjectChange.deleted(recorded.object(before))
                : ObjectChange.updated(recorded.object(before), recorded.object(after));
    }

    private static List<Pod> pods(ObjectNode vector, RecordedCluster recorded) {
        List<Pod> pods = new ArrayList<>();
        for (JsonNode object : vector.path("objects")) {
            if (recorded.object(object) instanceof Pod pod) {
                pods.add(pod);
            }
        }
        return pods;
    }

    private static List<Comparison> compare(
            JsonNode expect, HintEvaluation evaluation, List<Pod> pods, Set<String> missing) {
        Comparisons comparisons = new Comparisons();
        List<String> labels = new ArrayList<>();
        for (ClusterEvent event : evaluation.events()) {
            labels.add(event.label());
        }
        comparisons.compare("events", JsonText.names(JsonText.texts(expect.path("events"))), JsonText.names(labels));
        Map<String, Hint> hints = hints(evaluation);
        Set<String> plugins = new TreeSet<>(hints.keySet());
        expect.path("hints").fieldNames().forEachRemaining(plugins::add);
        for (String plugin : plugins) {
            Hint hint = hints.get(plugin);
            String expected = expect.path("hints").path(plugin).asText(NOT_ASKED);
            String got = hint == null ? NOT_ASKED : hint.toString();
            if (missing.contains(plugin)) {
                comparisons.open("hint " + plugin, plugin, expected, got);
            } else {
                comparisons.compare("hint " + plugin, expected, got);
            }
        }
        Set<String> narrowing = new TreeSet<>(evaluation.candidates().keySet());
        expect.path("narrowed").fieldNames().forEachRemaining(narrowing::add);
        for (String plugin : narrowing) {
            JsonNode expected = expect.path("narrowed").path(plugin);
            Predicate<Pod> candidates = evaluation.candidates().get(plugin);
            comparisons.compare(
                    "narrowed " + plugin,
                    expected.isMissingNode() ? ALL_PODS : JsonText.names(JsonText.texts(expected)),
                    candidates == null ? ALL_PODS : JsonText.names(keys(pods, candidates)));
        }
        return comparisons.all();
    }

    private static List<String> keys(List<Pod> pods, Predicate<Pod> candidates) {
        return pods.stream().filter(candidates).map(Pod::key).sorted().toList();
    }

    private static Map<String, Hint> hints(HintEvaluation evaluation) {
        Map<String, Hint> hints = new TreeMap<>();
        for (HintEvaluation.PluginHint answer : evaluation.hints()) {
            hints.merge(answer.plugin(), answer.hint(), HintCheck::either);
        }
        return hints;
    }

    private static Hint either(Hint first, Hint second) {
        return Hint.queueIf(first == Hint.QUEUE || second == Hint.QUEUE);
    }
}
