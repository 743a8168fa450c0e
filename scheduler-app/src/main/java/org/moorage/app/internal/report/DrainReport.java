// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DrainResult;

/** The result of draining nodes. */
public final class DrainReport implements Answer {
    private final DrainResult result;
    private final DisruptedRows rows;

    /** A report. */
    public DrainReport(DrainResult result, DisruptedRows rows) {
        this.result = result;
        this.rows = rows;
    }

    @Override
    public int exitCode() {
        return result.isComplete() ? 0 : 1;
    }

    @Override
    public Map<String, String> figures() {
        return DisruptedRows.figures(result.pods());
    }

    @Override
    public List<DisruptedPod> disruptedPods() {
        List<DisruptedPod> pods = new ArrayList<>(result.pods());
        pods.addAll(result.preempted());
        return pods;
    }

    @Override
    public void print(Terminal terminal) {
        rows.print(result.pods(), result.preempted(), terminal);
        if (!result.budgets().isEmpty()) {
            TextTable table = new TextTable()
                    .left("BUDGET")
                    .right("ALLOWED")
                    .right("EVICTED")
                    .right("BLOCKED")
                    .right("AT END");
            for (DrainResult.UsedBudget budget : result.budgets()) {
                table.row(List.of(
                        Cell.of(budget.budget().key()),
                        Cell.of(Integer.toString(budget.budget().disruptionsAllowed())),
                        Cell.of(Integer.toString(budget.evicted())),
                        new Cell(
                                Integer.toString(budget.blocked()),
                                budget.blocked() == 0 ? TextStyle.PLAIN : TextStyle.BAD),
                        Cell.of(Integer.toString(budget.allowedAtEnd()))));
            }
            table.print(terminal);
            terminal.out().println();
        }
        TextTable.printHeadline(summary(), terminal);
        if (!result.preempted().isEmpty()) {
            TextTable.printWrapped(
                    "Preempted on other nodes: " + DisruptedRows.summary(result.preempted()) + ".", terminal);
        }
        DisruptedRows.printWaiting(result.waitedBefore(), terminal);
    }

    private String summary() {
        List<String> nodes = result.nodes();
        boolean one = nodes.size() == 1;
        String which = one ? nodes.get(0) : nodes.size() + " nodes";
        String pods = DisruptedRows.summary(result.pods());
        int count = result.pods().size();
        return which + (one ? " is " : " are ")
                + (result.isDrained() ? "drained" : "not drained")
                + (result.rounds() > 1 ? " in " + result.rounds() + " rounds" : "")
                + (count == 0 ? ": no pods" : ": of " + (count == 1 ? "1 pod " : count + " pods ") + pods)
                + ".";
    }

    @Override
    public ObjectNode tree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode nodes = tree.putArray("nodes");
        result.nodes().forEach(nodes::add);
        tree.put("succeeded", result.isComplete()).put("rounds", result.rounds());
        DisruptedRows.putAll(tree.putArray("pods"), result.pods());
        DisruptedRows.putAll(tree.putArray("preempted"), result.preempted());
        DisruptedRows.putWaiting(tree.putArray("pendingBefore"), result.waitedBefore());
        putBudgets(tree.putArray("budgets"), result.budgets());
        ObjectNode summary = tree.putObject("summary").put("pods", result.pods().size());
        DisruptedRows.putCounts(summary, result.pods());
        summary.put("preempted", result.preempted().size())
                .put("pendingBefore", result.waitedBefore().size());
        return tree;
    }

    /** The budgets, for programs. */
    static void putBudgets(ArrayNode array, List<DrainResult.UsedBudget> budgets) {
        for (DrainResult.UsedBudget budget : budgets) {
            array.addObject()
                    .put("budget", budget.budget().key())
                    .put("allowed", budget.budget().disruptionsAllowed())
                    .put("evicted", budget.evicted())
                    .put("blocked", budget.blocked())
                    .put("allowedAtEnd", budget.allowedAtEnd());
        }
    }
}
