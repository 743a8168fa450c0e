// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

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
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.SimulationReport;
import org.moorage.app.internal.report.SimulationRows;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.dump.ClusterDump;
import org.moorage.simulation.dump.ClusterDumpReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Places the waiting pods of a cluster that files describe, and shows where they go. */
@Command(
        name = "simulate",
        description = "Places the waiting pods of a cluster that files describe, and shows where they go.",
        footer = {
            "",
            "Example:",
            "  kubectl get nodes,pods -A -o yaml | moorage simulate -",
        })
final class SimulateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private ExtenderOptions extenders = new ExtenderOptions();

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    @Option(names = "--seed", paramLabel = "N", description = "Have chance decide the same way each time.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--trace", paramLabel = "FILE", description = "Write each step to this file, as JSON.")
    private Optional<Path> trace = Optional.empty();

    @Option(
            names = "--changes",
            paramLabel = "FILE",
            description = "Then replay the changes in this file, which kubectl get --watch --output-watch-events"
                    + " -o json has written; - for stdin.")
    private Optional<String> changes = Optional.empty();

    @Mixin
    private SimulationRows rows = new SimulationRows();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ReportOptions page = new ReportOptions();

    @Option(names = "--exit-code", description = "Also end with 1 if a pod was tried and has no node.")
    private boolean exitCode;

    @Parameters(
            arity = "1..*",
            paramLabel = "CLUSTER",
            description = "Files or folders with the cluster's objects, in YAML or JSON; - for stdin.")
    private List<String> sources = new ArrayList<>();

    SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        checkOptions();
        PluginRegistry registry = config.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        LoadedConfig loaded = config.load(registry);
        ClusterDumpReader reader =
                workloads.apply(new ClusterDumpReader(loaded, registry)).withClaims();
        changes.ifPresent(reader::withChanges);
        ClusterDump dump = (trace.isPresent() ? reader.withJson() : reader).read(sources, terminal.in());
        ConfigFile.warn(loaded, terminal);
        WorkloadOptions.tell(dump, terminal);
        Simulation simulation = Simulation.of(dump.objects(), extenders.apply(loaded), registry);
        simulation.changes(dump.changes());
        // What recorded changes tell of controllers is what these did, and a trace is held against a scheduler alone.
        if (changes.isEmpty() && trace.isEmpty()) {
            simulation.creatingPreemptedAgain();
        }
        seed.ifPresent(simulation::seed);
        Instant start = terminal.clock().instant();
        SimulationResult result =
                trace.isPresent() ? runTraced(simulation, dump, trace.get()) : run(simulation, decision -> {});
        Duration took = Duration.between(start, terminal.clock().instant());
        output.print(new SimulationReport(result, dump.changes(), took, seed, rows), terminal);
        page.write(
                terminal,
                () -> PageContent.of("simulate " + String.join(" ", sources), ClusterView.of(result))
                        .before(ClusterView.of(dump.objects()))
                        .groups(SimulationReport.groupTrees(result))
                        .notes(dump.warnings())
                        .notes(dump.notes()));
        boolean isFailed = result.pods().stream().anyMatch(pod -> pod.state() == SimulatedPod.State.ERROR);
        boolean isUnplaced = result.pods().stream()
                .anyMatch(pod -> pod.state().isFailure() && pod.createdAgainAs().isEmpty());
        return isFailed || exitCode && isUnplaced ? 1 : 0;
    }

    private void checkOptions() {
        if (changes.isPresent() && trace.isPresent()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with --changes, since a trace has no changes of the cluster)");
        }
        if (trace.isPresent() && workloads.reschedulesLost()) {
            throw new CommandException("--trace: " + trace.get()
                    + " (expected: not with --reschedule-lost, since no file has the pods that it creates)");
        }
        workloads.checkStdin(sources);
        if (changes.filter("-"::equals).isPresent() && (sources.contains("-") || workloads.readsStdin())) {
            throw new CommandException("--changes: - (expected: a file, since the cluster is read from stdin)");
        }
    }

    private SimulationResult runTraced(Simulation simulation, ClusterDump dump, Path file) {
        try (TraceFile steps = TraceFile.create(file, config.file(), dump)) {
            return run(simulation, steps::step);
        }
    }

    private SimulationResult run(Simulation simulation, Consumer<Decision> steps) {
        ProgressLine progress =
                new ProgressLine(terminal, "pods", simulation.pendingPods().size());
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
