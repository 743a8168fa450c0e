// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds the message for a pod that fits on no node, with the number of nodes for each reason:
 * {@code 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).}
 */
public final class FitMessage {
    private final int nodeCount;
    private final Map<String, Integer> nodesByReason = new HashMap<>();

    /** Creates a message for a number of nodes, without reasons yet. */
    public FitMessage(int nodeCount) {
        this.nodeCount = nodeCount;
    }

    /** Adds the reasons of one node. */
    public FitMessage add(Status status) {
        return add(status, 1);
    }

    /** Adds the reasons that several nodes have in common. */
    public FitMessage add(Status status, int nodes) {
        List<String> reasons = status.reasons();
        for (int i = 0; i < reasons.size(); i++) {
            FitMessage ignored = add(reasons.get(i), nodes);
        }
        return this;
    }

    /** Adds a reason that a number of nodes have in common; nothing if there are no such nodes. */
    public FitMessage add(String reason, int nodes) {
        if (nodes > 0) {
            nodesByReason.merge(reason, nodes, Integer::sum);
        }
        return this;
    }

    /** Returns the number of nodes for each reason added so far, sorted by reason. */
    public SortedMap<String, Integer> nodesByReason() {
        return new TreeMap<>(nodesByReason);
    }

    /** Returns the message. */
    @Override
    public String toString() {
        List<String> counted = new ArrayList<>(nodesByReason.size());
        nodesByReason.forEach((reason, count) -> counted.add(count + " " + reason));
        // Sorted as strings, as in kube-scheduler: "10 ..." comes before "2 ...".
        Collections.sort(counted);
        String start = "0/" + nodeCount + " nodes are available:";
        return counted.isEmpty() ? start : start + " " + String.join(", ", counted) + ".";
    }
}
