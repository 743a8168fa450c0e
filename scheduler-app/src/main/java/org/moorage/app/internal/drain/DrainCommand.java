// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.drain;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.app.internal.disruption.SeedOptions;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.DisruptedView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.NodeSelectionOptions;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.question.SelectorText;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.Drain;
import org.moorage.simulation.whatif.DrainResult;
import org.moorage.simulation.whatif.DrainRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Simulates draining nodes. */
@Command(
        name = "drain",
        description = {
            "Simulate draining nodes.",
            "",
            "Shows which pods are evicted, in which rounds their disruption budgets allow it, where their replacements are scheduled, and which pods are blocked, unschedulable or lost. Nothing is changed in the cluster."
        },
        footer = {
            "  moorage drain node-1 node-2",
            "  moorage drain zone=a --delete-emptydir-data --cluster cluster.json.gz",
            "  kubectl get nodes,pods,pdb,rs,sts,pv,pvc -A -o yaml | moorage drain node-1 --cluster -"
        },
        exitCodeList = {
            "0:the nodes are drained, and every pod is scheduled",
            "1:a node is not drained, or a pod is not scheduled"
        })
public final class DrainCommand extends QuestionCommand<DrainReport> {
    @Mixin
    private NodeSelectionOptions nodes = new NodeSelectionOptions();

    @Option(
            names = "--force",
            description = "Also evict pods that declare no controller, or whose DaemonSet is missing; they are lost.")
    private boolean force;

    @Option(
            names = "--delete-emptydir-data",
            description = "Also evict pods that use emptyDir (local data that is deleted when the node is drained).")
    private boolean deleteEmptyDirData;

    @Option(names = "--disable-eviction", description = "Delete pods, which bypasses their disruption budgets.")
    private boolean disableEviction;

    @Option(
            names = "--pod-selector",
            paramLabel = "SELECTOR",
            description = "Label selector of the pods to evict; others stay.")
    private Optional<String> podSelector = Optional.empty();

    /** Creates the command; it prints to that terminal. */
    public DrainCommand(Terminal terminal) {
        super(terminal);
    }

    @Option(
            names = "--ignore-daemonsets",
            description = "Accepted as a flag of kubectl drain: pods of DaemonSets always stay on their nodes.")
    public void ignoreDaemonSets(boolean ignored) {
        // Pods of DaemonSets are always ignored.
    }

    @Mixin
    private SeedOptions seeds = new SeedOptions();

    @Override
    public DrainReport answer(AskedCluster asked) {
        seeds.check();
        List<String> names = nodes.names(asked.known().nodes());
        if (names.isEmpty()) {
            throw new CommandException("no node is named (expected: nodes to drain, or --selector)");
        }
        DrainRules rules = new DrainRules(
                force, deleteEmptyDirData, disableEviction, SelectorText.pods(podSelector), asked::isOrphaned);
        return new DrainReport(
                Drain.of(asked.known(), names, rules),
                seeds.repeat(
                        asked, cluster -> Drain.of(cluster, names, rules), DrainResult::isComplete, DrainResult::pods));
    }

    @Override
    protected PageContent.Builder view(String title, ClusterView view, DrainReport report) {
        return DisruptedView.of(title, view, report.disrupted(), Set.of());
    }
}
