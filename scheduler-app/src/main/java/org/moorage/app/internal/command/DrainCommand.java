// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.DisruptedRows;
import org.moorage.app.internal.report.DrainReport;
import org.moorage.app.internal.report.Terminal;
import org.moorage.simulation.whatif.Drain;
import org.moorage.simulation.whatif.DrainRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class DrainCommand extends QuestionCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "NODE",
            description =
                    "Names of nodes, or label selectors such as zone=a; zone, region and type stand for the well-known"
                            + " labels.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            description = "Label selector of the nodes to drain.")
    private Optional<String> selector = Optional.empty();

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

    @Mixin
    private DisruptedRows rows = new DisruptedRows();

    DrainCommand(Terminal terminal) {
        super(terminal);
    }

    @Option(
            names = "--ignore-daemonsets",
            description = "Accepted for kubectl's sake: pods of DaemonSets always stay on their nodes.")
    void ignoreDaemonSets(boolean ignored) {
        // Command lines for kubectl have it.
    }

    @Override
    public Answer answer(AskedCluster asked) {
        Map<String, Node> known = asked.known().nodes();
        Set<String> names = new LinkedHashSet<>(SelectedNodes.of(nodes, known));
        selector.ifPresent(text -> names.addAll(SelectedNodes.select("--selector", text, known)));
        if (names.isEmpty()) {
            throw new CommandException("no node is named (expected: nodes to drain, or --selector)");
        }
        Predicate<Pod> selected = podSelector
                .map(text -> SelectorText.parse("--pod-selector", text, UnaryOperator.identity()))
                .map(DrainCommand::selected)
                .orElse(any -> true);
        DrainRules rules = new DrainRules(force, deleteEmptyDirData, disableEviction, selected, asked::isOrphaned);
        return new DrainReport(Drain.of(asked.known(), names, rules), rows);
    }

    private static Predicate<Pod> selected(LabelSelector selector) {
        return pod -> selector.matches(pod.labels());
    }
}
