// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.runtime.decision.PluginStatus;

/**
 * The nodes that a plugin rejects for one reason.
 *
 * @param plugin the plugin
 * @param message the reason
 * @param nodes the names of the nodes
 */
public record RejectedNodes(String plugin, String message, List<String> nodes) {
    public RejectedNodes {
        nodes = List.copyOf(nodes);
    }

    private record Reason(String plugin, String message) {}

    /**
     * Returns the rejections by reason, those of most nodes first.
     *
     * @param objections the answers of the filters that reject a node, by its name
     */
    public static List<RejectedNodes> of(Map<String, List<PluginStatus>> objections) {
        Map<Reason, List<String>> nodesByReason = new LinkedHashMap<>();
        objections.forEach((node, ofNode) -> {
            for (PluginStatus objection : ofNode) {
                for (String reason : objection.status().reasons()) {
                    nodesByReason
                            .computeIfAbsent(new Reason(objection.plugin(), reason), any -> new ArrayList<>())
                            .add(node);
                }
            }
        });
        List<RejectedNodes> rejected = new ArrayList<>();
        nodesByReason.forEach((reason, nodes) -> rejected.add(new RejectedNodes(reason.plugin, reason.message, nodes)));
        rejected.sort(Comparator.<RejectedNodes>comparingInt(entry -> -entry.nodes.size())
                .thenComparing(RejectedNodes::plugin)
                .thenComparing(RejectedNodes::message));
        return rejected;
    }

    /** Prints a row for each rejection. */
    public static void print(List<RejectedNodes> rejected, Terminal terminal) {
        TextTable table = new TextTable().left().left().left();
        for (RejectedNodes entry : rejected) {
            table.row(List.of(
                    new Cell("  " + entry.plugin, TextStyle.BAD),
                    Cell.of(entry.message),
                    Cell.of(Names.counted(entry.nodes.size(), "node") + ": " + Names.on(terminal, entry.nodes))));
        }
        table.print(terminal);
    }
}
