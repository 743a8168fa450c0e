// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.NodeRemovalResult;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;
import org.moorage.simulation.whatif.NodeRemovalResult.RemovableNode;

/** The nodes that can be removed. */
public final class ScaleDownReport implements Answer {
    // So many fit on a screen.
    private static final int NODE_ROWS = 20;
    private static final int REASON_ROWS = 20;

    private final NodeRemovalResult result;
    private final ScaleDownRows rows;
    private final Set<String> together;
    private final Map<String, Double> costs;

    /**
     * A report.
     *
     * @param costs the price per hour of each node by its name; empty if prices are not known
     */
    public ScaleDownReport(NodeRemovalResult result, ScaleDownRows rows, Map<String, Double> costs) {
        this.result = result;
        this.rows = rows;
        this.costs = Map.copyOf(costs);
        together = new HashSet<>(result.together());
    }

    @Override
    public int exitCode() {
        return result.removable() > 0 ? 0 : 1;
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("nodes", Integer.toString(result.nodes().size()));
        figures.put("removable individually", Integer.toString(result.removable()));
        figures.put("removable together", Integer.toString(result.together().size()));
        if (!costs.isEmpty()) {
            figures.put("saved per hour", AmountFormat.money(saved()));
        }
        figures.putAll(DisruptedRows.figures(result.drain().pods()));
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        printNodes(terminal);
        printReasons(terminal);
        TextTable.printHeadline(summary(), terminal);
        if (!costs.isEmpty()) {
            TextTable.printWrapped(
                    "Removing " + (together.size() == 1 ? "this node" : "these " + together.size() + " nodes")
                            + " saves " + AmountFormat.money(saved()) + " of " + AmountFormat.money(cost())
                            + " per hour.",
                    terminal);
        }
    }

    private double saved() {
        return result.together().stream()
                .mapToDouble(node -> costs.getOrDefault(node, 0.0))
                .sum();
    }

    private double cost() {
        return costs.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    // That a set is the largest one is not known, unless it has all nodes that can be removed.
    private String summary() {
        int nodes = result.nodes().size();
        int removable = result.removable();
        int together = result.together().size();
        String individually =
                removable + " of " + (nodes == 1 ? "1 node" : nodes + " nodes") + " can be removed individually";
        if (removable == 0) {
            return individually + ".";
        }
        String which = removable == 1
                ? individually
                : individually + "; "
                        + (together == removable
                                ? "all of them can be removed together"
                                : "the largest set found that can be removed together has "
                                        + (together == 1 ? "1 node" : together + " nodes"));
        int pods = result.drain().pods().size();
        return which
                + (pods == 0
                        ? "."
                        : ". When drained, of " + (pods == 1 ? "1 pod " : pods + " pods ")
                                + DisruptedRows.summary(result.drain().pods()) + ".");
    }

    private void printNodes(Terminal terminal) {
        List<RemovableNode> removable = new ArrayList<>(result.nodes());
        removable.removeIf(node -> !node.isRemovable());
        if (removable.isEmpty()) {
            return;
        }
        TextTable table =
                new TextTable().left("NODE").right("PODS").right("USED").left("TOGETHER");
        if (!costs.isEmpty()) {
            table.right("COST PER HOUR");
        }
        int shown = rows.allNodes() ? removable.size() : Math.min(NODE_ROWS, removable.size());
        for (RemovableNode node : removable.subList(0, shown)) {
            List<Cell> cells = new ArrayList<>(List.of(
                    Cell.of(node.nodeName()),
                    Cell.of(Integer.toString(node.pods())),
                    Cell.of(percent(node)),
                    together.contains(node.nodeName())
                            ? new Cell("yes", TextStyle.GOOD)
                            : new Cell("no", TextStyle.WARNING)));
            if (!costs.isEmpty()) {
                cells.add(Cell.of(AmountFormat.money(costs.getOrDefault(node.nodeName(), 0.0))));
            }
            table.row(cells);
        }
        table.print(terminal);
        if (shown < removable.size()) {
            terminal.out().println("and " + (removable.size() - shown) + " more (--all-nodes shows every node)");
        }
        terminal.out().println();
    }

    private static String percent(RemovableNode node) {
        return Math.round(100 * node.utilization()) + "%";
    }

    private void printReasons(Terminal terminal) {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (RemovableNode node : result.nodes()) {
            if (!node.isRemovable()) {
                List<String> reasons =
                        node.obstacles().stream().map(Obstacle::reason).toList();
                byReason.computeIfAbsent(String.join("; ", reasons), any -> new ArrayList<>())
                        .add(node.nodeName());
            }
        }
        if (byReason.isEmpty()) {
            return;
        }
        List<Map.Entry<String, List<String>>> most = new ArrayList<>(byReason.entrySet());
        most.sort(Comparator.comparingInt(entry -> -entry.getValue().size()));
        TextTable table = new TextTable().right("NODES").left("SUCH AS").left("CANNOT BE REMOVED");
        int shown = Math.min(REASON_ROWS, most.size());
        for (Map.Entry<String, List<String>> entry : most.subList(0, shown)) {
            table.row(List.of(
                    Cell.of(Integer.toString(entry.getValue().size())),
                    Cell.of(entry.getValue().get(0)),
                    Cell.of(entry.getKey())));
        }
        table.print(terminal);
        int others = 0;
        for (Map.Entry<String, List<String>> entry : most.subList(shown, most.size())) {
            others += entry.getValue().size();
        }
        if (others > 0) {
            terminal.out()
                    .println("and " + (most.size() - shown) + " more rows with " + others + " nodes (-o json has all)");
        }
        terminal.out().println();
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode nodes = tree.putArray("nodes");
        for (RemovableNode node : result.nodes()) {
            ObjectNode entry = nodes.addObject()
                    .put("node", node.nodeName())
                    .put("utilization", node.utilization())
                    .put("pods", node.pods())
                    .put("removable", node.isRemovable())
                    .put("together", together.contains(node.nodeName()));
            if (!costs.isEmpty()) {
                entry.put("costPerHour", AmountFormat.rounded(costs.getOrDefault(node.nodeName(), 0.0)));
            }
            ObjectNode moves = entry.putObject("rescheduledTo");
            node.moves().entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(move -> moves.put(move.getKey(), move.getValue()));
            ArrayNode obstacles = entry.putArray("obstacles");
            for (Obstacle obstacle : node.obstacles()) {
                ArrayNode pods =
                        obstacles.addObject().put("reason", obstacle.reason()).putArray("pods");
                obstacle.pods().forEach(pod -> pods.add(pod.key()));
            }
        }
        ArrayNode names = tree.putArray("together");
        result.together().forEach(names::add);
        ObjectNode summary = tree.putObject("summary")
                .put("nodes", result.nodes().size())
                .put("removable", result.removable())
                .put("together", result.together().size())
                .put("rounds", result.drain().rounds());
        DisruptedRows.putCounts(summary.putObject("drain"), result.drain().pods());
        if (!costs.isEmpty()) {
            summary.put("costPerHour", AmountFormat.rounded(cost())).put("savedPerHour", AmountFormat.rounded(saved()));
        }
        return tree;
    }
}
