// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.FittingChange;

/** What would make a pod fit, a row for each change. */
public final class FittingChangeRows {
    private static final int EXAMPLES = 3;

    private FittingChangeRows() {}

    /** Prints the rows. */
    static void print(List<FittingChange> changes, boolean allNodes, Terminal terminal) {
        TextTable table = new TextTable().left().left();
        for (FittingChange change : changes) {
            table.row(row(
                    text(change.kind(), change.details(), allNodes),
                    change.nodes().size(),
                    RejectedNodes.list(change.nodes(), allNodes)));
        }
        table.print(terminal);
    }

    private static List<Cell> row(String change, int nodes, String names) {
        return List.of(new Cell("  " + change, TextStyle.GOOD), Cell.of(RejectedNodes.count(nodes) + ": " + names));
    }

    private static String text(FittingChange.Kind kind, List<String> detailList, boolean all) {
        String details = RejectedNodes.list(detailList, all);
        return switch (kind) {
            case LOWER_REQUESTS -> "lower its request by " + details;
            case TOLERATIONS -> "tolerate " + details;
            case NODE_SELECTOR -> "remove " + details + " from its node selector";
            case NODE_AFFINITY ->
                "remove its required node affinity"
                        + (details.isEmpty() ? "" : ", and " + details + " from its node selector");
            case POD_AFFINITY -> "remove its required pod affinity by " + details;
            case POD_ANTI_AFFINITY -> "remove the required pod anti-affinity by " + details;
            case TOPOLOGY_SPREAD -> "relax its topology spread: " + details;
            case UNCORDON -> "uncordon " + details;
            case FEWER_PODS -> "evict " + details;
        };
    }

    /** The same for programs. */
    static void putAll(ArrayNode array, List<FittingChange> changes) {
        for (FittingChange change : changes) {
            ArrayNode nodes = put(array, change).putArray("nodes");
            change.nodes().forEach(nodes::add);
        }
    }

    private static ObjectNode put(ArrayNode array, FittingChange change) {
        ObjectNode entry = array.addObject().put("change", name(change.kind()));
        ArrayNode details = entry.putArray("details");
        change.details().forEach(details::add);
        return entry;
    }

    /** The same for programs, where answers are to be short: how many nodes there are, and the first few of them. */
    public static void putCounts(ArrayNode array, List<FittingChange> changes) {
        for (FittingChange change : changes) {
            ArrayNode examples =
                    put(array, change).put("nodes", change.nodes().size()).putArray("examples");
            change.nodes().stream().limit(EXAMPLES).forEach(examples::add);
        }
    }

    /** Prints the rows of what {@link #putCounts} has written, elsewhere maybe: what is not known is printed as it is. */
    static void printCounts(JsonNode changes, Terminal terminal) {
        TextTable table = new TextTable().left().left();
        for (JsonNode change : changes) {
            List<String> details = texts(change.path("details"));
            String name = WhyReport.clean(change.path("change").asText());
            List<String> examples = texts(change.path("examples"));
            int nodes = change.path("nodes").asInt();
            table.row(row(
                    kind(name).map(kind -> text(kind, details, false)).orElse(name + ": " + String.join(", ", details)),
                    nodes,
                    String.join(", ", examples) + (nodes > examples.size() ? ", …" : "")));
        }
        table.print(terminal);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(WhyReport.clean(text.asText())));
        return texts;
    }

    private static Optional<FittingChange.Kind> kind(String name) {
        for (FittingChange.Kind kind : FittingChange.Kind.values()) {
            if (name(kind).equals(name)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
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
