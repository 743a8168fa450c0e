// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.FittingChange;

/** What would make a pod fit, a row for each change. */
final class FittingChangeRows {
    private FittingChangeRows() {}

    /** Prints the rows. */
    static void print(List<FittingChange> changes, boolean allNodes, Terminal terminal) {
        TextTable table = new TextTable().left().left();
        for (FittingChange change : changes) {
            table.row(List.of(
                    new Cell("  " + text(change, allNodes), TextStyle.GOOD),
                    Cell.of(RejectedNodes.count(change.nodes().size()) + ": "
                            + RejectedNodes.list(change.nodes(), allNodes))));
        }
        table.print(terminal);
    }

    private static String text(FittingChange change, boolean all) {
        String details = RejectedNodes.list(change.details(), all);
        return switch (change.kind()) {
            case LOWER_REQUESTS -> "it requests less by " + details;
            case TOLERATIONS -> "it tolerates " + details;
            case NODE_SELECTOR -> "its node selector is without " + details;
            case NODE_AFFINITY ->
                "it has no required node affinity" + (details.isEmpty() ? "" : ", and no node selector " + details);
            case POD_AFFINITY -> "it is without the required pod affinity by " + details;
            case POD_ANTI_AFFINITY -> "it is without the required pod anti-affinity by " + details;
            case TOPOLOGY_SPREAD -> "it may be spread less evenly: " + details;
            case UNCORDON -> details + " is uncordoned";
            case FEWER_PODS ->
                (change.details().size() == 1
                                ? "a pod leaves: "
                                : change.details().size() + " pods leave: ")
                        + details;
        };
    }

    /** The same for programs. */
    static void putAll(ArrayNode array, List<FittingChange> changes) {
        for (FittingChange change : changes) {
            ObjectNode entry = array.addObject().put("change", name(change.kind()));
            ArrayNode details = entry.putArray("details");
            change.details().forEach(details::add);
            ArrayNode nodes = entry.putArray("nodes");
            change.nodes().forEach(nodes::add);
        }
    }

    private static String name(FittingChange.Kind kind) {
        return switch (kind) {
            case LOWER_REQUESTS -> "lowerRequests";
            case TOLERATIONS -> "tolerations";
            case NODE_SELECTOR -> "nodeSelector";
            case NODE_AFFINITY -> "nodeAffinity";
            case POD_AFFINITY -> "podAffinity";
            case POD_ANTI_AFFINITY -> "podAntiAffinity";
            case TOPOLOGY_SPREAD -> "topologySpread";
            case UNCORDON -> "uncordon";
            case FEWER_PODS -> "fewerPods";
        };
    }
}
