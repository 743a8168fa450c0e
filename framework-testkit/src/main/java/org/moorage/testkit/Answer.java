// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Placement;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PlacementGenerateResult;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.api.plugin.PreFilterResult;

/**
 * One call of the plugin under test.
 *
 * @param method the method of its extension point
 * @param podKey the pod that it was about; empty if it was about none
 * @param nodeName the node, the placement or the progress that it was about; empty if it was about none
 * @param value what it returned, or null; of NormalizePlacementScore the scores that it left
 * @param thrown what it threw, or null
 * @param arguments what it was given
 */
record Answer(
        String method,
        String podKey,
        String nodeName,
        @Nullable Object value,
        @Nullable Throwable thrown,
        List<Object> arguments) {

    /** As a line of a failure's message, for example {@code Filter n1: Unschedulable: Insufficient cpu}. */
    String text() {
        String point = Character.toUpperCase(method.charAt(0)) + method.substring(1);
        return (nodeName.isEmpty() ? point : point + " " + nodeName) + ": " + valueText();
    }

    private String valueText() {
        if (thrown != null) {
            return "threw " + thrown;
        }
        if (value instanceof PreFilterResult result) {
            return text(result.status())
                    + result.nodeNames().map(names -> ", only nodes " + names).orElse("");
        }
        if (value instanceof NodeScores scores) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < scores.size(); i++) {
                text.append(text.isEmpty() ? "" : ", ")
                        .append(scores.node(i).name())
                        .append(' ')
                        .append(scores.score(i));
            }
            return text.toString();
        }
        if (value instanceof PlacementGenerateResult result) {
            return result.status().isSuccess() ? text(result.placements()) : text(result.status());
        }
        if (value instanceof PodGroupPostFilterResult result) {
            return text(result.status())
                    + (result.victims().isEmpty() ? "" : ", pods " + names(result.victims()) + " leave");
        }
        if (value instanceof Status status) {
            return text(status);
        }
        // What is done in the background is no part of the answer.
        return value == null || value instanceof CompletionStage ? "done" : value.toString();
    }

    private static String text(List<Placement> placements) {
        return placements.isEmpty()
                ? "none"
                : placements.stream().map(Answer::text).collect(Collectors.joining(", "));
    }

    private static String text(Placement placement) {
        return "\"" + placement.name() + "\" "
                + placement.nodes().stream().map(NodeInfo::name).toList();
    }

    /** The names of pods. */
    static List<String> names(List<Pod> pods) {
        return pods.stream().map(Pod::name).toList();
    }

    /** A status in kube-scheduler's words. */
    static String text(Status status) {
        return status.reasons().isEmpty()
                ? status.code().toString()
                : status.code() + ": \"" + String.join("\", \"", status.reasons()) + "\"";
    }
}
