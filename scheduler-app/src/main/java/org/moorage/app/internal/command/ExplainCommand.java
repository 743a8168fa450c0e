// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.ExplainReport;
import org.moorage.app.internal.report.GroupExplainReport;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.GroupExplanation;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells where a pod or a group of pods goes in a cluster that files describe, and why not elsewhere. */
@Command(
        name = "explain",
        description = {
            "Tells where a pod or a group of pods goes in a cluster that files describe, and why not elsewhere.",
            "",
            "The answer is about its turn in a simulation: the pods before it have been scheduled, as simulate does.",
            "With --now it is about the cluster as it is, where no waiting pod has been scheduled.",
            "Of a pod that is scheduled with its group it is about the group.",
        },
        footer = {
            "",
            "Example:",
            "  kubectl get nodes,pods -A -o yaml | moorage explain default/web-1 -",
            "  moorage explain --feature-gates GenericWorkload=true podgroup/training cluster.yaml",
        })
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private UnknownPluginOptions unknown = new UnknownPluginOptions();

    @Mixin
    private ProfileOptions profile = new ProfileOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ReportOptions page = new ReportOptions();

    @Option(names = "--now", description = "Ask about the cluster as it is, before any waiting pod is scheduled.")
    private boolean now;

    @Option(names = "--seed", paramLabel = "N", description = "Random seed, as of simulate.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--all-nodes", description = "Name every node, however many there are.")
    private boolean allNodes;

    @Parameters(
            index = "0",
            paramLabel = "POD",
            description =
                    "The pod: its name, or its namespace, a slash and its name. Or a group of pods: podgroup/NAME or"
                            + " compositepodgroup/NAME, also with a namespace and a slash before NAME.")
    private String name = "";

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
        workloads.checkStdin(sources);
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry, unknown.unknownPlugins(), terminal);
        ClusterDump dump = profile.apply(
                workloads
                        .apply(new ClusterDumpReader(loaded, registry))
                        .withClaims()
                        .read(sources, terminal.in()),
                loaded,
                terminal);
        WorkloadOptions.tell(dump, terminal);
        Optional<GroupKey> group = ExplainedGroup.named(name, dump);
        Simulation simulation =
                Simulation.of(dump.objects(), extenders.apply(loaded), registry).creatingPreemptedAgain();
        SimulationSeed.set(simulation, seed);
        Optional<Pod> pod = group.isPresent()
                ? Optional.empty()
                : Optional.of(find(name, dump.pods(), () -> createdAgain(simulation, dump.pods())));
        pod.ifPresent(found -> demandProfile(found, loaded));
        ConfigFile.warn(loaded, terminal);
        Optional<GroupKey> tried =
                group.isPresent() ? group : pod.flatMap(found -> ExplainedGroup.of(found, loaded.featureGates()));
        Report report = tried.isPresent()
                ? report(simulation, tried.get(), pod, loaded)
                : report(simulation, pod.orElseThrow());
        output.print(report, terminal);
        page.write(terminal, () -> {
            PageContent.Builder content = PageContent.of("explain " + name, ClusterView.of(dump.objects()))
                    .notes(dump.warnings())
                    .notes(dump.notes())
                    .notes(List.of("The cluster is shown as it is, before any waiting pod is scheduled."));
            return tried.isPresent()
                    ? content.answer("explain " + name, report.tree())
                    : content.evaluation(report.tree());
        });
        return 0;
    }

    private Report report(Simulation simulation, Pod pod) {
        Explanation explanation =
                now ? simulation.explainNow(pod) : withProgress(simulation, () -> simulation.explain(pod));
        return new ExplainReport(explanation, notes(pod), allNodes);
    }

    private Report report(Simulation simulation, GroupKey group, Optional<Pod> pod, LoadedConfig loaded) {
        ExplainedGroup.demandFeature(group, loaded.featureGates());
        GroupExplanation explanation =
                now ? simulation.explainNow(group) : withProgress(simulation, () -> simulation.explain(group));
        List<String> notes = new ArrayList<>();
        pod.ifPresent(member -> notes.add("Pod " + member.key() + " is scheduled with its group."));
        return new GroupExplainReport(explanation, notes, allNodes);
    }

    private <T> T withProgress(Simulation simulation, Supplier<T> explain) {
        // Each pending pod is tried twice at least, unless it comes after this one.
        ProgressLine progress = new ProgressLine(
                terminal, "attempts", 2 * simulation.pendingPods().size());
        AtomicInteger attempts = new AtomicInteger();
        try {
            Simulation ignored = simulation.listener(decision -> progress.show(attempts.incrementAndGet()));
            return explain.get();
        } finally {
            progress.clear();
        }
    }

    /** Refuses a pod that none of the profiles is responsible for. */
    static void demandProfile(Pod pod, LoadedConfig loaded) {
        List<String> names = AskedCluster.profileNames(loaded);
        if (!names.contains(pod.spec().schedulerName())) {
            throw new CommandException("pod " + pod.key() + " is for the scheduler \""
                    + pod.spec().schedulerName() + "\" (expected: " + String.join(" or ", names) + ")");
        }
    }

    // Those in place of preempted ones, which no file has.
    private List<Pod> createdAgain(Simulation simulation, List<Pod> pods) {
        String wanted = name.substring(name.indexOf('/') + 1);
        boolean mayBeCreated = pods.stream()
                .flatMap(pod -> pod.metadata().controller().stream())
                .anyMatch(owner -> wanted.startsWith(owner.name() + "-"));
        if (now || !mayBeCreated || simulation.pendingPods().isEmpty()) {
            return List.of();
        }
        List<SimulatedPod> simulated =
                withProgress(simulation, () -> simulation.run().pods());
        Set<String> names = new HashSet<>();
        simulated.forEach(pod -> names.add(pod.createdAgainAs()));
        return simulated.stream()
                .map(SimulatedPod::pod)
                .filter(pod -> !pod.isBound() && names.contains(pod.key()))
                .toList();
    }

    private static Pod find(String wanted, List<Pod> pods, Supplier<List<Pod>> others) {
        List<String> names = new ArrayList<>();
        boolean qualified = wanted.indexOf('/') >= 0;
        pods.forEach(pod -> names.add(qualified ? pod.key() : pod.name()));
        List<Pod> found = named(wanted, qualified, pods);
        if (found.isEmpty()) {
            found = named(wanted, qualified, others.get());
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

    private static List<Pod> named(String wanted, boolean qualified, List<Pod> pods) {
        return pods.stream()
                .filter(pod -> wanted.equals(qualified ? pod.key() : pod.name()))
                .toList();
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
        if (pod.metadata().isDeleting()) {
            notes.add("The pod is being deleted, and will not be scheduled.");
        } else if (pod.status().isTerminal()) {
            notes.add("The pod has ended (" + pod.status().phase() + "), and will not be scheduled.");
        }
        return notes;
    }
}
