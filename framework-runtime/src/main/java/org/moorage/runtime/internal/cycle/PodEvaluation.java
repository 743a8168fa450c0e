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
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** Makes an {@link Evaluation} of an attempt that explains. */
public final class PodEvaluation {
    private final PodAttempt attempt;
    private final List<NodeInfo> rejected = new ArrayList<>();
    private final Map<String, PluginStatus> rejections = new TreeMap<>();
    private final Set<String> feasible = new TreeSet<>();
    private final Map<String, List<PluginStatus>> objections = new TreeMap<>();
    private final Map<String, Map<String, Long>> scores = new TreeMap<>();

    private PodEvaluation(PodAttempt attempt) {
        this.attempt = attempt;
        addRejections();
        addScores();
    }

    /**
     * Runs a scheduling cycle for a pod up to the choice of a node or PostFilter's decision, without executing the
     * decision.
     *
     * @throws PluginFailure if a plugin fails before PostFilter
     */
    public static Evaluation evaluate(SchedulingAlgorithm algorithm, Profile profile, Pod pod) {
        CycleState state = new CycleState();
        PodAttempt attempt = new PodAttempt(algorithm, profile, state, pod, PodAttempt.Options.EXPLAIN);
        Diagnosis diagnosis = attempt.run().diagnosis();
        PodEvaluation found = new PodEvaluation(attempt);
        Optional<PostFilterRun> postFiltered = Optional.empty();
        Optional<PluginStatus> postFilter = Optional.empty();
        if (diagnosis != null) {
            try {
                postFiltered = PostFilterRun.of(profile, state, pod, diagnosis, PostFilterRun.Execution.LEFT_OUT);
                postFilter = postFiltered.map(answer ->
                        new PluginStatus(answer.plugin(), answer.result().status()));
            } catch (PluginFailure failure) {
                // As in a cycle: the pod is still unschedulable.
                postFilter = Optional.of(PluginStatus.error(failure.plugin(), failure.getMessage()));
            }
        }
        // Last, because a filter may keep results for PostFilter in the state, and a cycle does not call all of the
        // filters.
        found.rejected.forEach(
                node -> found.objections.put(node.name(), attempt.filters().objections(node)));
        return new Evaluation(
                pod,
                algorithm.snapshot().candidates().size(),
                Optional.ofNullable(attempt.rejection()),
                Optional.ofNullable(attempt.nodeNames()),
                found.rejections,
                found.objections,
                List.copyOf(found.feasible),
                found.scores,
                found.totals(),
                diagnosis == null ? "" : diagnosis.message("").text(),
                postFilter,
                preemption(postFiltered));
    }

    private void addRejections() {
        Diagnosis diagnosis = attempt.diagnosis();
        for (NodeInfo node : attempt.nodes()) {
            PluginStatus rejection = diagnosis.whyNot(node);
            if (rejection == null) {
                feasible.add(node.name());
                continue;
            }
            rejections.put(node.name(), rejection);
            if (rejection.plugin().equals(Extenders.NAME)) {
                objections.put(node.name(), List.of(rejection));
            } else {
                rejected.add(node);
            }
        }
    }

    private void addScores() {
        attempt.scoresByPlugin().forEach((plugin, weighted) -> {
            for (int i = 0; i < weighted.size(); i++) {
                scores.computeIfAbsent(weighted.node(i).name(), name -> new TreeMap<>())
                        .put(plugin, weighted.score(i));
            }
        });
        for (Extenders.ExtenderScores given : attempt.scoresOfExtenders()) {
            given.scores().forEach((node, score) -> {
                if (feasible.contains(node)) {
                    scores.computeIfAbsent(node, name -> new TreeMap<>()).merge(given.extender(), score, Long::sum);
                }
            });
        }
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
