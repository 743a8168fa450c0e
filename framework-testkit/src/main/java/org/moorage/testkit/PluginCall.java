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
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * One call of the plugin under test.
 *
 * @param method the method of its extension point
 * @param podKey the pod of the call; empty if there is none
 * @param nodeName the node, the placement or the progress of the call; empty if there is none
 * @param value the returned value, or null
 * @param thrown the exception, or null
 * @param arguments the arguments
 */
record PluginCall(
        String method,
        String podKey,
        String nodeName,
        @Nullable Object value,
        @Nullable Throwable thrown,
        List<Object> arguments) {

    /** Returns a line for a failure message, for example {@code Filter n1: Unschedulable: Insufficient cpu}. */
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
        // Background work is not part of the result.
        return value == null || value instanceof CompletionStage ? "done" : value.toString();
    }

    private static String text(List<Placement> placements) {
        return placements.isEmpty()
                ? "none"
                : placements.stream().map(PluginCall::text).collect(Collectors.joining(", "));
    }

    private static String text(Placement placement) {
        return "\"" + placement.name() + "\" "
                + placement.nodes().stream().map(NodeInfo::name).toList();
    }

    /** Returns the names of pods. */
    static List<String> names(List<Pod> pods) {
        return pods.stream().map(Pod::name).toList();
    }

    /** Returns a status in kube-scheduler's words. */
    static String text(Status status) {
        return status.reasons().isEmpty()
                ? status.code().toString()
                : status.code() + ": \"" + String.join("\", \"", status.reasons()) + "\"";
    }
}
