// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.DisruptedRows;
import org.moorage.app.internal.report.OutageReport;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeLoss;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Simulates the failure of nodes. */
@Command(
        name = "outage",
        description = {
            "Simulate the failure of nodes or of a zone.",
            "",
            "Shows which pods are rescheduled, which are pending or lost, and the remaining capacity. Nothing is changed in the cluster."
        },
        footer = {"  moorage outage zone=a", "  moorage outage type=m5.large,zone=a node-1 --cluster cluster.json.gz"},
        exitCodeList = {"0:every pod is rescheduled", "1:a pod is pending or lost"})
final class OutageCommand extends QuestionCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "NODES",
            description =
                    "Label selectors of the nodes that fail, such as zone=a, or their names; zone, region and type"
                            + " stand for the well-known labels.")
    private List<String> nodes = new ArrayList<>();

    @Mixin
    private DisruptedRows rows = new DisruptedRows();

    OutageCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Answer answer(AskedCluster asked) {
        List<String> names = SelectedNodes.of(nodes, asked.known().nodes());
        return new OutageReport(NodeLoss.of(asked.known(), names), rows);
    }
}
