// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.outage;

import java.util.List;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.disruption.SeedOptions;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.DisruptedView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.NodeSelectionOptions;
import org.moorage.app.internal.question.PriceOptions;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeLoss;
import org.moorage.simulation.whatif.NodeLossResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Simulates the failure of nodes. */
@Command(
        name = "outage",
        description = {
            "Simulate the failure of nodes or of a zone.",
            "",
            "Shows which pods are rescheduled, which are pending or lost, and the remaining capacity. Nothing is changed in the cluster."
        },
        footer = {
            "  moorage outage zone=a",
            "  moorage outage type=m5.large,zone=a node-1 --cluster cluster.json.gz --prices prices.yaml"
        },
        exitCodeList = {"0:every pod is rescheduled", "1:a pod is pending or lost"})
public final class OutageCommand extends QuestionCommand<OutageReport> {
    @Mixin
    private NodeSelectionOptions nodes = new NodeSelectionOptions();

    @Mixin
    private SeedOptions seeds = new SeedOptions();

    @Mixin
    private PriceOptions prices = new PriceOptions();

    /** Creates the command; it prints to that terminal. */
    public OutageCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public OutageReport answer(AskedCluster asked) {
        List<String> names = nodes.names(asked.known().nodes());
        if (names.isEmpty()) {
            throw new CommandException("no node is named (expected: nodes that fail, or --selector)");
        }
        // Before the search, so that a missing price is reported immediately.
        NodePrices known = prices.of(asked.nodes());
        seeds.check();
        return new OutageReport(
                NodeLoss.of(asked.known(), names),
                known,
                seeds.repeat(
                        asked,
                        cluster -> NodeLoss.of(cluster, names),
                        NodeLossResult::isComplete,
                        NodeLossResult::pods));
    }

    @Override
    protected PageContent.Builder view(String title, ClusterView view, OutageReport report) {
        return DisruptedView.of(title, view, report.disrupted(), report.nodes());
    }
}
