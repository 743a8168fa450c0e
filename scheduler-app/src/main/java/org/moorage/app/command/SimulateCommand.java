// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.plugin.PluginRegistry;
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

    @Option(names = "--seed", paramLabel = "N", description = "Have chance decide the same way each time.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--trace", paramLabel = "FILE", description = "Write each step to this file, as JSON.")
    private Optional<Path> trace = Optional.empty();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Named.class,
            description = "How to answer: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private OutputFormat output = OutputFormat.TABLE;

    @Option(names = "--exit-code", description = "End with 1 if a pod was tried and has no node.")
    private boolean exitCode;

    @Parameters(
            arity = "1..*",
            paramLabel = "CLUSTER",
            description = "Files or folders with the cluster's objects, in YAML or JSON; - for stdin.")
    private List<String> cluster = new ArrayList<>();

    SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        PluginRegistry registry = config.registry();
        LoadedConfig loaded = config.load(registry);
        ClusterInput input = ClusterInput.readSettled(cluster, terminal.in(), registry, loaded.featureGates());
        ConfigFile.warnOfWhatIsMissing(loaded, terminal);
        RandomGenerator random =
                seed.<RandomGenerator>map(SplittableRandom::new).orElseGet(RandomGenerator::getDefault);
        Simulation.Result result = trace.isPresent()
                ? traced(input, trace.get(), loaded, registry, random)
                : run(input, loaded, registry, random, decision -> {});
        SimulationReport report = new SimulationReport(result, seed);
        if (output == OutputFormat.TABLE) {
            report.print(terminal);
        } else {
            output.print(report.tree(), terminal);
        }
        boolean failed = result.pods().stream().anyMatch(pod -> pod.outcome().isFailure());
        return exitCode && failed ? 1 : 0;
    }

    private Simulation.Result traced(
            ClusterInput input, Path file, LoadedConfig loaded, PluginRegistry registry, RandomGenerator random) {
        try (TraceFile steps = TraceFile.create(file, config.file(), input.trees())) {
            return run(input, loaded, registry, random, steps::step);
        }
    }

    private Simulation.Result run(
            ClusterInput input,
            LoadedConfig loaded,
            PluginRegistry registry,
            RandomGenerator random,
            Consumer<Decision> steps) {
        Progress progress = new Progress(terminal, "pods", input.waitingPods().size());
        Set<String> tried = new HashSet<>();
        try {
            return new Simulation(input, terminal.clock()).run(loaded, registry, random, decision -> {
                steps.accept(decision);
                tried.add(decision.pod().uid());
                progress.at(tried.size());
            });
        } finally {
            progress.end();
        }
    }
}
