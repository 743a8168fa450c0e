// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaleup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.NodeLabels;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ParallelTasks;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.PriceOptions;
import org.moorage.app.internal.question.PricesFile;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.RemovalRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Estimates how many new nodes the pending pods need. */
@Command(
        name = "scale-up",
        description = {
            "Estimate how many new nodes of a type the pending pods need.",
            "",
            "Of several types, those that leave the fewest pods pending come first, and of these the cheapest."
        },
        footer = {
            "  moorage scale-up m5.large --max-nodes 20",
            "  moorage scale-up m5.large m5.xlarge --max-nodes 50 --prices prices.yaml --cluster cluster.json.gz"
        },
        exitCodeList = {"0:all pods fit with nodes of the first type", "1:a pod does not"})
public final class ScaleUpCommand extends QuestionCommand<ScaleUpReport> {
    private static final int MOST_NODES = 100_000;
    private static final int MOST_TYPES = 50;

    @Option(
            names = "--max-nodes",
            required = true,
            paramLabel = "N",
            description = "Maximum number of new nodes of a type.")
    private int maxNodes;

    @Option(
            names = "--zones",
            split = ",",
            paramLabel = "ZONE",
            description =
                    "Zones to spread the new nodes among, in turn (default: the zone of the node that is copied).")
    private List<String> zones = new ArrayList<>();

    @Mixin
    private PriceOptions prices = new PriceOptions();

    @Option(
            names = "--expendable-pods-priority-cutoff",
            paramLabel = "PRIORITY",
            description = "Priority below which no nodes are added for a pod (default: ${DEFAULT-VALUE}).")
    private int expendablePodsPriorityCutoff = RemovalRules.EXPENDABLE_PODS_PRIORITY_CUTOFF;

    @Option(
            names = {"--startup-taint", "--status-taint", "--ignore-taint"},
            paramLabel = "KEY",
            description = "Key of a taint that the copied node has and new nodes do not; may be repeated.")
    private List<String> temporaryTaints = new ArrayList<>();

    @Parameters(
            arity = "1..*",
            paramLabel = "TYPE",
            description = "A file with a Node, the name of a node to copy, or the instance type of a node to copy.")
    private List<String> types = new ArrayList<>();

    /** Creates the command; it prints to that terminal. */
    public ScaleUpCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public ScaleUpReport answer(AskedCluster asked) {
        if (maxNodes < 1 || maxNodes > MOST_NODES) {
            throw new CommandException("--max-nodes: " + maxNodes + " (expected: 1 to " + MOST_NODES + ")");
        }
        if (types.size() > MOST_TYPES) {
            throw new CommandException("TYPE: " + types.size() + " of them (expected: " + MOST_TYPES + " at most)");
        }
        if (zones.stream().anyMatch(String::isBlank)) {
            throw new CommandException("--zones: " + String.join(",", zones) + " (expected: names of zones)");
        }
        NodeTypes known = new NodeTypes(asked, zones, temporaryTaints);
        List<NodeTemplate> templates = new ArrayList<>();
        types.stream().distinct().forEach(type -> templates.add(known.find(type)));
        List<OptionalDouble> costs = costs(templates);
        List<Pod> waiting = asked.waitingPods();
        ProgressLine progress = new ProgressLine(asked.terminal(), "attempts", 0);
        try {
            NodeEstimator estimator =
                    new NodeEstimator(asked.known(), expendablePodsPriorityCutoff, count -> progress.next());
            List<Callable<NodeEstimate>> tasks = new ArrayList<>();
            for (NodeTemplate type : templates) {
                tasks.add(() -> estimator.estimate(type, waiting, maxNodes));
            }
            List<NodeEstimate> estimates = ParallelTasks.run(tasks);
            List<ScaleUpReport.Offer> offers = new ArrayList<>();
            for (int i = 0; i < estimates.size(); i++) {
                offers.add(new ScaleUpReport.Offer(estimates.get(i), costs.get(i)));
            }
            return new ScaleUpReport(offers, maxNodes, expendablePodsPriorityCutoff);
        } finally {
            progress.clear();
        }
    }

    private List<OptionalDouble> costs(List<NodeTemplate> templates) {
        Optional<PricesFile> file = prices.read();
        return templates.stream()
                .map(type -> file.isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(file.get().of(type.name(), NodeLabels.instanceType(type.node()))))
                .toList();
    }
}
