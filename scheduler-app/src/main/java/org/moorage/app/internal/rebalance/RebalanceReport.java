// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rebalance;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.UnplacedRows;
import org.moorage.app.internal.rebalance.RebalanceAnswer.Goal;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RebalancePlan;
import org.moorage.simulation.whatif.RebalancePlan.Move;
import org.moorage.simulation.whatif.RebalancePlan.State;

/** A plan of pod moves. */
final class RebalanceReport implements Report {
    private static final int REASON_ROWS = 10;

    private final RebalanceGoal goal;
    private final int maxMoves;
    private final RebalancePlan plan;

    /** A report. */
    RebalanceReport(RebalanceGoal goal, int maxMoves, RebalancePlan plan) {
        this.goal = goal;
        this.maxMoves = maxMoves;
        this.plan = plan;
    }

    @Override
    public boolean succeeded() {
        return plan.isReached();
    }

    @Override
    public List<String> names() {
        return plan.moves().stream().map(move -> "pod/" + move.pod().key()).toList();
    }

    @Override
    public Map<String, String> figures() {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("moves", Integer.toString(plan.moves().size()));
        figures.put("rounds", Integer.toString(plan.rounds()));
        figures.put("pending before", Integer.toString(plan.before().pending()));
        figures.put("pending after", Integer.toString(plan.after().pending()));
        figures.put("emptied nodes", Integer.toString(plan.emptiedNodes().size()));
        return figures;
    }

    @Override
    public void print(Terminal terminal) {
        if (!plan.moves().isEmpty()) {
            printMoves(terminal);
        }
        figureTable().print(terminal);
        terminal.out().println();
        TextTable.printHeadline(summary(), terminal);
        if (!plan.emptiedNodes().isEmpty()) {
            TextTable.printWrapped("Emptied: " + String.join(", ", plan.emptiedNodes()) + ".", terminal);
        }
        if (!plan.isReached()) {
            printObstacles(terminal);
        }
        UnplacedRows.print("Pods that do not fit after the moves:", plan.notFitting(), terminal);
        manifests().ifPresent(contents -> {
            contents.notes().forEach(note -> TextTable.printWrapped("Note: " + note, terminal));
            contents.missing().forEach(note -> TextTable.printWrapped("Note: " + note, terminal));
        });
    }

    private Optional<Manifests.Contents> manifests() {
        return goal instanceof RebalanceGoal.Fit fit ? Optional.of(fit.manifests()) : Optional.empty();
    }

    private void printMoves(Terminal terminal) {
        TextTable table = new TextTable()
                .right("MOVE")
                .right("ROUND")
                .left("POD")
                .left("FROM")
                .left("TO");
        int number = 0;
        for (Move move : plan.moves()) {
            number++;
            table.row(List.of(
                    Cell.of(Integer.toString(number)),
                    Cell.of(Integer.toString(move.round())),
                    Cell.of(move.pod().key()),
                    Cell.of(move.from()),
                    move.to().map(Cell::of).orElse(new Cell("(lost)", TextStyle.BAD))));
        }
        table.print(terminal);
        terminal.out().println();
    }

    private TextTable figureTable() {
        TextTable table = new TextTable().left("").right("BEFORE").right("AFTER");
        row(table, "empty nodes", state -> Integer.toString(state.balance().emptyNodes()));
        row(table, "pending pods", state -> Integer.toString(state.pending()));
        if (manifests().isPresent()) {
            row(table, "fitting pods of " + Names.counted(asked(), "pod"), state -> Integer.toString(state.fitting()));
        }
        for (ResourceName resource : plan.before().balance().byResource().keySet()) {
            if (!(goal instanceof RebalanceGoal.Pack pack) || pack.resource().equals(resource)) {
                row(table, "unusable, " + resource.name(), state -> unusable(state.balance(), resource));
            }
        }
        return table;
    }

    private void row(TextTable table, String title, Function<State, String> figure) {
        table.row(List.of(Cell.of(title), Cell.of(figure.apply(plan.before())), Cell.of(figure.apply(plan.after()))));
    }

    private int asked() {
        return plan.fitting().size() + plan.notFitting().size();
    }

    private String summary() {
        int count = plan.moves().size();
        boolean one = count == 1;
        String moves =
                (one ? "1 move" : count + " moves") + (plan.rounds() > 1 ? " in " + plan.rounds() + " rounds" : "");
        if (goal instanceof RebalanceGoal.FreeNodes) {
            int nodes = plan.emptiedNodes().size();
            return count == 0
                    ? "No moves were found that empty a node."
                    : moves + (one ? " empties " : " empty ") + (nodes == 1 ? "1 node." : nodes + " nodes.");
        }
        if (goal instanceof RebalanceGoal.Pack pack) {
            String share = " the unusable share of free " + pack.resource().name();
            return count == 0
                    ? "No moves were found that lower" + share + "."
                    : moves + (one ? " lowers" : " lower") + share + " from "
                            + unusable(plan.before().balance(), pack.resource()) + " to "
                            + unusable(plan.after().balance(), pack.resource()) + ".";
        }
        if (asked() == 0) {
            return manifests().isPresent() ? "No more pods are asked for." : "No pod is pending.";
        }
        int fitting = plan.fitting().size();
        String fit = fitting + " of " + Names.counted(asked(), "pod")
                + (manifests().isPresent() ? "" : " pending before") + (fitting == 1 ? " fits" : " fit");
        return count > 0
                ? "After " + moves + ", " + fit + "."
                : fit + (plan.isReached() ? " without moves." : ". No moves were found that make more pods fit.");
    }

    private static String unusable(ClusterBalance balance, ResourceName resource) {
        return AmountFormat.number(ClusterFigures.of(balance).of(resource).fragmentation()) + "%";
    }

    private void printObstacles(Terminal terminal) {
        if (plan.obstacles().isEmpty()) {
            return;
        }
        List<Map.Entry<String, Integer>> most = new ArrayList<>(plan.obstacles().entrySet());
        most.sort(Comparator.comparingInt(entry -> -entry.getValue()));
        TextTable table = new TextTable().right("PODS").left("NOT MOVED");
        for (Map.Entry<String, Integer> entry : most.subList(0, terminal.shown(most.size(), REASON_ROWS))) {
            table.row(List.of(Cell.of(Integer.toString(entry.getValue())), Cell.of(entry.getKey())));
        }
        terminal.out().println();
        table.print(terminal);
        if (terminal.shown(most.size(), REASON_ROWS) < most.size()) {
            terminal.out().println("and " + (most.size() - REASON_ROWS) + " more reasons (-o wide shows all)");
        }
    }

    @Override
    public Answer answer() {
        if (goal instanceof RebalanceGoal.Pack pack) {
            return RebalanceAnswer.of(Goal.PACK, Optional.of(pack.resource().name()), maxMoves, plan);
        }
        Goal name = goal instanceof RebalanceGoal.FreeNodes
                ? Goal.FREE_NODES
                : goal instanceof RebalanceGoal.Fit ? Goal.FIT : Goal.FIT_PENDING;
        return RebalanceAnswer.of(name, Optional.empty(), maxMoves, plan);
    }
}
