// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.RemovableReport;
import org.moorage.app.internal.report.RemovableRows;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeRemoval;
import org.moorage.simulation.whatif.RemovalRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells which nodes can go. */
@Command(
        name = "removable",
        description = {
            "Tells which nodes can go, one by one and together, since their pods fit elsewhere, by the rules of cluster-autoscaler.",
            "",
            "The answer is 0 if a node can go, and 1 if none can.",
        },
        footer = {
            "",
            "Example:",
            "  moorage removable --cluster dump.yaml --max-utilization 50%",
            "  moorage removable --cluster dump.yaml --nodes type=m5.large --skip-nodes-with-local-storage=false",
        })
final class RemovableCommand extends QuestionCommand {
    @Option(
            names = "--nodes",
            paramLabel = "NODES",
            description = "Ask about these nodes alone: a name, or a label selector such as zone=a; may be repeated.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = "--max-utilization",
            paramLabel = "SHARE",
            defaultValue = "1",
            description =
                    "Keep nodes of whose cpu or memory, whichever is more, pods request more than this, such as 0.5 or 50%%"
                            + " (default: ${DEFAULT-VALUE}).")
    private String maxUtilization = "1";

    @Option(
            names = "--skip-nodes-with-local-storage",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description = "Keep nodes with pods that use an emptyDir or a hostPath (default: ${DEFAULT-VALUE}).")
    private boolean skipNodesWithLocalStorage = true;

    @Option(
            names = "--skip-nodes-with-system-pods",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description =
                    "Keep nodes with pods of kube-system that no disruption budget selects (default: ${DEFAULT-VALUE}).")
    private boolean skipNodesWithSystemPods = true;

    @Mixin
    private RemovableRows rows = new RemovableRows();

    RemovableCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Answer answer(AskedCluster asked) {
        List<String> names = nodes.isEmpty()
                ? List.copyOf(asked.known().nodes().keySet())
                : SelectedNodes.of(nodes, asked.known().nodes());
        RemovalRules rules = new RemovalRules(share(), skipNodesWithLocalStorage, skipNodesWithSystemPods);
        int threads = Runtime.getRuntime().availableProcessors();
        ProgressLine progress = new ProgressLine(asked.terminal(), "nodes", names.size());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, threads - 1));
        try {
            return new RemovableReport(
                    new NodeRemoval(asked.known(), rules).of(names, executor, threads, progress::show), rows);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
            progress.clear();
        }
    }

    private double share() {
        boolean isPercentage = maxUtilization.endsWith("%");
        String number = isPercentage ? maxUtilization.substring(0, maxUtilization.length() - 1) : maxUtilization;
        try {
            double share = Double.parseDouble(number) / (isPercentage ? 100 : 1);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // As any other that is none.
        }
        throw new CommandException(
                "--max-utilization: \"" + maxUtilization + "\" (expected: from 0 to 1, or from 0% to 100%)");
    }
}
