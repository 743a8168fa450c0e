// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.options.SimulationSeed;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.question.OutputOptions;
import org.moorage.app.internal.question.Question;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.question.ReportOptions;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.dump.Manifests;
import org.moorage.simulation.dump.RecordedChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Schedules the pending pods of a cluster and shows the result. It is no {@link QuestionCommand}, since its files may be the cluster itself, and its
 * page and exit codes differ.
 */
@Command(
        name = "simulate",
        description = {
            "Schedule the pending pods of a cluster and show the result.",
            "",
            "CLUSTER has the objects of the cluster. With --cluster, CLUSTER has pods and workloads that are added to that cluster. Nothing is changed in a live cluster."
        },
        footer = {
            "  moorage simulate cluster.json.gz",
            "  kubectl get nodes,pods -A -o yaml | moorage simulate -",
            "  moorage simulate trace.yaml --cluster cluster.json.gz"
        },
        exitCodeList = {
            "0:the pods were scheduled as far as possible",
            "1:an attempt failed; with --exit-code also: a pod is unschedulable"
        })
public final class SimulateCommand implements Callable<Integer>, Question {
    // On a work list, where an answer is the same each time.
    private static final long SEED_OF_QUESTIONS = 0;
    private static final ClusterDump NOTHING = new ClusterDump(List.of(), List.of(), List.of(), List.of(), List.of());

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Random seed, for reproducible results; any but 0 also breaks ties between nodes at random.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--trace", paramLabel = "FILE", description = "File to write each scheduling step to, as JSON.")
    private Optional<Path> trace = Optional.empty();

    @Option(
            names = "--events",
            paramLabel = "FILE",
            description =
                    "File with changes to replay afterwards, as kubectl get --watch --output-watch-events -o json "
                            + "writes them; - for stdin.")
    private Optional<String> changes = Optional.empty();

    @Mixin
    private SimulationRows rows = new SimulationRows();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ReportOptions page = new ReportOptions();

    @Option(names = "--exit-code", description = "Also exit with 1 if a pod is unschedulable.")
    private boolean exitCode;

    @Parameters(
            arity = "0..*",
            paramLabel = "CLUSTER",
            description =
                    "Files or folders with the cluster's objects, in YAML or JSON; - for stdin. With --cluster, the "
                            + "pods and workloads to add to that cluster.")
    private List<String> files = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec command;

    /** Creates the command; it prints to that terminal. */
    public SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * The input of a simulation.
     *
     * @param objects the objects at the beginning
     * @param changes what then happens to them
     * @param notes notes on both
     */
    private record Start(List<ClusterObject> objects, List<RecordedChange> changes, List<String> notes) {}

    @Override
    public Integer call() {
        checkOptions();
        Terminal shown = output.terminal(terminal);
        try (AskedCluster asked = cluster.read(shown, files, this::setUp)) {
            Start start = start(asked, cluster.areGiven() ? files : List.of(), asked.dump());
            start.notes.forEach(shown::note);
            Simulation simulation = simulation(asked, start);
            SimulationSeed.set(simulation, seed);
            Instant begin = terminal.clock().instant();
            SimulationResult result = trace.isPresent()
                    ? runTraced(simulation, asked, trace.get())
                    : run(simulation, asked, decision -> {});
            Duration took = Duration.between(begin, terminal.clock().instant());
            SimulationReport report = report(result, start, seed, Optional.of(took));
            output.print(report, shown);
            page.write(
                    shown,
                    () -> PageContent.of("simulate " + String.join(" ", files), ClusterView.of(result))
                            .before(ClusterView.of(start.objects))
                            .groups(GroupResult.all(result.groups()))
                            .notes(asked.dump().warnings())
                            .notes(asked.dump().notes())
                            .notes(start.notes));
            return report.succeeded() ? 0 : 1;
        }
    }

    @Override
    public Report answer(AskedCluster asked) {
        if (trace.isPresent()) {
            throw new CommandException(
                    "--trace: " + trace.get() + " (expected: not in a batch, whose answers have the results)");
        }
        ClusterDump recorded = changes.map(asked::changes).orElse(NOTHING);
        Start start = start(asked, files, recorded);
        List<String> notes = new ArrayList<>(start.notes);
        notes.addAll(recorded.notes());
        notes.addAll(recorded.warnings());
        long fixed = seed.orElse(SEED_OF_QUESTIONS);
        Simulation simulation = simulation(asked, start);
        SimulationSeed.set(simulation, Optional.of(fixed));
        SimulationResult result = run(simulation, asked, decision -> {});
        return report(result, new Start(start.objects, start.changes, notes), Optional.of(fixed), Optional.empty());
    }

    private static Start start(AskedCluster asked, List<String> added, ClusterDump recorded) {
        List<ClusterObject> objects = asked.dump().objects();
        if (added.isEmpty()) {
            return new Start(objects, recorded.changes(), List.of());
        }
        Manifests.Contents contents = asked.manifests(added);
        List<String> notes = new ArrayList<>(contents.notes());
        notes.addAll(contents.missing());
        return new Start(contents.appliedTo(objects), recorded.changes(), notes);
    }

    private Simulation simulation(AskedCluster asked, Start start) {
        Simulation simulation =
                Simulation.of(start.objects, asked.config(), asked.registry()).changes(start.changes);
        // Recorded changes include those of controllers, and a trace is compared with a scheduler alone.
        return changes.isEmpty() && trace.isEmpty() ? simulation.creatingPreemptedAgain() : simulation;
    }

    private SimulationReport report(
            SimulationResult result, Start start, Optional<Long> usedSeed, Optional<Duration> took) {
        return new SimulationReport(
                result, start.changes, new SimulationReport.Asked(rows, start.notes, usedSeed, took, exitCode));
    }

    private void setUp(ClusterDumpReader reader) {
        changes.ifPresent(reader::withChanges);
        if (trace.isPresent()) {
            reader.withJson();
        }
    }

    private void checkOptions() {
        if (files.isEmpty() && !cluster.findCluster() && command != null) {
            throw new MissingParameterException(
                    command.commandLine(), command.positionalParameters().get(0), "missing CLUSTER");
        }
        if (changes.isPresent() && trace.isPresent()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with --events, since a trace has no changes of the cluster)");
        }
        if (trace.isPresent() && cluster.rescheduleLost()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with --reschedule-lost, since no file has the pods that it creates)");
        }
        if (trace.isPresent() && cluster.changeProfiles()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with --scheduler-name, since the trace has the pods as the files have them)");
        }
        if (trace.isPresent() && cluster.areGiven() && !files.isEmpty()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with files in addition to --cluster, since the trace would lack their pods)");
        }
        if (files.contains("-") && cluster.readStdin()) {
            throw new CommandException("CLUSTER: - (expected: a file, since stdin is read already)");
        }
        if (changes.filter("-"::equals).isPresent() && (files.contains("-") || cluster.readStdin())) {
            throw new CommandException("--events: - (expected: a file, since the cluster is read from stdin)");
        }
    }

    private static SimulationResult runTraced(Simulation simulation, AskedCluster asked, Path file) {
        try (TraceFile steps = TraceFile.create(file, asked.configFile().map(given -> asked.config()), asked.dump())) {
            SimulationResult result = run(simulation, asked, steps::step);
            steps.finish();
            return result;
        }
    }

    private static SimulationResult run(Simulation simulation, AskedCluster asked, Consumer<Decision> steps) {
        ProgressLine progress = new ProgressLine(
                asked.terminal(), "pods", simulation.pendingPods().size());
        Set<String> tried = new HashSet<>();
        try {
            return simulation
                    .listener(decision -> {
                        steps.accept(decision);
                        tried.add(decision.pod().uid());
                        progress.show(tried.size());
                    })
                    .run();
        } finally {
            progress.clear();
        }
    }
}
