// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.decision;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.moorage.api.FitMessage;

/**
 * The reasons why no node is feasible for a pod. Its text is the message that kube-scheduler writes into the pod's
 * condition. Immutable.
 *
 * @param nodeCount the number of nodes in the cluster
 * @param nodesByReason the number of nodes for each reason, sorted by reason; empty if PreFilter rejected the pod
 * @param preFilterMessage why PreFilter rejected the pod on all nodes; empty if it did not
 * @param postFilterMessage the message of the PostFilter plugin, such as why preemption does not help; may be empty
 */
public record UnschedulableReasons(
        int nodeCount, SortedMap<String, Integer> nodesByReason, String preFilterMessage, String postFilterMessage) {
    /** The cluster has no nodes, so no plugin was called. */
    public static final UnschedulableReasons NO_NODES =
            new UnschedulableReasons(0, Collections.emptySortedMap(), "", "");

    public UnschedulableReasons {
        nodesByReason = Collections.unmodifiableSortedMap(
                new TreeMap<>(Objects.requireNonNull(nodesByReason, "nodesByReason")));
        Objects.requireNonNull(preFilterMessage, "preFilterMessage");
        Objects.requireNonNull(postFilterMessage, "postFilterMessage");
    }

    /** Returns the message of the pod's condition. */
    @Override
    public String toString() {
        if (nodeCount == 0) {
            return "no nodes available to schedule pods";
        }
        FitMessage sentence = new FitMessage(nodeCount);
        nodesByReason.forEach(sentence::add);
        return sentence
                + (preFilterMessage.isEmpty() ? "" : " " + preFilterMessage + ".")
                + (postFilterMessage.isEmpty() ? "" : " " + postFilterMessage);
    }
}
