// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;

/**
 * A decision of the other scheduler that would be another one here.
 *
 * @param kind in which way
 * @param pod the pod, by namespace and name
 * @param nodeName the node that the other scheduler chose; empty if it chose none
 * @param best the nodes that would be right choices here; empty if there is none
 * @param total the total of the chosen node, if it has one
 * @param bestTotal the total of the best nodes, if there are any
 * @param plugins for each plugin that scores the first of the best nodes and the chosen one differently, both weighted
 *     scores
 * @param rejection why the chosen node is infeasible for Moorage
 * @param message why the pod is unschedulable for Moorage or for the other scheduler; may be empty
 */
public record Difference(
        Kind kind,
        String pod,
        String nodeName,
        List<String> best,
        Optional<Long> total,
        Optional<Long> bestTotal,
        List<PluginScores> plugins,
        Optional<PluginStatus> rejection,
        String message) {
    private static final int MOST_NODES = 5;

    public Difference {
        best = List.copyOf(best);
        plugins = List.copyOf(plugins);
    }

    /** The kind of a difference. */
    public enum Kind {
        /** Another node has a higher total here. */
        LOWER_SCORE,
        /**
         * Another node has a higher total here; the other scheduler may not have scored it, since it scores a sample of
         * the nodes.
         */
        SAMPLING,
        /** The chosen node is rejected here. */
        REJECTED_HERE,
        /** No node was chosen, and one is feasible here. */
        FITS_HERE
    }

    /**
     * A plugin's scores for two nodes.
     *
     * @param plugin its name
     * @param chosen the weighted score of the chosen node
     * @param best that of the first of the best nodes
     */
    public record PluginScores(String plugin, long chosen, long best) {}

    /** That of a pod on a node which is no right choice here. */
    static Difference of(Kind kind, Evaluation evaluation, String nodeName) {
        List<String> best = evaluation.best();
        List<PluginScores> plugins = List.of();
        if (!best.isEmpty() && evaluation.totals().containsKey(nodeName)) {
            plugins = scores(
                    evaluation.scores().getOrDefault(nodeName, Map.of()),
                    evaluation.scores().getOrDefault(best.get(0), Map.of()));
        }
        return new Difference(
                kind,
                evaluation.pod().key(),
                nodeName,
                best.subList(0, Math.min(MOST_NODES, best.size())),
                Optional.ofNullable(evaluation.totals().get(nodeName)),
                best.isEmpty()
                        ? Optional.empty()
                        : Optional.ofNullable(evaluation.totals().get(best.get(0))),
                plugins,
                evaluation.whyNot(nodeName).or(evaluation::preFilterRejection),
                evaluation.message());
    }

    private static List<PluginScores> scores(Map<String, Long> chosen, Map<String, Long> best) {
        return best.entrySet().stream()
                .filter(score -> !score.getValue().equals(chosen.get(score.getKey())))
                .map(score ->
                        new PluginScores(score.getKey(), chosen.getOrDefault(score.getKey(), 0L), score.getValue()))
                .toList();
    }

    /** The other scheduler had this pod wait, though it fits here. */
    static Difference fits(Evaluation evaluation, String message) {
        Difference found = of(Kind.FITS_HERE, evaluation, "");
        return new Difference(
                found.kind,
                found.pod,
                "",
                found.best,
                Optional.empty(),
                found.bestTotal,
                List.of(),
                Optional.empty(),
                message);
    }

    /** The reason in a sentence. */
    public String reason() {
        return switch (kind) {
            case REJECTED_HERE ->
                rejection
                        .map(why -> new PluginStatus(why.plugin(), why.status()))
                        .map(why -> why.plugin() + " rejects the node: "
                                + why.status().message())
                        .orElse("the node was not among those to look at");
            case LOWER_SCORE, SAMPLING -> {
                StringBuilder text = new StringBuilder("total " + total.orElse(0L) + ", and " + bestTotal.orElse(0L)
                        + " of " + String.join(", ", best));
                for (PluginScores scores : plugins) {
                    text.append("; ")
                            .append(scores.plugin())
                            .append(' ')
                            .append(scores.chosen())
                            .append(" and ")
                            .append(scores.best());
                }
                yield text.toString();
            }
            case FITS_HERE -> "it would fit " + String.join(", ", best) + " here; there: " + message;
        };
    }
}
