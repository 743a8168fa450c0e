// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import org.moorage.simulation.whatif.DisruptedPod.Outcome;

/**
 * The words for an outcome.
 *
 * @param message the message in a pod's row; empty if the new node says it all
 * @param one the text after "1"
 * @param many the text after another number
 * @param figure the name of the number as a figure
 */
record OutcomeText(String message, String one, String many, String figure) {
    static OutcomeText of(Outcome outcome) {
        return switch (outcome) {
            case RESCHEDULED -> new OutcomeText("", "is rescheduled", "are rescheduled", "rescheduled");
            case RETURNED ->
                new OutcomeText(
                        "scheduled to a drained node, since it tolerates that the node is unschedulable",
                        "returns to a drained node",
                        "return to drained nodes",
                        "scheduled to a drained node");
            case PENDING -> new OutcomeText("pending", "is pending", "are pending", "pending");
            case LOST -> new OutcomeText("lost: no controller creates it again", "is lost", "are lost", "lost");
            case ENDED -> new OutcomeText("has ended", "has ended", "have ended", "ended before");
            case DAEMON_PODS ->
                new OutcomeText(
                        "belongs to its node",
                        "is a DaemonSet or static pod",
                        "are DaemonSet or static pods",
                        "DaemonSet or static pods");
            case BLOCKED_BY_BUDGET ->
                new OutcomeText("blocked", "is blocked by a budget", "are blocked by budgets", "blocked by budgets");
            case REFUSED -> new OutcomeText("refused", "cannot be evicted", "cannot be evicted", "cannot be evicted");
            case BLOCKED_BY_OTHER_PODS ->
                new OutcomeText(
                        "not evicted",
                        "is blocked by another pod",
                        "are blocked by other pods",
                        "blocked by other pods");
            case NOT_SELECTED -> new OutcomeText("not selected", "is not selected", "are not selected", "not selected");
        };
    }
}
