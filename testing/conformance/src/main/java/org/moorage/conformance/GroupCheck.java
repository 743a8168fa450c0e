// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.SteppingClock;
import org.moorage.simulation.cluster.InMemoryCluster;

/** Checks the result of scheduling a group of pods in one cycle. */
final class GroupCheck implements VectorCheck {
    private static final long SEED = 1;
    private static final int MOST_ANCESTORS = 16;
    private static final String NONE = "none";

    private final PluginRegistry registry;

    GroupCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        FeatureGates features = Conformance.features(vector);
        CreatedPlugins created = new CreatedPlugins();
        PluginRegistry plugins = created.recordedFrom(registry);
        String config = vector.path("config").toString();
        LoadedConfig loaded = config.isEmpty()
                ? ConfigLoader.defaults(plugins, features)
                : ConfigLoader.load(config, "config", plugins, features);
        InMemoryCluster cluster = new RecordedCluster(features).inOrderOfArrival(vector.path("objects"));
        Decisions decisions = new Decisions();
        Queue<Runnable> afterwards = new ArrayDeque<>();
        try (Scheduler scheduler = Scheduler.builder(loaded, plugins, cluster)
                .listener(decisions)
                .clock(SteppingClock.startingAfter(cluster.all(ObjectKind.POD)))
                .random(new SplittableRandom(SEED))
                // A binding must not change anything before all pods of the group are decided.
                .bindingExecutor(afterwards::add)
                .build()) {
            scheduler.start();
            Map<String, String> keptOut = keptOut(cluster, created);
            GroupOutcome.Before before = GroupOutcome.before(cluster);
            Optional<Decision> ignored = scheduler.scheduleNext();
            Map<String, Decision> decided =
                    decisions.of(cluster, vector.path("group").asText());
            for (Runnable task = afterwards.poll(); task != null; task = afterwards.poll()) {
                task.run();
            }
            GroupComparison comparison =
                    new GroupComparison(vector.path("expect"), Set.copyOf(loaded.missingPlugins()));
            comparison.preEnqueue(keptOut);
            return comparison.outcome(
                    decided.isEmpty() ? Optional.empty() : Optional.of(GroupOutcome.of(before, cluster, decided)));
        }
    }

    // Returns the PreEnqueue rejections of pending group members, of all groups, by the plugins of the first member's
    // profile.
    private static Map<String, String> keptOut(InMemoryCluster cluster, CreatedPlugins created) {
        Map<String, String> keptOut = new TreeMap<>();
        String profile = "";
        for (Pod pod : cluster.all(ObjectKind.POD)) {
            if (!pod.isBound() && !pod.spec().podGroupName().isEmpty()) {
                profile = profile.isEmpty() ? pod.spec().schedulerName() : profile;
                Set<String> refusals = refusals(created, profile, pod);
                if (!refusals.isEmpty()) {
                    keptOut.put(pod.key(), String.join("; ", refusals));
                }
            }
        }
        return keptOut;
    }

    // Calls each plugin; the queue stops at the first rejection.
    private static Set<String> refusals(CreatedPlugins created, String profile, Pod pod) {
        Set<String> refusals = new TreeSet<>();
        for (CreatedPlugins.Created each : created.all()) {
            if (each.profile().equals(profile) && each.plugin() instanceof PreEnqueuePlugin plugin) {
                Status status = plugin.preEnqueue(pod);
                if (!status.isSuccess()) {
                    refusals.add(refusal(plugin.name(), status.code().toString(), status.reasons()));
                }
            }
        }
        return refusals;
    }

    private static String refusal(String plugin, String code, List<String> reasons) {
        return code + " by " + plugin + ": " + JsonText.quoted(reasons);
    }

    /** Records the last decision about each pod. */
    private static final class Decisions implements SchedulerListener {
        private final Map<String, Decision> byPod = Collections.synchronizedMap(new TreeMap<>());

        @Override
        public void decided(Decision decision) {
            byPod.put(decision.pod().key(), decision);
        }

        /** Returns the decisions about the pods of a group. */
        Map<String, Decision> of(InMemoryCluster cluster, String group) {
            Map<String, Decision> ofGroup = new TreeMap<>(byPod);
            ofGroup.values().removeIf(decision -> !isIn(group, decision.pod(), cluster));
            return ofGroup;
        }

        private static boolean isIn(String group, Pod pod, InMemoryCluster cluster) {
            Optional<? extends SchedulingGroup> ancestor = cluster.find(
                    ObjectKind.POD_GROUP, pod.namespace(), pod.spec().podGroupName());
            for (int i = 0; i < MOST_ANCESTORS && ancestor.isPresent(); i++) {
                if (ancestor.get().key().equals(group)) {
                    return true;
                }
                ancestor = cluster.find(
                        ObjectKind.COMPOSITE_POD_GROUP,
                        pod.namespace(),
                        ancestor.get().parentName());
            }
            return false;
        }
    }

    /** Compares a result with the recorded ones. */
    private static final class GroupComparison {
        private final JsonNode expect;
        private final Set<String> missing;
        private final Comparisons comparisons = new Comparisons();

        GroupComparison(JsonNode expect, Set<String> missing) {
            this.expect = expect;
            this.missing = new TreeSet<>(missing);
        }

        void preEnqueue(Map<String, String> got) {
            Map<String, String> expected = new TreeMap<>();
            for (Map.Entry<String, JsonNode> pod : expect.path("preEnqueue").properties()) {
                Set<String> refusals = new TreeSet<>();
                for (JsonNode status : pod.getValue()) {
                    refusals.add(refusal(
                            status.path("plugin").asText(),
                            status.path("code").asText(),
                            JsonText.texts(status.path("reasons"))));
                }
                expected.put(pod.getKey(), String.join("; ", refusals));
            }
            compareAll("preEnqueue ", expected, got);
        }

        /** Compares with the recorded outcome that has the fewest differences; several outcomes may be right. */
        List<Comparison> outcome(Optional<GroupOutcome> got) {
            compare("queued", expect.path("queued").asText(), Boolean.toString(got.isPresent()));
            if (got.isPresent() && expect.path("queued").asBoolean()) {
                Map<String, String> ours = got.get().values();
                Map<String, String> nearest = Map.of();
                int leastDifferences = Integer.MAX_VALUE;
                for (JsonNode outcome : expect.path("outcomes")) {
                    Map<String, String> recorded =
                            GroupOutcome.recorded(outcome).values();
                    int differences = differences(recorded, ours);
                    if (differences < leastDifferences) {
                        leastDifferences = differences;
                        nearest = recorded;
                    }
                }
                compareAll("", nearest, ours);
            }
            return comparisons.all();
        }

        private static int differences(Map<String, String> first, Map<String, String> second) {
            Set<String> all = new TreeSet<>(first.keySet());
            all.addAll(second.keySet());
            all.removeIf(what -> first.getOrDefault(what, NONE).equals(second.getOrDefault(what, NONE)));
            return all.size();
        }

        private void compareAll(String prefix, Map<String, String> expected, Map<String, String> got) {
            Set<String> all = new TreeSet<>(expected.keySet());
            all.addAll(got.keySet());
            for (String what : all) {
                compare(prefix + what, expected.getOrDefault(what, NONE), got.getOrDefault(what, NONE));
            }
        }

        // Any missing plugin may influence the result of a group.
        private void compare(String what, String expected, String got) {
            if (!expected.equals(got) && !missing.isEmpty()) {
                comparisons.open(what, missing.iterator().next(), expected, got);
            } else {
                comparisons.compare(what, expected, got);
            }
        }
    }
}
