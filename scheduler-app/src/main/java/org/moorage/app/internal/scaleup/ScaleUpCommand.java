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
import org.moorage.simulation.whatif.NodeMix;
import org.moorage.simulation.whatif.NodeMixSearch;
import org.moorage.simulation.whatif.NodeTemplate;
import org.moorage.simulation.whatif.RemovalRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Estimates how many new nodes the pending pods need. */
@Command(
        name = "scale-up",
        description = {
            "Estimate how many new nodes of a type the pending pods need.",
            "",
            "Several types are sorted by the number of pods that they leave pending, then by price. With --prices, the command also searches a mix of the types; a cheaper one may exist."
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
            names = "--arrival",
            paramLabel = "HOW",
            converter = ArrivalName.class,
            defaultValue = "in-steps",
            description =
                    "With --prices and several types, how the nodes of a mix are added: together, or in-steps (type"
                            + " by type, each when the pods were scheduled) (default: ${DEFAULT-VALUE}).")
    private NodeMix.Arrival arrival = NodeMix.Arrival.IN_STEPS;

    @Option(
            names = "--max-mixes",
            paramLabel = "N",
            description =
                    "With --prices and several types, maximum number of mixes to try (default: ${DEFAULT-VALUE}).")
    private int maxMixes = 200;

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

    /** Finds how nodes are added by its name. */
    static final class ArrivalName implements ITypeConverter<NodeMix.Arrival> {
        @Override
        public NodeMix.Arrival convert(String text) {
            return switch (text) {
                case "together" -> NodeMix.Arrival.TOGETHER;
                case "in-steps" -> NodeMix.Arrival.IN_STEPS;
                default -> throw new TypeConversionException("\"" + text + "\" (expected: together or in-steps)");
            };
        }
    }

    /** Creates the command; it prints to that terminal. */
    public ScaleUpCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public ScaleUpReport answer(AskedCluster asked) {
        if (maxNodes < 1 || maxNodes > MOST_NODES) {
            throw new CommandException("--max-nodes: " + maxNodes + " (expected: 1 to " + MOST_NODES + ")");
        }
        if (maxMixes < 1) {
            throw new CommandException("--max-mixes: " + maxMixes + " (expected: 1 or more)");
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
            return new ScaleUpReport(
                    offers, maxNodes, expendablePodsPriorityCutoff, mix(offers, waiting, asked, progress));
        } finally {
            progress.clear();
        }
    }

    private Optional<NodeMix> mix(
            List<ScaleUpReport.Offer> offers, List<Pod> waiting, AskedCluster asked, ProgressLine progress) {
        boolean hasPrices = offers.stream().allMatch(offer -> offer.price().isPresent());
        if (offers.size() < 2 || !hasPrices) {
            return Optional.empty();
        }
        List<NodeMixSearch.Offer> priced = offers.stream()
                .map(offer ->
                        new NodeMixSearch.Offer(offer.estimate(), offer.price().getAsDouble()))
                .toList();
        NodeMixSearch search = new NodeMixSearch(asked.known(), expendablePodsPriorityCutoff, count -> progress.next());
        return Optional.of(search.find(priced, waiting, arrival, maxNodes, maxMixes));
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
