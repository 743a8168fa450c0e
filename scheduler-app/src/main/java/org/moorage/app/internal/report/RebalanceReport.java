// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RebalancePlan;
import org.moorage.simulation.whatif.RebalancePlan.Move;
import org.moorage.simulation.whatif.RebalancePlan.State;

/** A plan of pod moves. */
public final class RebalanceReport implements Answer {
    private static final int REASON_ROWS = 10;

    private final RebalanceGoal goal;
    private final int maxMoves;
    private final RebalancePlan plan;

    /** A report. */
    public RebalanceReport(RebalanceGoal goal, int maxMoves, RebalancePlan plan) {
        this.goal = goal;
        this.maxMoves = maxMoves;
        this.plan = plan;
    }

    @Override
    public int exitCode() {
        return plan.isReached() ? 0 : 1;
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
            row(table, "fitting pods of " + pods(asked()), state -> Integer.toString(state.fitting()));
        }
        for (ResourceName resource : plan.before().balance().byResource().keySet()) {
            if (!(goal instanceof RebalanceGoal.Pack pack) || pack.resource().equals(resource)) {
                row(
                        table,
                        "unusable, " + resource.name(),
                        state -> OutcomeFigures.number(OutcomeFigures.of(state.balance(), resource)
                                        .fragmentation())
                                + "%");
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

    private static String pods(int count) {
        return count == 1 ? "1 pod" : count + " pods";
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
        String fit = fitting + " of " + pods(asked()) + (manifests().isPresent() ? "" : " pending before")
                + (fitting == 1 ? " fits" : " fit");
        return count > 0
                ? "After " + moves + ", " + fit + "."
                : fit + (plan.isReached() ? " without moves." : ". No moves were found that make more pods fit.");
    }

    private static String unusable(ClusterBalance balance, ResourceName resource) {
        return OutcomeFigures.number(OutcomeFigures.of(balance, resource).fragmentation()) + "%";
    }

    private void printObstacles(Terminal terminal) {
        if (plan.obstacles().isEmpty()) {
            return;
        }
        List<Map.Entry<String, Integer>> most = new ArrayList<>(plan.obstacles().entrySet());
        most.sort(Comparator.comparingInt(entry -> -entry.getValue()));
        TextTable table = new TextTable().right("PODS").left("NOT MOVED");
        for (Map.Entry<String, Integer> entry : most.subList(0, Math.min(REASON_ROWS, most.size()))) {
            table.row(List.of(Cell.of(Integer.toString(entry.getValue())), Cell.of(entry.getKey())));
        }
        terminal.out().println();
        table.print(terminal);
        if (most.size() > REASON_ROWS) {
            terminal.out().println("and " + (most.size() - REASON_ROWS) + " more reasons (-o json has all)");
        }
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("goal", name()).put("succeeded", plan.isReached());
        if (goal instanceof RebalanceGoal.Pack pack) {
            tree.put("resource", pack.resource().name());
        }
        tree.put("maxMoves", maxMoves).put("rounds", plan.rounds());
        ArrayNode moves = tree.putArray("moves");
        for (Move move : plan.moves()) {
            ObjectNode entry = moves.addObject()
                    .put("pod", move.pod().key())
                    .put("from", move.from())
                    .put("round", move.round());
            move.to().ifPresent(node -> entry.put("to", node));
            move.replacement().map(Pod::key).ifPresent(key -> entry.put("replacement", key));
        }
        put(tree.putObject("before"), plan.before());
        put(tree.putObject("after"), plan.after());
        ArrayNode emptied = tree.putArray("emptyNodes");
        plan.emptiedNodes().forEach(emptied::add);
        DisruptedRows.putWaiting(tree.putArray("fitting"), plan.fitting());
        DisruptedRows.putWaiting(tree.putArray("pending"), plan.notFitting());
        ArrayNode obstacles = tree.putArray("obstacles");
        plan.obstacles()
                .forEach((reason, pods) ->
                        obstacles.addObject().put("reason", reason).put("pods", pods));
        DrainReport.putBudgets(tree.putArray("budgets"), plan.budgets());
        return tree;
    }

    private String name() {
        if (goal instanceof RebalanceGoal.FreeNodes) {
            return "freeNodes";
        }
        if (goal instanceof RebalanceGoal.Pack) {
            return "pack";
        }
        return goal instanceof RebalanceGoal.Fit ? "fit" : "fitPending";
    }

    private void put(ObjectNode entry, State state) {
        entry.put("pending", state.pending());
        if (manifests().isPresent()) {
            entry.put("fitting", state.fitting());
        }
        OutcomeFigures.put(entry, state.balance());
    }
}
