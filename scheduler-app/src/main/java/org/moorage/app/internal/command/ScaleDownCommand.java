// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.ScaleDownReport;
import org.moorage.app.internal.report.ScaleDownRows;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.GoDuration;
import org.moorage.simulation.whatif.NodeRemoval;
import org.moorage.simulation.whatif.RemovalRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists nodes that can be removed. */
@Command(
        name = "scale-down",
        description = {
            "List nodes that can be removed because their pods fit elsewhere.",
            "",
            "Nodes are removed individually and together, by the rules of cluster-autoscaler; most options are its flags. Nothing is changed in the cluster."
        },
        footer = {
            "  moorage scale-down --max-utilization 50%%",
            "  moorage scale-down --nodes type=m5.large --cluster cluster.json.gz"
        },
        exitCodeList = {"0:a node can be removed", "1:no node can"})
final class ScaleDownCommand extends QuestionCommand {
    @Option(
            names = "--nodes",
            paramLabel = "NODES",
            description = "Nodes to check: a name, or a label selector such as zone=a; may be repeated (default: all).")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = {"--max-utilization", "--scale-down-utilization-threshold"},
            paramLabel = "SHARE",
            defaultValue = "1",
            description =
                    "Utilization from which on a node is kept, such as 0.5 or 50%%: the requested share of its cpu or"
                            + " memory, whichever is more; 1 keeps no node for it (default: ${DEFAULT-VALUE}).")
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
            description = "Keep nodes with new kube-system pods that no disruption budget selects (default:"
                    + " ${DEFAULT-VALUE}).")
    private boolean skipNodesWithSystemPods = true;

    @Option(
            names = "--blocking-system-pod-distruption-timeout",
            paramLabel = "DURATION",
            defaultValue = "1h",
            description = "Age from which on such a pod no longer counts as new; the name of the flag is spelled as"
                    + " cluster-autoscaler spells it (default: ${DEFAULT-VALUE}).")
    private String blockingSystemPodTimeout = "1h";

    @Option(
            names = "--skip-nodes-with-custom-controller-pods",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description = "Keep nodes with pods of controllers other than ReplicaSet, StatefulSet, Job and"
                    + " ReplicationController (default: ${DEFAULT-VALUE}).")
    private boolean skipNodesWithCustomControllerPods = true;

    @Option(
            names = "--min-replica-count",
            paramLabel = "N",
            description = "Keep nodes with pods of ReplicaSets and ReplicationControllers that have fewer pods"
                    + " (default: ${DEFAULT-VALUE}).")
    private int minReplicaCount;

    @Option(
            names = "--expendable-pods-priority-cutoff",
            paramLabel = "PRIORITY",
            description = "Priority below which pods keep no node and take no room (default: ${DEFAULT-VALUE}).")
    private int expendablePodsPriorityCutoff = RemovalRules.EXPENDABLE_PODS_PRIORITY_CUTOFF;

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "File with the price per hour of a node by type or name, such as m5.large: 0.096; shows what"
                    + " removing nodes saves.")
    private Optional<Path> prices = Optional.empty();

    @Mixin
    private ScaleDownRows rows = new ScaleDownRows();

    ScaleDownCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Answer answer(AskedCluster asked) {
        List<String> names = nodes.isEmpty()
                ? List.copyOf(asked.known().nodes().keySet())
                : SelectedNodes.of(nodes, asked.known().nodes());
        RemovalRules rules = RemovalRules.builder()
                .utilizationThreshold(share())
                .skipNodesWithLocalStorage(skipNodesWithLocalStorage)
                .skipNodesWithSystemPods(skipNodesWithSystemPods)
                .blockingSystemPodTimeout(blockingSystemPodTimeout())
                .skipNodesWithCustomControllerPods(skipNodesWithCustomControllerPods)
                .minReplicaCount(minReplicaCount)
                .expendablePodsPriorityCutoff(expendablePodsPriorityCutoff)
                .orphaned(asked::isOrphaned)
                .build();
        Map<String, Double> costs = costs(names, asked);
        int threads = Runtime.getRuntime().availableProcessors();
        ProgressLine progress = new ProgressLine(asked.terminal(), "nodes", names.size());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, threads - 1));
        try {
            return new ScaleDownReport(
                    new NodeRemoval(asked.known(), rules).of(names, executor, threads, progress::show), rows, costs);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
            progress.clear();
        }
    }

    // Before the search, so that a missing price is reported immediately.
    private Map<String, Double> costs(List<String> names, AskedCluster asked) {
        Map<String, Double> costs = new HashMap<>();
        prices.map(PricesFile::read)
                .ifPresent(file -> names.forEach(name -> costs.put(
                        name,
                        file.of(Objects.requireNonNull(asked.known().nodes().get(name))))));
        return costs;
    }

    private Duration blockingSystemPodTimeout() {
        return GoDuration.parse(blockingSystemPodTimeout)
                .filter(duration -> !duration.isNegative())
                .orElseThrow(() -> new CommandException("--blocking-system-pod-distruption-timeout: \""
                        + blockingSystemPodTimeout + "\" (expected: a duration such as 1h, or 0)"));
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
            // Reported below.
        }
        throw new CommandException(
                "--max-utilization: \"" + maxUtilization + "\" (expected: from 0 to 1, or from 0% to 100%)");
    }
}
