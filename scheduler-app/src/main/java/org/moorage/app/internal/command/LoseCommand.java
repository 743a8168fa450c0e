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

/** Tells what would come of the loss of nodes. */
@Command(
        name = "lose",
        description = {
            "Tells what would come of the loss of nodes, such as all of a zone: which of their pods find a place elsewhere, which wait or"
                    + " are lost, and how much room is left.",
            "",
            "The answer is 0 if every pod has a place, and 1 if not.",
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
                    "The nodes that are lost: label selectors such as zone=a, where zone, region and type stand for the well-known"
                            + " labels, or names.")
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
