// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.runtime.decision.PluginStatus;

/** The nodes that a plugin rejects for one reason. */
record RejectedNodes(String plugin, String reason, List<String> nodes) {
    private static final int NAMED = 6;

    private record PluginReason(String plugin, String reason) {}

    /**
     * Those that reject the most nodes first.
     *
     * @param objections what each filter that rejects a node answers, by the name of the node
     */
    static List<RejectedNodes> of(Map<String, List<PluginStatus>> objections) {
        Map<PluginReason, List<String>> nodesByReason = new LinkedHashMap<>();
        objections.forEach((node, ofNode) -> {
            for (PluginStatus objection : ofNode) {
                for (String reason : objection.status().reasons()) {
                    nodesByReason
                            .computeIfAbsent(new PluginReason(objection.plugin(), reason), any -> new ArrayList<>())
                            .add(node);
                }
            }
        });
        List<RejectedNodes> rejected = new ArrayList<>();
        nodesByReason.forEach((reason, nodes) -> rejected.add(new RejectedNodes(reason.plugin, reason.reason, nodes)));
        rejected.sort(Comparator.<RejectedNodes>comparingInt(entry -> -entry.nodes.size())
                .thenComparing(RejectedNodes::plugin)
                .thenComparing(RejectedNodes::reason));
        return rejected;
    }

    /** How many nodes, and which. */
    String text(boolean all) {
        return count(nodes.size()) + ": " + list(nodes, all);
    }

    static String count(int nodes) {
        return nodes == 1 ? "1 node" : nodes + " nodes";
    }

    /** The names, or the first of many. */
    static String list(List<String> names, boolean all) {
        if (all || names.size() <= NAMED) {
            return String.join(", ", names);
        }
        return String.join(", ", names.subList(0, NAMED - 1)) + " and " + (names.size() - NAMED + 1) + " more";
    }

    /** The same for programs. */
    static void putAll(ArrayNode array, List<RejectedNodes> rejected) {
        for (RejectedNodes entry : rejected) {
            ObjectNode rejection = array.addObject().put("plugin", entry.plugin).put("message", entry.reason);
            ArrayNode nodes = rejection.putArray("nodes");
            entry.nodes.forEach(nodes::add);
        }
    }
}
