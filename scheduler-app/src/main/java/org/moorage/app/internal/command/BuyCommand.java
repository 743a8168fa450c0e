// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ParallelTasks;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.BuyReport;
import org.moorage.app.internal.report.NodeLabels;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.NodeEstimate;
import org.moorage.simulation.whatif.NodeEstimator;
import org.moorage.simulation.whatif.NodeTemplate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells how many nodes of a type the pods need that wait. */
@Command(
        name = "buy",
        description = {
            "Tells how many nodes of a type it takes for all pods to find a place that wait; of several types, which is the cheapest.",
            "",
            "Ends with 0 if nodes of one type are enough for all, with 1 if not.",
        },
        footer = {
            "",
            "Example:",
            "  moorage buy m5.large m5.xlarge --upto 50 --prices prices.yaml --cluster cluster.yaml",
        })
final class BuyCommand extends QuestionCommand {
    private static final int MOST_NODES = 100_000;
    private static final int MOST_TYPES = 50;

    @Option(names = "--upto", required = true, paramLabel = "N", description = "Buy so many nodes of a type at most.")
    private int upto;

    @Option(
            names = "--zones",
            split = ",",
            paramLabel = "ZONE",
            description =
                    "Spread the new nodes among these zones. By default they are in that of the node they are like.")
    private List<String> zones = new ArrayList<>();

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "A file with the price of an hour of a node by type, such as m5.large: 0.096.")
    private Optional<Path> prices = Optional.empty();

    @Parameters(
            arity = "1..*",
            paramLabel = "TYPE",
            description = "A file with a Node, the name of a node to copy, or an instance type that nodes have.")
    private List<String> types = new ArrayList<>();

    BuyCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Answer answer(AskedCluster asked) {
        if (upto < 1 || upto > MOST_NODES) {
            throw new CommandException("--upto: " + upto + " (expected: 1 to " + MOST_NODES + ")");
        }
        if (types.size() > MOST_TYPES) {
            throw new CommandException("TYPE: " + types.size() + " of them (expected: " + MOST_TYPES + " at most)");
        }
        if (zones.stream().anyMatch(String::isBlank)) {
            throw new CommandException("--zones: " + String.join(",", zones) + " (expected: names of zones)");
        }
        NodeTypes known = new NodeTypes(asked, zones);
        List<NodeTemplate> templates = new ArrayList<>();
        types.stream().distinct().forEach(type -> templates.add(known.find(type)));
        List<OptionalDouble> costs = costs(templates);
        List<Pod> waiting = asked.waitingPods();
        // About how many numbers of nodes are tried for each type, by doubling and bisection.
        int attempts = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(Math.min(upto, waiting.size() + 1)));
        ProgressLine progress = new ProgressLine(asked.terminal(), "attempts", templates.size() * attempts);
        try {
            NodeEstimator estimator = new NodeEstimator(asked.known(), count -> progress.next());
            List<Callable<NodeEstimate>> tasks = new ArrayList<>();
            for (NodeTemplate type : templates) {
                tasks.add(() -> estimator.estimate(type, waiting, upto));
            }
            List<NodeEstimate> estimates = ParallelTasks.run(tasks);
            List<BuyReport.Offer> offers = new ArrayList<>();
            for (int i = 0; i < estimates.size(); i++) {
                offers.add(new BuyReport.Offer(estimates.get(i), costs.get(i)));
            }
            return new BuyReport(offers, upto);
        } finally {
            progress.clear();
        }
    }

    private List<OptionalDouble> costs(List<NodeTemplate> templates) {
        List<OptionalDouble> costs = new ArrayList<>();
        Optional<PricesFile> file = prices.map(PricesFile::read);
        for (NodeTemplate type : templates) {
            List<String> names = List.of(type.name(), NodeLabels.instanceType(type.node()));
            costs.add(
                    file.isEmpty()
                            ? OptionalDouble.empty()
                            : OptionalDouble.of(file.get().of(names)));
        }
        return costs;
    }
}
