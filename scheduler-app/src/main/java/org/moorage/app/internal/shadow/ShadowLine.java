// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.report.Answer;

/**
 * A line of {@code moorage shadow -o json}: a difference, or the summary at the end.
 *
 * @param at the time at which the difference was found
 * @param difference the kind of difference
 * @param pod namespace and name of the pod
 * @param node the node that the other scheduler chose; empty if it chose none
 * @param best the nodes that Moorage would choose from
 * @param score the total score of the chosen node
 * @param bestScore the total score of the best nodes
 * @param plugins the plugins that score the best node and the chosen one differently
 * @param rejectedBy the plugin that rejects the chosen node
 * @param reason the difference in a sentence
 * @param summary the number of decisions by result, in the last line alone
 */
record ShadowLine(
        Optional<String> at,
        Optional<Difference.Kind> difference,
        Optional<String> pod,
        Optional<String> node,
        Optional<List<String>> best,
        Optional<Long> score,
        Optional<Long> bestScore,
        Optional<List<PluginScores>> plugins,
        Optional<Rejector> rejectedBy,
        Optional<String> reason,
        Optional<Summary> summary)
        implements Answer {
    /**
     * The scores of a plugin.
     *
     * @param plugin the plugin
     * @param score the weighted score of the chosen node
     * @param bestScore the weighted score of the first of the best nodes
     */
    record PluginScores(String plugin, long score, long bestScore) {}

    /**
     * A plugin that rejects the chosen node.
     *
     * @param plugin the plugin
     * @param reason its reason
     */
    record Rejector(String plugin, String reason) {}

    /**
     * The number of decisions by result.
     *
     * @param judged bindings that were compared
     * @param equal those to the only best node
     * @param ties those to one of several best nodes
     * @param nominated those to the node on which preemption made room
     * @param reordered those of them that are explained by another order of changes
     * @param sampling those that sampling of nodes may explain
     * @param differences those that nothing explains
     * @param rejectionsAgreed pods that are unschedulable for both
     * @param fitsHere pods that are pending there and fit here
     * @param unjudged pods that could not be compared
     */
    record Summary(
            int judged,
            int equal,
            int ties,
            int nominated,
            int reordered,
            int sampling,
            int differences,
            int rejectionsAgreed,
            int fitsHere,
            int unjudged) {}

    static ShadowLine of(String at, Difference difference) {
        return new ShadowLine(
                Optional.of(at),
                Optional.of(difference.kind()),
                Optional.of(difference.pod()),
                Optional.of(difference.nodeName()),
                Optional.of(difference.best()),
                difference.total(),
                difference.bestTotal(),
                Optional.of(difference.plugins().stream()
                        .map(scores -> new PluginScores(scores.plugin(), scores.chosen(), scores.best()))
                        .toList()),
                difference
                        .rejection()
                        .map(rejection -> new Rejector(
                                rejection.plugin(), rejection.status().message())),
                Optional.of(difference.reason()),
                Optional.empty());
    }

    static ShadowLine of(Verdicts verdicts) {
        return new ShadowLine(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Summary(
                        verdicts.judged(),
                        verdicts.equal(),
                        verdicts.ties(),
                        verdicts.nominated(),
                        verdicts.reordered(),
                        verdicts.sampling(),
                        verdicts.differences(),
                        verdicts.waiting(),
                        verdicts.fitsHere(),
                        verdicts.unjudged())));
    }
}
