// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.app.internal.live.LiveChanges;
import org.moorage.app.internal.shadow.DecisionJudge;
import org.moorage.app.internal.shadow.Difference;
import org.moorage.app.internal.shadow.Verdicts;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.objects.EventType;
import org.moorage.objects.KeptJson;

/**
 * Sees what kube-scheduler decides while a question's change comes about, and judges it as {@code moorage shadow} does.
 */
final class JudgedDecisions implements AutoCloseable {
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());
    // Longer than a pod that fits may be pending before it counts as a difference.
    private static final Duration LATER = Duration.ofMinutes(1);
    private static final int MOST_STEPS = 1000;

    private final KubernetesCluster cluster;
    // By UID: what was there when the question's change began.
    private final Map<String, LiveChange> there = new LinkedHashMap<>();
    private final List<Seen> seen = new ArrayList<>();

    private record Seen(LiveChange change, Duration at) {}

    /**
     * The verdicts on the decisions.
     *
     * @param differences the decisions that Moorage would not make, in words
     * @param preemptions how many pods preempted others
     * @param course the changes of pods and nodes in their order, in words
     */
    record Judged(Verdicts verdicts, List<String> differences, int preemptions, List<String> course) {
        /** Whether several nodes had the same scores for a pod. */
        boolean hasTies() {
            return verdicts.ties() > 0;
        }

        @Override
        public String toString() {
            return verdicts.equal() + " equal, " + verdicts.ties() + " ties, " + preemptions + " preemptions"
                    + (differences.isEmpty() ? "" : ", " + differences);
        }
    }

    JudgedDecisions(Path kubeconfig) {
        cluster = new KubernetesCluster(
                new ApiConnection(Optional.of(kubeconfig), Optional.empty()).open(),
                ClusterSettings.on("host-1").withRate(0, 1),
                InstantSource.system(),
                new Random(1),
                Thread::new);
        Set<ObjectKind<?>> kinds = new HashSet<>(ObjectKind.TYPED);
        kinds.removeAll(Set.of(ObjectKind.POD_GROUP, ObjectKind.COMPOSITE_POD_GROUP));
        cluster.watch(kinds, KeptJson.NONE, new LiveChanges(this::add, (kind, reason) -> {}));
    }

    private synchronized void add(LiveChange change) {
        boolean isOfGate = change.namespace().equals(SchedulerGate.NAMESPACE)
                || change.kind().equals(ObjectKind.NODE) && change.name().equals(SchedulerGate.NODE);
        if (!isOfGate) {
            seen.add(new Seen(change, now()));
        }
    }

    private static Duration now() {
        return Duration.ofNanos(System.nanoTime());
    }

    /** The nodes by the pods' names as far as they were seen; empty for a pending pod. */
    synchronized Map<String, String> nodeByPod() {
        Map<String, String> nodes = new TreeMap<>();
        there.values().forEach(change -> change.object().ifPresent(object -> addPod(object, nodes)));
        for (Seen each : seen) {
            if (each.change.type() == EventType.DELETED && each.change.kind().equals(ObjectKind.POD)) {
                nodes.remove(each.change.name());
            } else {
                each.change.object().ifPresent(object -> addPod(object, nodes));
            }
        }
        return nodes;
    }

    private static void addPod(ClusterObject object, Map<String, String> nodes) {
        if (object instanceof Pod pod) {
            nodes.put(pod.name(), pod.nodeName());
        }
    }

    /** Decisions count from now on. */
    synchronized void begin() {
        for (Seen each : seen) {
            if (each.change.type() == EventType.DELETED) {
                there.remove(each.change.uid());
            } else {
                there.put(each.change.uid(), each.change);
            }
        }
        seen.clear();
    }

    /**
     * Judges the decisions since then.
     *
     * @param attempts the names of the pods in the order in which the scheduler has decided about them, which may bind
     *     them in another order
     */
    synchronized Judged judge(List<String> attempts) {
        List<String> differences = new ArrayList<>();
        try (DecisionJudge judge = new DecisionJudge(
                ConfigLoader.defaults(REGISTRY), REGISTRY, difference -> differences.add(text(difference)))) {
            Duration start = now();
            if (!seen.isEmpty()) {
                start = seen.get(0).at;
            }
            for (LiveChange change : there.values()) {
                judge.take(change, start);
            }
            finish(judge, start);
            for (Seen each : asDecided(attempts)) {
                judge.take(each.change, each.at);
                judge.judge(each.at);
            }
            finish(judge, now());
            finish(judge, now().plus(LATER));
            return new Judged(judge.verdicts(), differences, preemptions(), course());
        }
    }

    // Before the binding of a pod come those of the pods that were decided about before it.
    private List<Seen> asDecided(List<String> attempts) {
        Set<String> bound = new HashSet<>();
        there.values().stream().filter(JudgedDecisions::isOnNode).forEach(change -> bound.add(change.uid()));
        List<Seen> bindings = new ArrayList<>(seen);
        bindings.removeIf(each -> !isOnNode(each.change) || !bound.add(each.change.uid()));
        bindings.sort(Comparator.comparingInt(each -> attempts.lastIndexOf(each.change.name())));
        Set<Seen> decided = new LinkedHashSet<>();
        for (Seen each : seen) {
            bindings.subList(0, bindings.indexOf(each) + 1).forEach(decided::add);
            decided.add(each);
        }
        List<Seen> ordered = new ArrayList<>();
        decided.forEach(each -> ordered.add(new Seen(each.change, seen.get(ordered.size()).at)));
        return ordered;
    }

    private static boolean isOnNode(LiveChange change) {
        return change.type() != EventType.DELETED
                && change.object().filter(object -> !node(object).isEmpty()).isPresent();
    }

    private int preemptions() {
        Set<String> pods = new HashSet<>();
        for (Seen each : seen) {
            if (each.change.object().orElse(null) instanceof Pod pod
                    && !pod.status().nominatedNodeName().isEmpty()) {
                pods.add(pod.uid());
            }
        }
        return pods.size();
    }

    private List<String> course() {
        List<String> course = new ArrayList<>();
        Map<String, String> nodes = new HashMap<>();
        for (LiveChange change : there.values()) {
            change.object().ifPresent(object -> nodes.put(change.uid(), node(object)));
        }
        for (Seen each : seen) {
            LiveChange change = each.change;
            String kind = change.kind().kind() + " " + change.name();
            String node = change.object().map(JudgedDecisions::node).orElse("");
            String before =
                    change.type() == EventType.DELETED ? nodes.remove(change.uid()) : nodes.put(change.uid(), node);
            if (change.type() == EventType.DELETED) {
                course.add(kind + " gone");
            } else if (before == null) {
                course.add(kind + " created");
            } else if (!before.equals(node)) {
                course.add(kind + " on " + node);
            }
        }
        course.removeIf(text -> !text.startsWith("Pod ") && !text.startsWith("Node "));
        return course;
    }

    private static String node(ClusterObject object) {
        return object instanceof Pod pod ? pod.nodeName() : "";
    }

    private static void finish(DecisionJudge judge, Duration now) {
        for (int i = 0; i < MOST_STEPS && !judge.finish(now); i++) {}
    }

    private static String text(Difference difference) {
        return difference.pod() + " on \"" + difference.nodeName() + "\": " + difference.reason();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
