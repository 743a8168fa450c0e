// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.plugin.PreFilterResult;

/**
 * One call of the plugin under test.
 *
 * @param method the method of its extension point
 * @param podKey the pod that it was about; empty if it was about none
 * @param nodeName the node that it was about; empty if it was about none
 * @param value what it returned, or null
 * @param thrown what it threw, or null
 */
record Answer(
        String method,
        String podKey,
        String nodeName,
        @Nullable Object value,
        @Nullable Throwable thrown) {

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
        if (value instanceof Status status) {
            return text(status);
        }
        return value == null ? "done" : value.toString();
    }

    /** A status in kube-scheduler's words. */
    static String text(Status status) {
        return status.reasons().isEmpty()
                ? status.code().toString()
                : status.code() + ": \"" + String.join("\", \"", status.reasons()) + "\"";
    }
}
