// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.decision.Rejection;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** Makes an {@link Evaluation} of what it is shown of a scheduling cycle. */
public final class EvaluationRecorder implements CycleRecorder {
    static final Status LEFT_OUT = Status.unresolvable("left out of the extender's answer");

    private Optional<Rejection> preFilterRejection = Optional.empty();
    private Optional<Set<String>> preFilterNodes = Optional.empty();
    private final List<NodeInfo> rejected = new ArrayList<>();
    private final Map<String, Rejection> rejections = new TreeMap<>();
    private final Set<String> feasible = new TreeSet<>();
    private final Map<String, List<PluginStatus>> objectionsOfExtenders = new TreeMap<>();
    private final Map<String, Map<String, Long>> scores = new TreeMap<>();

    private EvaluationRecorder() {}

    /**
     * Runs a scheduling cycle for a pod up to the choice of a node or PostFilter's decision, without doing what is decided.
     *
     * @throws PluginFailure if a plugin fails before PostFilter
     */
    public static Evaluation evaluate(SchedulingAlgorithm algorithm, Profile profile, Pod pod, TrialSnapshot snapshot) {
        EvaluationRecorder recorder = new EvaluationRecorder();
        CycleState state = new CycleState();
        SchedulingAlgorithm.Result result = algorithm.find(profile, state, pod, snapshot, recorder);
        Diagnosis diagnosis = result.diagnosis();
        Optional<PostFilterRun> postFiltered = Optional.empty();
        Optional<PluginStatus> postFilter = Optional.empty();
        if (diagnosis != null) {
            try {
                postFiltered = PostFilterRun.of(profile, state, pod, diagnosis, PostFilterRun.Execution.LEFT_OUT);
                postFilter = postFiltered.map(answer ->
                        new PluginStatus(answer.plugin(), answer.result().status()));
            } catch (PluginFailure failure) {
                // As in a cycle: the pod is unschedulable all the same.
                postFilter = Optional.of(PluginStatus.error(failure.plugin(), failure.getMessage()));
            }
        }
        return new Evaluation(
                pod,
                snapshot.candidates().size(),
                recorder.preFilterRejection,
                recorder.preFilterNodes,
                recorder.rejections,
                // Asked last: a filter may keep for PostFilter what it found, and a cycle does not ask all of them.
                recorder.objections(state),
                List.copyOf(recorder.feasible),
                recorder.scores,
                recorder.totals(),
                diagnosis == null ? "" : diagnosis.message("").text(),
                postFilter,
                preemption(postFiltered));
    }

    @Override
    public void preFiltered(FilterRun answer) {
        PluginStatus rejection = answer.rejection();
        if (rejection != null) {
            preFilterRejection = Optional.of(new Rejection(rejection.plugin(), rejection.status()));
        }
        preFilterNodes = Optional.ofNullable(answer.nodeNames());
    }

    @Override
    public void filtered(NodeInfo node, PluginStatus answer) {
        if (answer.isSuccess()) {
            feasible.add(node.name());
        } else {
            rejected.add(node);
            rejections.put(node.name(), new Rejection(answer.plugin(), answer.status()));
        }
    }

    @Override
    public void extended(List<NodeInfo> left, Map<String, Status> statuses) {
        Set<String> names = new TreeSet<>();
        left.forEach(node -> names.add(node.name()));
        for (String name : List.copyOf(feasible)) {
            if (!names.contains(name)) {
                feasible.remove(name);
                Status status = statuses.getOrDefault(name, LEFT_OUT);
                rejections.put(name, new Rejection(Extenders.NAME, status));
                objectionsOfExtenders.put(name, List.of(new PluginStatus(Extenders.NAME, status)));
            }
        }
    }

    @Override
    public void scored(Extenders.Scores given) {
        given.scores().forEach((node, score) -> {
            if (feasible.contains(node)) {
                scores.computeIfAbsent(node, name -> new TreeMap<>()).merge(given.extender(), score, Long::sum);
            }
        });
    }

    @Override
    public void scored(String plugin, NodeScores weighted) {
        for (int i = 0; i < weighted.size(); i++) {
            scores.computeIfAbsent(weighted.node(i).name(), name -> new TreeMap<>())
                    .put(plugin, weighted.score(i));
        }
    }

    private Map<String, List<PluginStatus>> objections(CycleState state) {
        Map<String, List<PluginStatus>> objections = new TreeMap<>(objectionsOfExtenders);
        for (NodeInfo node : rejected) {
            objections.put(node.name(), FilterRun.of(state).objections(node));
        }
        return objections;
    }

    private Map<String, Long> totals() {
        Map<String, Long> totals = new TreeMap<>();
        for (String node : feasible) {
            long total = 0;
            for (long score : scores.getOrDefault(node, Map.of()).values()) {
                total += score;
            }
            totals.put(node, total);
        }
        return totals;
    }

    private static Optional<Evaluation.Preemption> preemption(Optional<PostFilterRun> answer) {
        return answer.map(PostFilterRun::result)
                .filter(result -> result.status().isSuccess())
                .map(result -> new Evaluation.Preemption(result.nomination().nodeName(), result.victims()));
    }
}
