// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.Answer;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.Explanation.Moment;

/**
 * The results of the plugins for a pod on each node.
 *
 * @param pod namespace and name
 * @param moment the moment of the evaluation: at the pod's turn in the simulation, at its end, or in the cluster as it
 *     is
 * @param podsBefore the number of other pods that were tried before
 * @param outcome the pod at the end of the simulation
 * @param fits whether a node is feasible
 * @param message the message of the pod's condition if no node is feasible
 * @param notes notes on the evaluation
 * @param nodeCount the number of nodes
 * @param best the nodes with the highest score
 * @param scores the scores of the feasible nodes, the highest first
 * @param rejections the nodes that plugins reject, by reason
 * @param preFilter the rejection of the pod as a whole, before any node is looked at
 * @param preFilterNodes the only nodes that PreFilter plugins leave
 * @param postFilter the answer of PostFilter plugins if no node is feasible
 * @param preemption the node on which preemption would make room
 * @param changes changes of the pod or the cluster that make it fit
 */
public record PodExplanation(
        Pod pod,
        Moment moment,
        int podsBefore,
        Optional<PodResult> outcome,
        boolean fits,
        String message,
        List<String> notes,
        int nodeCount,
        List<String> best,
        List<NodeScores> scores,
        List<RejectedNodes> rejections,
        Optional<PluginMessage> preFilter,
        Optional<Set<String>> preFilterNodes,
        Optional<PluginMessage> postFilter,
        Optional<Preemption> preemption,
        List<PodChange> changes)
        implements Answer {
    /**
     * The scores of a node.
     *
     * @param node the node
     * @param total the sum of the weighted scores
     * @param plugins the weighted scores by plugin
     */
    public record NodeScores(String node, long total, Map<String, Long> plugins) {}

    /**
     * A node on which preemption would make room.
     *
     * @param node the node
     * @param victims the pods to preempt, the most important first
     */
    public record Preemption(String node, List<Pod> victims) {}

    /**
     * Returns an explanation as an answer.
     *
     * @param notes notes on the evaluation
     */
    public static PodExplanation of(Explanation explanation, List<String> notes) {
        Evaluation evaluation = explanation.evaluation();
        List<String> allNotes = new ArrayList<>(notes);
        explanation
                .decision()
                .flatMap(decision -> difference(decision, evaluation))
                .ifPresent(allNotes::add);
        return new PodExplanation(
                evaluation.pod(),
                explanation.moment(),
                explanation.podsBefore(),
                explanation.outcome().map(PodResult::of),
                evaluation.fits(),
                evaluation.message(),
                allNotes,
                evaluation.nodeCount(),
                evaluation.best(),
                scores(
                        evaluation,
                        explanation.decision().map(Decision::nodeName).orElse("")),
                RejectedNodes.of(evaluation.objections()),
                evaluation
                        .preFilterRejection()
                        .map(rejection -> PluginMessage.of(rejection.plugin(), rejection.status())),
                evaluation.preFilterNodes(),
                evaluation
                        .postFilter()
                        .map(answer -> new PluginMessage(
                                // A rejection has the reasons of all plugins.
                                Optional.of(answer.plugin())
                                        .filter(plugin -> answer.status().isSuccess()),
                                answer.status().code().toString(),
                                answer.status().message())),
                evaluation.preemption().map(room -> new Preemption(room.nodeName(), room.victims())),
                PodChange.all(explanation.changes()));
    }

    private static List<NodeScores> scores(Evaluation evaluation, String chosen) {
        return evaluation.feasible().stream()
                .map(node -> new NodeScores(
                        node,
                        evaluation.totals().getOrDefault(node, 0L),
                        new TreeMap<>(evaluation.scores().getOrDefault(node, Map.of()))))
                .sorted(Comparator.<NodeScores>comparingLong(scores -> -scores.total)
                        .thenComparing(scores -> !scores.node.equals(chosen))
                        .thenComparing(NodeScores::node))
                .toList();
    }

    // An attempt looks at some of the nodes, the evaluation at all of them.
    private static Optional<String> difference(Decision decision, Evaluation evaluation) {
        if (decision.nodeName().isEmpty() || evaluation.best().contains(decision.nodeName())) {
            return Optional.empty();
        }
        return Optional.of(
                decision.nodeName().equals(evaluation.pod().status().nominatedNodeName())
                        ? "The pod was nominated to " + decision.nodeName() + ", so no other node was looked at."
                        : "The attempt looked at " + decision.evaluatedNodes() + " of "
                                + Names.counted(evaluation.nodeCount(), "node") + "; " + decision.nodeName()
                                + " was the best of them.");
    }
}
