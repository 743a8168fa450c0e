// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.PodExplanation;
import org.moorage.app.internal.options.SimulationSeed;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.dump.ClusterDump;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains where a pod or a group of pods is scheduled, or why it is unschedulable. */
@Command(
        name = "explain",
        description = {
            "Explain why a pod is scheduled to a node, or why it is pending.",
            "",
            "The pods ahead of it in the queue are scheduled first, as simulate does; --now evaluates it against the"
                    + " cluster as it is. A pod that is scheduled with its group is explained as part of the group.",
        },
        footer = {
            "  moorage explain web-1 -n shop",
            "  moorage explain shop/web-1 --cluster cluster.json.gz",
            "  moorage explain podgroup/training --feature-gates GenericWorkload=true --cluster cluster.yaml",
            "  moorage explain shop/web-1 --live --insecure-skip-tls-verify",
        },
        exitCodeList = {"0:it is scheduled, or would be", "1:it is pending, or would be"})
public final class ExplainCommand extends QuestionCommand<Report> {
    @Mixin
    private LiveExplanation live = new LiveExplanation();

    @Option(names = "--now", description = "Evaluate the cluster as it is, without scheduling pending pods first.")
    private boolean now;

    @Option(names = "--seed", paramLabel = "N", description = "Random seed, as for simulate.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod or group.")
    private Optional<String> namespace = Optional.empty();

    @Parameters(
            paramLabel = "POD",
            description = "The pod: NAME or NAMESPACE/NAME; or a group: podgroup/NAME, compositepodgroup/NAME, or with"
                    + " NAMESPACE/NAME.")
    private String argument = "";

    /** Creates the command; its answer is printed to that terminal. */
    public ExplainCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    protected Optional<Report> answerBefore(ClusterOptions cluster, Terminal shown) {
        return live.isAsked() ? Optional.of(live.ask(cluster.connection(), qualified())) : Optional.empty();
    }

    @Override
    public List<String> answerSchemas() {
        return List.of("explain", "explain-group");
    }

    @Override
    public Report answer(AskedCluster asked) {
        String name = qualified();
        ClusterDump dump = asked.dump();
        LoadedConfig loaded = asked.config();
        Optional<GroupKey> named = ExplainedGroup.named(name, dump);
        Simulation simulation =
                Simulation.of(dump.objects(), loaded, asked.registry()).creatingPreemptedAgain();
        SimulationSeed.set(simulation, seed);
        if (named.isPresent()) {
            return group(simulation, named.get(), List.of(), asked);
        }
        Pod pod = find(name, dump.pods(), () -> createdAgain(name, simulation, asked));
        asked.demandProfile(pod);
        Optional<GroupKey> group = ExplainedGroup.of(pod, loaded.featureGates());
        if (group.isPresent()) {
            return group(simulation, group.get(), List.of("Pod " + pod.key() + " is scheduled with its group."), asked);
        }
        return new ExplainReport(
                now ? simulation.explainNow(pod) : withProgress(simulation, asked, () -> simulation.explain(pod)),
                notes(pod));
    }

    private Report group(Simulation simulation, GroupKey group, List<String> notes, AskedCluster asked) {
        ExplainedGroup.demandFeature(group, asked.config().featureGates());
        return new GroupExplainReport(
                now ? simulation.explainNow(group) : withProgress(simulation, asked, () -> simulation.explain(group)),
                notes);
    }

    @Override
    protected String title() {
        return "explain " + qualified();
    }

    @Override
    protected PageContent.Builder view(String title, ClusterView view, Report report) {
        PageContent.Builder content = PageContent.of(title, view)
                .notes(List.of("The cluster is shown as it is, before any pending pod is scheduled."));
        return report.answer() instanceof PodExplanation explanation ? content.evaluation(explanation) : content;
    }

    // As kubectl names pods: pod/NAME, and the namespace as a flag.
    private String qualified() {
        String wanted = argument.replaceFirst("^pods?/(?=[^/]+$)", "");
        if (namespace.isEmpty()) {
            return wanted;
        }
        int slash = wanted.indexOf('/');
        boolean isGroup = wanted.matches("(composite)?podgroup/[^/]+");
        if (slash >= 0 && !isGroup) {
            throw new CommandException(
                    "POD: \"" + argument + "\" (expected: a name without a namespace, since --namespace has one)");
        }
        return wanted.substring(0, slash + 1) + namespace.get() + "/" + wanted.substring(slash + 1);
    }

    private static <T> T withProgress(Simulation simulation, AskedCluster asked, Supplier<T> explain) {
        // Each pending pod is tried twice at least, unless it comes after this one.
        ProgressLine progress = new ProgressLine(
                asked.terminal(), "attempts", 2 * simulation.pendingPods().size());
        AtomicInteger attempts = new AtomicInteger();
        try {
            Simulation ignored = simulation.listener(decision -> progress.show(attempts.incrementAndGet()));
            return explain.get();
        } finally {
            progress.clear();
        }
    }

    // Pods that replace preempted ones are not in the snapshot.
    private List<Pod> createdAgain(String name, Simulation simulation, AskedCluster asked) {
        String wanted = name.substring(name.indexOf('/') + 1);
        boolean mayBeCreated = asked.dump().pods().stream()
                .flatMap(pod -> pod.metadata().controller().stream())
                .anyMatch(owner -> wanted.startsWith(owner.name() + "-"));
        if (now || !mayBeCreated || simulation.pendingPods().isEmpty()) {
            return List.of();
        }
        List<SimulatedPod> simulated =
                withProgress(simulation, asked, () -> simulation.run().pods());
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
            throw new CommandException("pod \"" + wanted + "\" not found among the " + pods.size()
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

    // How the evaluated pod differs from the one in the cluster.
    private static List<String> notes(Pod pod) {
        List<String> notes = new ArrayList<>();
        if (pod.isBound()) {
            notes.add("The pod runs on " + pod.nodeName()
                    + ". It is evaluated as if it were pending and not on that node.");
        }
        if (pod.metadata().isDeleting()) {
            notes.add("The pod is being deleted, so it will not be scheduled.");
        } else if (pod.status().isTerminal()) {
            notes.add("The pod has ended (" + pod.status().phase() + "), so it will not be scheduled.");
        }
        return notes;
    }
}
