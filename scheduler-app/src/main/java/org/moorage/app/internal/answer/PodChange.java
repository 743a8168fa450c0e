// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.List;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChange.Kind;

/**
 * A change of a pod or of the cluster that makes the pod fit.
 *
 * @param change the kind of change
 * @param details the changed parts, such as {@code cpu 500m} or {@code disk=ssd}
 * @param nodes the nodes on which the pod fits then
 */
public record PodChange(Kind change, List<String> details, List<String> nodes) {
    private static final int EXAMPLES = 3;

    /**
     * A change, in short.
     *
     * @param change the kind of change
     * @param details the changed parts
     * @param nodes the number of nodes on which the pod fits then
     * @param examples the first of these nodes
     */
    public record Short(String change, List<String> details, int nodes, List<String> examples) {}

    /** Returns changes as answers have them. */
    public static List<PodChange> all(List<FittingChange> changes) {
        return changes.stream()
                .map(change -> new PodChange(change.kind(), change.details(), change.nodes()))
                .toList();
    }

    /** Returns changes in short. */
    public static List<Short> inShort(List<FittingChange> changes) {
        return changes.stream()
                .map(change -> new Short(
                        AnswerJson.name(change.kind()),
                        change.details(),
                        change.nodes().size(),
                        change.nodes().stream().limit(EXAMPLES).toList()))
                .toList();
    }

    /** Prints a row for each change. */
    public static void print(List<FittingChange> changes, Terminal terminal) {
        TextTable table = new TextTable().left().left();
        for (FittingChange change : changes) {
            table.row(row(
                    text(change.kind(), Names.on(terminal, change.details())),
                    change.nodes().size(),
                    Names.on(terminal, change.nodes())));
        }
        table.print(terminal);
    }

    /** Prints a row for each change of another program, which may know further kinds. */
    public static void printShort(List<Short> changes, Terminal terminal) {
        TextTable table = new TextTable().left().left();
        for (Short change : changes) {
            String details = String.join(", ", change.details);
            String text = change.change + ": " + details;
            for (Kind kind : Kind.values()) {
                text = AnswerJson.name(kind).equals(change.change) ? text(kind, details) : text;
            }
            String more = change.nodes > change.examples.size() ? ", …" : "";
            table.row(row(text, change.nodes, String.join(", ", change.examples) + more));
        }
        table.print(terminal);
    }

    private static List<Cell> row(String change, int nodes, String names) {
        return List.of(new Cell("  " + change, TextStyle.GOOD), Cell.of(Names.counted(nodes, "node") + ": " + names));
    }

    private static String text(Kind kind, String details) {
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
            case OBJECTS -> details;
        };
    }
}
