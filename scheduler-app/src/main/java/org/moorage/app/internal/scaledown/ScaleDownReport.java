// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaledown;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.app.internal.scaledown.ScaleDownAnswer.CheckedNode;
import org.moorage.app.internal.scaledown.ScaleDownAnswer.Summary;
import org.moorage.simulation.whatif.NodeRemovalResult;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;
import org.moorage.simulation.whatif.NodeRemovalResult.RemovableNode;

/** The nodes that can be removed. */
final class ScaleDownReport implements Report {
    // A row limit, so that a report fits on a screen.
    private static final int NODE_ROWS = 20;
    private static final int REASON_ROWS = 20;

    private final NodeRemovalResult result;
    private final Set<String> together;
    private final NodePrices prices;

    ScaleDownReport(NodeRemovalResult result, NodePrices prices) {
        this.result = result;
        this.prices = prices;
        together = new HashSet<>(result.together());
    }

    @Override
    public boolean succeeded() {
        return result.removable() > 0;
    }

    @Override
    public List<String> names() {
        return result.together().stream().map(node -> "node/" + node).toList();
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("nodes", Integer.toString(result.nodes().size()));
        figures.put("removable individually", Integer.toString(result.removable()));
        figures.put("removable together", Integer.toString(result.together().size()));
        if (prices.areKnown()) {
            figures.put("saved per hour", AmountFormat.money(saved()));
        }
        figures.putAll(DisruptionSummary.figures(result.drain().pods()));
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        printNodes(terminal);
        printReasons(terminal);
        TextTable.printHeadline(summary(), terminal);
        if (prices.areKnown() && !together.isEmpty()) {
            TextTable.printWrapped(
                    "Removing " + (together.size() == 1 ? "this node" : "these " + together.size() + " nodes")
                            + " saves " + AmountFormat.money(saved()) + " of " + AmountFormat.money(cost())
                            + " per hour: " + NodePrices.text(prices.byType(result.together()))
                            + ".",
                    terminal);
        }
    }

    private double saved() {
        return prices.cost(result.together());
    }

    private double cost() {
        return prices.cost(result.nodes().stream().map(RemovableNode::nodeName).toList());
    }

    // A set is only known to be the largest if it has all nodes that can be removed.
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
                                + DisruptionSummary.text(result.drain().pods()) + ".");
    }

    private void printNodes(Terminal terminal) {
        List<RemovableNode> removable = new ArrayList<>(result.nodes());
        removable.removeIf(node -> !node.isRemovable());
        if (removable.isEmpty()) {
            return;
        }
        TextTable table =
                new TextTable().left("NODE").right("PODS").right("USED").left("TOGETHER");
        if (prices.areKnown()) {
            table.right("COST PER HOUR");
        }
        int shown = terminal.shown(removable.size(), NODE_ROWS);
        for (RemovableNode node : removable.subList(0, shown)) {
            List<Cell> cells = new ArrayList<>(List.of(
                    Cell.of(node.nodeName()),
                    Cell.of(Integer.toString(node.pods())),
                    Cell.of(percent(node)),
                    together.contains(node.nodeName())
                            ? new Cell("yes", TextStyle.GOOD)
                            : new Cell("no", TextStyle.WARNING)));
            if (prices.areKnown()) {
                cells.add(Cell.of(AmountFormat.money(prices.of(node.nodeName()))));
            }
            table.row(cells);
        }
        table.print(terminal);
        if (shown < removable.size()) {
            terminal.out().println("and " + (removable.size() - shown) + " more (-o wide shows all)");
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
        int shown = terminal.shown(most.size(), REASON_ROWS);
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
                    .println("and " + (most.size() - shown) + " more rows with " + others
                            + " nodes (-o wide shows all)");
        }
        terminal.out().println();
    }

    @Override
    public Answer answer() {
        return new ScaleDownAnswer(
                result.nodes().stream().map(this::checked).toList(),
                result.together(),
                new Summary(
                        result.nodes().size(),
                        result.removable(),
                        result.together().size(),
                        result.drain().rounds(),
                        DisruptionSummary.of(
                                result.drain().pods(),
                                result.drain().preempted(),
                                result.drain().waitedBefore()),
                        ifPriced(cost()),
                        ifPriced(saved()),
                        ifPriced(prices.byType(result.together()))));
    }

    private CheckedNode checked(RemovableNode node) {
        return new CheckedNode(
                node.nodeName(),
                node.utilization(),
                node.pods(),
                node.isRemovable(),
                together.contains(node.nodeName()),
                ifPriced(AmountFormat.rounded(prices.of(node.nodeName()))),
                new TreeMap<>(node.moves()),
                node.obstacles());
    }

    private <T> Optional<T> ifPriced(T value) {
        return prices.areKnown() ? Optional.of(value) : Optional.empty();
    }
}
