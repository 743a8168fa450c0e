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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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

/** Sees what kube-scheduler decides while a question's change comes about, and judges it as {@code moorage shadow} does. */
final class JudgedDecisions implements AutoCloseable {
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());
    // Longer than a pod that fits may wait before it is told.
    private static final Duration LATER = Duration.ofMinutes(1);
    // How much later than the test the scheduler may hear of changes. Of several orders that can have been, one that
    // explains all is enough.
    private static final List<Duration> DELAYS =
            List.of(Duration.ZERO, Duration.ofMillis(500), Duration.ofMillis(100), Duration.ofMillis(20));
    private static final int MOST_STEPS = 1000;

    private final KubernetesCluster cluster;
    // By UID: what was there when the question's change began.
    private final Map<String, LiveChange> there = new LinkedHashMap<>();
    private final List<Seen> seen = new ArrayList<>();

    private record Seen(LiveChange change, Duration at) {}

    /**
     * What is decided, and what no order explains.
     *
     * @param differences what no order explains, in words
     * @param preemptions how many pods preempted others
     * @param course what became of pods, one after the other, in words
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
        seen.add(new Seen(change, now()));
    }

    private static Duration now() {
        return Duration.ofNanos(System.nanoTime());
    }

    /** From now on decisions count. */
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

    /** Judges what was decided since then. */
    synchronized Judged judge() {
        Judged judged = judge(DELAYS.get(0));
        for (int i = 1; i < DELAYS.size() && !judged.verdicts.areAllExplained(); i++) {
            judged = judge(DELAYS.get(i));
        }
        return judged;
    }

    private Judged judge(Duration delay) {
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
            for (Seen each : asHeard(delay)) {
                judge.take(each.change, each.at);
                judge.judge(each.at);
            }
            finish(judge, now().plus(delay));
            finish(judge, now().plus(LATER));
            return new Judged(judge.verdicts(), differences, preemptions(), course());
        }
    }

    // A pod's binding may be seen after a change of which the scheduler had not heard when it decided. The judge takes
    // a
    // change in at once unless a binding is open, so it gets changes a little later.
    private List<Seen> asHeard(Duration delay) {
        List<Seen> heard = new ArrayList<>();
        // Of one name in their order: a StatefulSet gives a name again.
        Map<String, Duration> latest = new HashMap<>();
        for (Seen each : seen) {
            LiveChange change = each.change;
            boolean isOfPod = change.kind().equals(ObjectKind.POD) && change.type() != EventType.DELETED;
            Duration at = latest.merge(
                    change.kind() + " " + change.namespace() + "/" + change.name(),
                    isOfPod ? each.at : each.at.plus(delay),
                    (before, now) -> before.compareTo(now) > 0 ? before : now);
            heard.add(new Seen(change, at));
        }
        heard.sort(Comparator.comparing(Seen::at));
        return heard;
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
