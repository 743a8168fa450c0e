// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaledown;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.NodeSelectionOptions;
import org.moorage.app.internal.question.PriceOptions;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.ProgressLine;
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
            "Without NODE, all nodes are checked, individually and together, by the rules of cluster-autoscaler; most options are its flags. Nothing is changed in the cluster."
        },
        footer = {
            "  moorage scale-down --max-utilization 50%%",
            "  moorage scale-down type=m5.large --cluster cluster.json.gz --prices prices.yaml"
        },
        exitCodeList = {"0:a node can be removed", "1:no node can"})
public final class ScaleDownCommand extends QuestionCommand<ScaleDownReport> {
    @Mixin
    private NodeSelectionOptions nodes = new NodeSelectionOptions();

    @Option(
            names = {"--max-utilization", "--scale-down-utilization-threshold"},
            paramLabel = "SHARE",
            defaultValue = "1",
            description = "Utilization at and above which a node is kept, such as 0.5 or 50%%: the larger of the "
                    + "requested shares of its cpu and memory; 1 keeps no node because of its utilization (default: "
                    + "${DEFAULT-VALUE}).")
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
            description = "Age at which such a pod no longer counts as new; the name of the flag is spelled as "
                    + "cluster-autoscaler spells it (default: ${DEFAULT-VALUE}).")
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

    @Mixin
    private PriceOptions prices = new PriceOptions();

    /** Creates the command; it prints to that terminal. */
    public ScaleDownCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public ScaleDownReport answer(AskedCluster asked) {
        List<String> selected = nodes.names(asked.known().nodes());
        List<String> names =
                selected.isEmpty() ? List.copyOf(asked.known().nodes().keySet()) : selected;
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
        // Before the search, so that a missing price is reported immediately.
        NodePrices known = prices.of(names.stream()
                .map(name -> Objects.requireNonNull(asked.known().nodes().get(name)))
                .toList());
        int threads = Runtime.getRuntime().availableProcessors();
        ProgressLine progress = new ProgressLine(asked.terminal(), "nodes", names.size());
        ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, threads - 1));
        try {
            return new ScaleDownReport(
                    new NodeRemoval(asked.known(), rules).of(names, executor, threads, progress::show), known);
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
            progress.clear();
        }
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
