// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.DisruptedRows;
import org.moorage.app.internal.report.LossReport;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeLoss;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Simulates the failure of nodes. */
@Command(
        name = "lose",
        description = {
            "Simulate the failure of nodes or a zone.",
            "",
            "Shows which of their pods are rescheduled, which are pending or lost, and how much room is left.",
            "The exit code is 0 if every pod is scheduled, and 1 if not.",
        },
        footer = {
            "",
            "Example:",
            "  moorage lose --cluster dump.yaml zone=a",
            "  moorage lose --cluster dump.yaml type=m5.large,zone=a node-1",
        })
final class LoseCommand extends QuestionCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "NODES",
            description =
                    "Label selectors of the nodes that fail, such as zone=a, or their names; zone, region and type"
                            + " stand for the well-known labels.")
    private List<String> nodes = new ArrayList<>();

    @Mixin
    private DisruptedRows rows = new DisruptedRows();

    LoseCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Answer answer(AskedCluster asked) {
        List<String> names = SelectedNodes.of(nodes, asked.known().nodes());
        return new LossReport(NodeLoss.of(asked.known(), names), rows);
    }
}
