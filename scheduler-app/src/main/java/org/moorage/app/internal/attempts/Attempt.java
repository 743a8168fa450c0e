// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.AttemptDetails.NodeTotal;

/**
 * An attempt to schedule a pod or a group of pods, or several in a row that came to the same.
 *
 * @param first when the first of them ended
 * @param last when the last of them ended
 * @param times how many there were
 * @param number which attempt at the pod the last one was, counted from 1; 0 of a group
 * @param result how it ended
 * @param nodeName the chosen node; empty if there is none
 * @param message why there is no node, or why the pod was not bound
 * @param evaluatedNodes the number of evaluated nodes
 * @param feasibleNodes the number of feasible nodes among them
 * @param reasons why nodes are infeasible, the most frequent reason first
 * @param best the nodes with the highest totals
 * @param postFilter what PostFilter answered; empty if it was not asked
 * @param nominatedNode the node on which room is made; empty if there is none
 */
record Attempt(
        Instant first,
        Instant last,
        int times,
        int number,
        Result result,
        String nodeName,
        String message,
        int evaluatedNodes,
        int feasibleNodes,
        List<NodeReason> reasons,
        List<NodeTotal> best,
        Optional<String> postFilter,
        String nominatedNode) {
    private static final int OBJECT_BYTES = 200;
    private static final int REASON_BYTES = 150;

    /** The result of an attempt. */
    enum Result {
        /** A node was chosen, and the pod is being bound to it. */
        SCHEDULED,
        /** The pod was not bound to the chosen node. */
        BINDING_FAILED,
        /** No node is feasible. */
        UNSCHEDULABLE,
        /** No node is feasible, and preemption makes room. */
        NOMINATED,
        /** Something failed. */
        ERROR
    }

    /** Whether another one came to the same; what was scored may differ. */
    boolean isLike(Attempt other) {
        return result == other.result
                && nodeName.equals(other.nodeName)
                && message.equals(other.message)
                && nominatedNode.equals(other.nominatedNode);
    }

    /** This one, after others that came to the same. */
    Attempt after(Attempt before) {
        return new Attempt(
                before.first,
                last,
                before.times + times,
                number,
                result,
                nodeName,
                message,
                evaluatedNodes,
                feasibleNodes,
                reasons,
                best,
                postFilter,
                nominatedNode);
    }

    /** The same, where the pod was not bound for that reason. */
    Attempt bindingFailed(String why) {
        return new Attempt(
                first,
                last,
                times,
                number,
                Result.BINDING_FAILED,
                nodeName,
                why,
                evaluatedNodes,
                feasibleNodes,
                reasons,
                best,
                postFilter,
                nominatedNode);
    }

    /** About how many bytes of memory it takes. */
    int bytes() {
        return OBJECT_BYTES
                + message.length()
                + postFilter.map(String::length).orElse(0)
                + REASON_BYTES * (reasons.size() + best.size());
    }
}
