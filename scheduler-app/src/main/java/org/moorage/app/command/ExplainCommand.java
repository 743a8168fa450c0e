// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.moorage.api.model.Pod;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.ClusterDump;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.simulation.SteppingClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells where a pod would go in a cluster that files describe, and why not elsewhere. */
@Command(
        name = "explain",
        description = {
            "Tells where a pod would go in a cluster that files describe, and why not elsewhere.",
            "Nothing is placed: the other waiting pods keep waiting.",
        },
        footer = {
            "",
            "Example:",
            "  kubectl get nodes,pods -A -o yaml | moorage explain default/web-1 -",
        })
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Option(names = "--all-nodes", description = "Name every node, however many there are.")
    private boolean allNodes;

    @Parameters(
            index = "0",
            paramLabel = "POD",
            description = "The pod: its name, or its namespace, a slash and its name.")
    private String podName = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "CLUSTER",
            description = "Files or folders with the cluster's objects, in YAML or JSON; - for stdin.")
    private List<String> sources = new ArrayList<>();

    ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        PluginRegistry registry = config.registry(terminal::warn);
        LoadedConfig loaded = config.load(registry);
        ClusterDump dump = ClusterDump.read(sources, terminal.in(), loaded, registry);
        Pod pod = find(podName, dump.pods());
        ConfigFile.warn(loaded, terminal);
        ExplainReport report = new ExplainReport(evaluate(pod, dump, loaded, registry), notes(pod), allNodes);
        output.print(report, terminal);
        return 0;
    }

    private Evaluation evaluate(Pod pod, ClusterDump dump, LoadedConfig loaded, PluginRegistry registry) {
        InMemoryCluster cluster = InMemoryCluster.of(dump.objects());
        if (pod.isBound()) {
            cluster.remove(pod);
        }
        Scheduler.Builder builder = Scheduler.builder(loaded, registry, cluster)
                .clock(SteppingClock.startingAfter(dump.objects()))
                .extenders(extenders.of(loaded))
                .bindingExecutor(Runnable::run);
        try (Scheduler scheduler = builder.build()) {
            scheduler.start();
            if (!scheduler.profileNames().contains(pod.spec().schedulerName())) {
                throw new CommandException("pod " + pod.key() + " is for the scheduler \""
                        + pod.spec().schedulerName() + "\" (expected: "
                        + String.join(" or ", scheduler.profileNames()) + ")");
            }
            return scheduler.evaluate(pod.withNode(""));
        }
    }

    private static Pod find(String wanted, List<Pod> pods) {
        List<Pod> found = new ArrayList<>();
        List<String> names = new ArrayList<>();
        boolean qualified = wanted.indexOf('/') >= 0;
        for (Pod pod : pods) {
            names.add(qualified ? pod.key() : pod.name());
            if (wanted.equals(qualified ? pod.key() : pod.name())) {
                found.add(pod);
            }
        }
        if (found.isEmpty()) {
            throw new CommandException("pod \"" + wanted + "\" is not among the " + pods.size()
                    + " pods of the cluster." + Suggestions.hint(wanted, names));
        }
        if (found.size() > 1) {
            throw new CommandException(
                    "pod \"" + wanted + "\" is in several namespaces (expected: one of " + join(found) + ")");
        }
        return found.get(0);
    }

    private static String join(List<Pod> pods) {
        List<String> keys = new ArrayList<>();
        pods.forEach(pod -> keys.add(pod.key()));
        return String.join(", ", keys);
    }

    // What makes the answer one about a case that is not quite this one.
    private static List<String> notes(Pod pod) {
        List<String> notes = new ArrayList<>();
        if (pod.isBound()) {
            notes.add("The pod is on " + pod.nodeName() + ". This is as if it still waited, and took no room there.");
        }
        if (!pod.spec().schedulingGates().isEmpty()) {
            notes.add("The pod waits for scheduling gates ("
                    + String.join(", ", pod.spec().schedulingGates()) + "). This is as if they were gone.");
        }
        if (pod.metadata().isDeleting()) {
            notes.add("The pod is being deleted, and will not be scheduled.");
        } else if (pod.status().isTerminal()) {
            notes.add("The pod has ended (" + pod.status().phase() + "), and will not be scheduled.");
        }
        return notes;
    }
}
