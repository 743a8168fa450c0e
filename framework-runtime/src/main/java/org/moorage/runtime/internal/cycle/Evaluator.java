// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Rejection;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.runtime.decision.Evaluation;

/** Looks at every node for a pod, without sampling, and keeps all that the plugins say. */
public final class Evaluator {
    private Evaluator() {}

    /**
     * Evaluates a pod.
     *
     * @throws PluginFailure if a plugin fails
     */
    public static Evaluation evaluate(Profile profile, Pod pod, Snapshot snapshot) {
        CycleState state = new CycleState();
        Profile.PreFiltered preFiltered = profile.preFilter(state, pod, snapshot);
        List<NodeInfo> all = new ArrayList<>(snapshot.nodes());
        all.sort(Comparator.comparing(NodeInfo::name));
        Optional<Set<String>> only = Optional.ofNullable(preFiltered.nodeNames());
        if (preFiltered.rejection() != null) {
            Diagnosis diagnosis =
                    Diagnosis.ofPreFilter(snapshot.nodes(), preFiltered.rejection(), preFiltered.namingPlugins());
            Profile.PostFiltered postFiltered = profile.postFilter(state, pod, diagnosis, Profile.Deeds.ONLY_SAID);
            return new Evaluation(
                    pod,
                    all.size(),
                    Optional.of(preFiltered.rejection()),
                    only,
                    Map.of(),
                    Map.of(),
                    List.of(),
                    Map.of(),
                    Map.of(),
                    diagnosis.message(""),
                    rejection(postFiltered),
                    preemption(postFiltered));
        }
        ActiveFilters notes = state.get(ActiveFilters.KEY);
        Diagnosis diagnosis = Diagnosis.ofFilter(
                snapshot.nodes(), preFiltered.namingPlugins(), nominated(profile, state, notes, pod, snapshot));
        Map<String, Rejection> rejections = new TreeMap<>();
        List<NodeInfo> rejected = new ArrayList<>();
        List<NodeInfo> feasible = new ArrayList<>();
        Status[] answer = new Status[1];
        for (NodeInfo node : all) {
            if (only.isPresent() && !only.get().contains(node.name())) {
                continue;
            }
            int rejecting = profile.filter(state, notes, pod, node, answer, 0);
            if (rejecting < 0) {
                feasible.add(node);
            } else {
                String plugin = notes.filters()[rejecting].name();
                rejections.put(node.name(), new Rejection(plugin, answer[0]));
                rejected.add(node);
                diagnosis.reject(node, plugin, answer[0]);
            }
        }
        if (feasible.isEmpty()) {
            Profile.PostFiltered postFiltered = profile.postFilter(state, pod, diagnosis, Profile.Deeds.ONLY_SAID);
            return new Evaluation(
                    pod,
                    all.size(),
                    Optional.empty(),
                    only,
                    rejections,
                    objections(notes, state, pod, rejected),
                    List.of(),
                    Map.of(),
                    Map.of(),
                    diagnosis.message(""),
                    rejection(postFiltered),
                    preemption(postFiltered));
        }
        Map<String, Map<String, Long>> scores = new TreeMap<>();
        Map<String, Long> totals = new TreeMap<>();
        SchedulingAlgorithm algorithm = new SchedulingAlgorithm(100, Parallelism.none());
        List<String> names = new ArrayList<>();
        for (NodeInfo node : feasible) {
            names.add(node.name());
            totals.put(node.name(), 0L);
        }
        algorithm.score(profile.preScore(state, pod, feasible), state, pod, feasible, (plugin, weighted) -> {
            for (int i = 0; i < weighted.size(); i++) {
                scores.computeIfAbsent(weighted.node(i).name(), name -> new TreeMap<>())
                        .put(plugin, weighted.score(i));
                totals.merge(weighted.node(i).name(), weighted.score(i), Long::sum);
            }
        });
        return new Evaluation(
                pod,
                all.size(),
                Optional.empty(),
                only,
                rejections,
                objections(notes, state, pod, rejected),
                names,
                scores,
                totals,
                "",
                Optional.empty(),
                Optional.empty());
    }

    private static Diagnosis.@Nullable NominatedNode nominated(
            Profile profile, CycleState state, ActiveFilters notes, Pod pod, Snapshot snapshot) {
        NodeInfo node = snapshot.node(pod.status().nominatedNodeName()).orElse(null);
        if (node == null) {
            return null;
        }
        Status[] answer = new Status[1];
        int rejecting = profile.filter(state, notes, pod, node, answer, 0);
        return rejecting < 0 ? null : new Diagnosis.NominatedNode(node, notes.filters()[rejecting].name(), answer[0]);
    }

    // Each filter's own view of the node, although the cycle stops at the first rejection: who explains wants to know
    // all. Asked last, since a filter may note for PostFilter what it found, and a cycle does not ask it everywhere.
    private static Map<String, List<Rejection>> objections(
            ActiveFilters notes, CycleState state, Pod pod, List<NodeInfo> rejected) {
        Map<String, List<Rejection>> objections = new TreeMap<>();
        for (NodeInfo node : rejected) {
            objections.put(node.name(), objections(notes, state, pod, node));
        }
        return objections;
    }

    private static List<Rejection> objections(ActiveFilters notes, CycleState state, Pod pod, NodeInfo node) {
        List<Rejection> found = new ArrayList<>();
        for (FilterPlugin plugin : notes.filters()) {
            Status status;
            try {
                status = plugin.filter(state, pod, node);
            } catch (RuntimeException thrown) {
                // A later filter may rely on what an earlier one has ruled out.
                status = Status.error(PluginFailure.text(thrown));
            }
            if (!status.isSuccess()) {
                found.add(new Rejection(plugin.name(), status));
            }
        }
        return found;
    }

    private static Optional<Rejection> rejection(Profile.@Nullable PostFiltered answer) {
        return answer == null
                ? Optional.empty()
                : Optional.of(new Rejection(answer.plugin(), answer.result().status()));
    }

    private static Optional<Evaluation.Preemption> preemption(Profile.@Nullable PostFiltered answer) {
        if (answer == null
                || !answer.result().status().isSuccess()
                || answer.result().nomination().nodeName().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Evaluation.Preemption(
                answer.result().nomination().nodeName(), answer.result().victims()));
    }
}
