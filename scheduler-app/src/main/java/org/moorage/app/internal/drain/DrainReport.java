// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.drain;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.disruption.Chance;
import org.moorage.app.internal.disruption.DisruptedRows;
import org.moorage.app.internal.disruption.DisruptionReport;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DrainResult;
import org.moorage.simulation.whatif.DrainResult.UsedBudget;

/** The result of draining nodes. */
final class DrainReport implements DisruptionReport {
    private final DrainResult result;
    private final Optional<Chance> chance;

    DrainReport(DrainResult result, Optional<Chance> chance) {
        this.result = result;
        this.chance = chance;
    }

    @Override
    public Answer answer() {
        return DrainAnswer.of(result, chance);
    }

    @Override
    public boolean succeeded() {
        return result.isComplete();
    }

    @Override
    public Map<String, String> figures() {
        return DisruptionSummary.figures(result.pods());
    }

    @Override
    public List<DisruptedPod> pods() {
        return result.pods();
    }

    @Override
    public List<DisruptedPod> preempted() {
        return result.preempted();
    }

    @Override
    public void print(Terminal terminal) {
        DisruptedRows.print(result.pods(), result.preempted(), terminal);
        if (!result.budgets().isEmpty()) {
            printBudgets(terminal);
        }
        TextTable.printHeadline(headline(), terminal);
        DisruptionSummary.printPreempted(result.preempted(), terminal);
        DisruptionSummary.printPendingBefore(result.waitedBefore(), terminal);
        chance.ifPresent(known -> known.print(terminal));
    }

    private void printBudgets(Terminal terminal) {
        TextTable table = new TextTable()
                .left("BUDGET")
                .right("ALLOWED")
                .right("EVICTED")
                .right("BLOCKED")
                .right("AT END");
        for (UsedBudget budget : result.budgets()) {
            table.row(List.of(
                    Cell.of(budget.budget().key()),
                    Cell.of(budget.allowed()),
                    Cell.of(budget.evicted()),
                    Cell.of(budget.blocked(), budget.blocked() == 0 ? TextStyle.PLAIN : TextStyle.BAD),
                    Cell.of(budget.allowedAtEnd())));
        }
        table.print(terminal);
        terminal.out().println();
    }

    private String headline() {
        boolean one = result.nodes().size() == 1;
        int pods = result.pods().size();
        return (one ? result.nodes().get(0) + " is " : result.nodes().size() + " nodes are ")
                + (result.isDrained() ? "drained" : "not drained")
                + (result.rounds() > 1 ? " in " + result.rounds() + " rounds" : "")
                + (pods == 0
                        ? ": no pods."
                        : ": of " + Names.counted(pods, "pod") + " " + DisruptionSummary.text(result.pods()) + ".");
    }
}
