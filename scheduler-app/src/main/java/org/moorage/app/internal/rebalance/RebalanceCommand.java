// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.rebalance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.Node;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.question.SelectorText;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.whatif.DrainRules;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.Rebalance;
import org.moorage.simulation.whatif.RebalanceGoal;
import org.moorage.simulation.whatif.RebalancePlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Plans pod moves that empty nodes, pack a resource or make pods schedulable. */
@Command(
        name = "rebalance",
        description = {
            "Plan pod moves that make pods fit, pack a resource or empty nodes.",
            "",
            "A move evicts a pod, within its disruption budget; the scheduler chooses the node of its replacement. The plan helps; it may not be the best one. Nothing is changed in the cluster."
        },
        footer = {
            "  moorage rebalance --fit-pending",
            "  moorage rebalance --free-nodes --cluster cluster.json.gz",
            "  moorage rebalance --pack nvidia.com/gpu --max-moves 20",
            "  moorage rebalance --fit training.yaml"
        },
        exitCodeList = {
            "0:all pods fit, the resource is packed better, or a node is emptied",
            "1:no moves were found that reach the goal"
        })
public final class RebalanceCommand extends QuestionCommand<RebalanceReport> {
    @Option(names = "--free-nodes", description = "Empty as many nodes as possible.")
    private boolean freeNodes;

    @Option(
            names = "--pack",
            paramLabel = "RESOURCE",
            description = "Lower the unusable share of the free amount of a resource, such as cpu or nvidia.com/gpu.")
    private Optional<String> pack = Optional.empty();

    @Option(
            names = "--fit",
            paramLabel = "MANIFEST",
            description = "Make the pods of a file or folder fit, in YAML or JSON; - for stdin; may be repeated.")
    private List<String> manifests = new ArrayList<>();

    @Option(names = "--fit-pending", description = "Make the pending pods of the cluster fit.")
    private boolean fitPending;

    @Option(
            names = "--max-moves",
            paramLabel = "N",
            description = "Maximum number of moves (default: ${DEFAULT-VALUE}).")
    private int maxMoves = Rebalance.DEFAULT_MAX_MOVES;

    @Option(names = "--force", description = "Also evict pods that declare no controller; they are lost.")
    private boolean force;

    @Option(
            names = "--delete-emptydir-data",
            description = "Also evict pods that use emptyDir (local data that is deleted with the pod).")
    private boolean deleteEmptyDirData;

    @Option(
            names = "--pod-selector",
            paramLabel = "SELECTOR",
            description = "Label selector of the pods that may be moved; others stay.")
    private Optional<String> podSelector = Optional.empty();

    /** Creates the command; it prints to that terminal. */
    public RebalanceCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public RebalanceReport answer(AskedCluster asked) {
        if (maxMoves < 0) {
            throw new CommandException("--max-moves: " + maxMoves + " (expected: 0 or more)");
        }
        RebalanceGoal goal = goal(asked);
        DrainRules rules =
                new DrainRules(force, deleteEmptyDirData, false, SelectorText.pods(podSelector), asked::isOrphaned);
        ProgressLine progress = new ProgressLine(asked.terminal(), "moves tried", 0);
        try {
            RebalancePlan plan = Rebalance.of(
                    asked.known(),
                    goal,
                    rules,
                    maxMoves,
                    PodSizes.of(asked.dump().pods()),
                    progress::show);
            return new RebalanceReport(goal, maxMoves, plan);
        } finally {
            progress.clear();
        }
    }

    private RebalanceGoal goal(AskedCluster asked) {
        List<String> given = new ArrayList<>();
        if (freeNodes) {
            given.add("--free-nodes");
        }
        pack.ifPresent(resource -> given.add("--pack"));
        if (!manifests.isEmpty()) {
            given.add("--fit");
        }
        if (fitPending) {
            given.add("--fit-pending");
        }
        if (given.size() != 1) {
            throw new CommandException((given.isEmpty() ? "no goal" : String.join(" and ", given))
                    + " (expected: one of --free-nodes, --pack, --fit and --fit-pending)");
        }
        if (freeNodes) {
            return new RebalanceGoal.FreeNodes();
        }
        return pack.isPresent()
                ? new RebalanceGoal.Pack(resource(pack.get(), asked))
                : fitPending ? new RebalanceGoal.FitPending() : new RebalanceGoal.Fit(contents(asked));
    }

    private static ResourceName resource(String name, AskedCluster asked) {
        Map<String, ResourceName> known = new TreeMap<>();
        for (ResourceName resource : List.of(ResourceName.CPU, ResourceName.MEMORY)) {
            known.put(resource.name(), resource);
        }
        for (Node node : asked.nodes()) {
            Resources allocatable = node.allocatableResources();
            for (int i = 0; i < allocatable.scalarCount(); i++) {
                known.put(allocatable.scalarName(i), ResourceName.of(allocatable.scalarName(i)));
            }
        }
        ResourceName resource = known.get(name);
        if (resource == null) {
            throw new CommandException("--pack: \"" + name + "\" (expected: a resource of the nodes: "
                    + String.join(", ", known.keySet()) + ")" + Suggestions.hint(name, known.keySet()));
        }
        return resource;
    }

    private Manifests.Contents contents(AskedCluster asked) {
        Manifests.Contents contents = asked.manifests(manifests);
        if (contents.pods().isEmpty()) {
            throw new CommandException(
                    String.join(", ", manifests) + ": no pod and no workload (expected: one at least)");
        }
        contents.pods().forEach(manifest -> manifest.pods().forEach(pod -> asked.demandProfile(pod.pod())));
        return contents;
    }
}
