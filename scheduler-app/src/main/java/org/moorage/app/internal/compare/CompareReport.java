// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.Counts;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.PodOwner;
import org.moorage.app.internal.answer.SchedulingFigures;
import org.moorage.app.internal.answer.UnplacedRows;
import org.moorage.app.internal.compare.CompareAnswer.DifferentPod;
import org.moorage.app.internal.compare.CompareAnswer.Side;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.SchedulingOutcome;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import org.moorage.simulation.whatif.SchedulingOutcome.MovedPod;

/** The results of two configurations of the scheduler for one cluster. */
final class CompareReport implements Report {
    /** The meaning of the figures of balance. */
    static final String FIGURES =
            "Imbalance: the standard deviation of the nodes' requested shares, in percentage points. Unusable: the share of the"
                    + " free amount that the next pod cannot use, if it requests what one of the cluster's pods does.";

    private static final int OWNERS = 20;
    private static final String NO_NODE = "(no node)";

    private final List<String> names;
    private final ClusterBalance now;
    private final List<SchedulingOutcome> outcomes;
    private final Demand demand;
    private final NodePrices prices;
    private final List<MovedPod> moved;

    /**
     * A report.
     *
     * @param names the names of the two configurations
     * @param now how the nodes are filled before
     * @param outcomes the results of the two
     */
    CompareReport(
            List<String> names,
            ClusterBalance now,
            List<SchedulingOutcome> outcomes,
            Demand demand,
            NodePrices prices) {
        this.names = List.copyOf(names);
        this.now = now;
        this.outcomes = List.copyOf(outcomes);
        this.demand = demand;
        this.prices = prices;
        moved = outcomes.get(0).moved(outcomes.get(1));
    }

    @Override
    public boolean succeeded() {
        return moved.isEmpty();
    }

    @Override
    public List<String> names() {
        return moved.stream().map(pod -> "pod/" + pod.pod().key()).toList();
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("pods placed differently", Integer.toString(moved.size()));
        for (int i = 0; i < names.size(); i++) {
            figures.put(
                    "pending, " + names.get(i),
                    Integer.toString(outcomes.get(i).pods().unplaced().size()));
        }
        for (int i = 0; i < names.size(); i++) {
            figures.put(
                    "empty nodes, " + names.get(i),
                    Integer.toString(outcomes.get(i).balance().emptyNodes()));
        }
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        int pods = demand.waiting().size() + demand.anew().size();
        TextTable.printHeadline(
                moved.isEmpty()
                        ? "Both schedule all pods to the same nodes."
                        : moved.size() + " of " + Names.counted(pods, "pod") + (moved.size() == 1 ? " goes" : " go")
                                + " to another node by " + names.get(1) + " than by " + names.get(0) + ".",
                terminal);
        TextTable.printWrapped(scheduled(demand), terminal);
        terminal.out().println();
        figureTable().print(terminal);
        terminal.out().println();
        TextTable.printWrapped(FIGURES, terminal);
        printMoved(terminal);
        for (int i = 0; i < names.size(); i++) {
            UnplacedRows.print(
                    "Pending by " + names.get(i) + ":", outcomes.get(i).pods().unplaced(), terminal);
        }
    }

    /** Returns a sentence about the pods that are scheduled. */
    static String scheduled(Demand demand) {
        return demand.anew().isEmpty()
                ? "Scheduled: the pending pods (--rebalance also takes other pods off their nodes first)."
                : "Scheduled: " + demand.anew().size() + " that were taken off their nodes first, and "
                        + demand.waiting().size() + " pending.";
    }

    private TextTable figureTable() {
        TextTable table =
                new TextTable().left("").right("NOW").right(names.get(0)).right(names.get(1));
        row(table, "pods on nodes", balance -> Integer.toString(balance.pods()));
        List<Cell> pending = new ArrayList<>(
                List.of(Cell.of("pending"), Cell.of(demand.waiting().size())));
        List<Cell> leaving = new ArrayList<>(List.of(Cell.of("left their node"), Cell.EMPTY));
        for (SchedulingOutcome outcome : outcomes) {
            pending.add(pendingCell(outcome.pods().unplaced().size()));
            leaving.add(Cell.of(outcome.leaving()));
        }
        table.row(pending);
        table.row(leaving);
        row(table, "empty nodes", balance -> Integer.toString(balance.emptyNodes()));
        if (prices.areKnown()) {
            row(table, "cost per hour, not empty", balance -> AmountFormat.money(cost(balance)));
        }
        for (ResourceName resource : now.byResource().keySet()) {
            row(
                    table,
                    "imbalance, " + resource.name(),
                    balance -> AmountFormat.number(
                            ClusterFigures.of(balance).of(resource).imbalance()));
        }
        for (ResourceName resource : now.byResource().keySet()) {
            row(
                    table,
                    "unusable, " + resource.name(),
                    balance -> AmountFormat.number(
                                    ClusterFigures.of(balance).of(resource).fragmentation())
                            + "%");
        }
        return table;
    }

    /** Returns a cell with a number of pending pods. */
    static Cell pendingCell(int pending) {
        return Cell.of(pending, pending == 0 ? TextStyle.GOOD : TextStyle.BAD);
    }

    private void row(TextTable table, String title, Function<ClusterBalance, String> value) {
        List<Cell> cells = new ArrayList<>(List.of(Cell.of(title), Cell.of(value.apply(now))));
        outcomes.forEach(outcome -> cells.add(Cell.of(value.apply(outcome.balance()))));
        table.row(cells);
    }

    private double cost(ClusterBalance balance) {
        return AmountFormat.rounded(prices.cost() - prices.cost(balance.emptyNodeNames()));
    }

    private void printMoved(Terminal terminal) {
        if (moved.isEmpty()) {
            return;
        }
        Map<String, List<MovedPod>> byOwner = new LinkedHashMap<>();
        moved.forEach(pod -> byOwner.computeIfAbsent(PodOwner.nameOf(pod.pod()), any -> new ArrayList<>())
                .add(pod));
        List<Map.Entry<String, List<MovedPod>>> owners = new ArrayList<>(byOwner.entrySet());
        owners.sort(Comparator.comparingInt(owner -> -owner.getValue().size()));
        TextTable table = new TextTable().left("PODS OF").right("DIFFERENT").left("NODES");
        int shown = terminal.shown(owners.size(), OWNERS);
        for (Map.Entry<String, List<MovedPod>> owner : owners.subList(0, shown)) {
            List<MovedPod> pods = owner.getValue();
            table.row(List.of(
                    Cell.of(owner.getKey()),
                    Cell.of(pods.size()),
                    Cell.of(names.get(0) + ": " + nodes(pods, MovedPod::first))));
            table.row(List.of(Cell.EMPTY, Cell.EMPTY, Cell.of(names.get(1) + ": " + nodes(pods, MovedPod::second))));
        }
        terminal.out().println();
        table.print(terminal);
        if (shown < owners.size()) {
            int others = owners.subList(shown, owners.size()).stream()
                    .mapToInt(owner -> owner.getValue().size())
                    .sum();
            terminal.out()
                    .println("and " + others + " pods of " + (owners.size() - shown)
                            + " more owners (-o wide shows all)");
        }
    }

    private static String nodes(List<MovedPod> pods, Function<MovedPod, String> node) {
        return Counts.of(pods, pod -> node.apply(pod).isEmpty() ? NO_NODE : node.apply(pod))
                .text();
    }

    @Override
    public Answer answer() {
        List<Side> sides = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            SchedulingOutcome outcome = outcomes.get(i);
            sides.add(new Side(
                    names.get(i),
                    SchedulingFigures.of(outcome),
                    ifPriced(outcome.balance()),
                    Optional.of(PlacedPod.all(outcome.pods().pods())),
                    Optional.of(outcome.pods().gone().stream()
                            .map(RecreatedPod::gone)
                            .toList())));
        }
        return new CompareAnswer(
                moved.isEmpty(),
                demand.waiting().size(),
                demand.anew().size(),
                moved.size(),
                ClusterFigures.of(now),
                ifPriced(now),
                sides,
                Optional.of(moved.stream()
                        .map(pod -> new DifferentPod(
                                pod.pod(), PodOwner.nameOf(pod.pod()), pod.before(), pod.first(), pod.second()))
                        .toList()));
    }

    private Optional<Double> ifPriced(ClusterBalance balance) {
        return prices.areKnown() ? Optional.of(cost(balance)) : Optional.empty();
    }
}
