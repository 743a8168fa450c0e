// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.answer.NodePrices;
import org.moorage.app.internal.answer.SchedulingFigures;
import org.moorage.app.internal.compare.SchedulerComparison.Side;
import org.moorage.app.internal.compare.WeightsAnswer.Combination;
import org.moorage.app.internal.options.ConfigFile;
import org.moorage.app.internal.options.ExtenderFiles;
import org.moorage.app.internal.options.FeatureGateOptions;
import org.moorage.app.internal.options.ManifestFile;
import org.moorage.app.internal.options.ProfileOptions;
import org.moorage.app.internal.options.VersionOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ParallelTasks;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.ClusterOptions;
import org.moorage.app.internal.question.PriceOptions;
import org.moorage.app.internal.question.QuestionCommand;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.whatif.ClusterComparison;
import org.moorage.simulation.whatif.SchedulingOutcome;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares what two configurations of the scheduler do with one cluster. */
@Command(
        name = "compare",
        description = {
            "Compare two configurations on the same pods, or two snapshots.",
            "",
            "With --weight, one configuration is compared with other weights of its plugins, a row for each combination. Without CONFIG, the configuration is that of --config. Two --cluster options without anything else that differs compare two snapshots of a cluster: nodes, utilization by zone, pending pods and workloads."
        },
        footer = {
            "  moorage compare now.yaml packed.yaml --rebalance",
            "  moorage compare now.yaml packed.yaml --cluster cluster.json.gz",
            "  moorage compare --cluster monday.jsonl.gz --cluster today.jsonl.gz",
            "  moorage compare now.yaml --other-emulated-version 1.36",
            "  moorage compare now.yaml --weight NodeResourcesFit=1,2,5 --weight ImageLocality=0,1",
            "  moorage compare now.yaml --profiles default-scheduler,packed"
        },
        exitCodeList = {"0:both schedule all pods to the same nodes", "1:a pod differs"})
public final class CompareCommand extends QuestionCommand<Report> {
    @Option(
            names = "--rebalance",
            description = "First remove the pods that controllers would create again from their nodes, and reschedule "
                    + "them.")
    private boolean rebalance;

    @Option(
            names = "--profiles",
            split = ",",
            paramLabel = "FIRST,SECOND",
            description = "Compare two profiles of one configuration, each for all pods.")
    private List<String> profiles = new ArrayList<>();

    @Option(
            names = "--other-feature-gates",
            paramLabel = "NAME=true|false,...",
            description = "Feature gates of the second configuration, instead of --feature-gates.")
    private List<String> otherGates = new ArrayList<>();

    @Option(
            names = "--other-emulated-version",
            paramLabel = "[kube=]MAJOR.MINOR",
            description = "Emulated version of the second configuration, instead of --emulated-version.")
    private List<String> otherVersion = new ArrayList<>();

    @Mixin
    private PriceOptions prices = new PriceOptions();

    @Mixin
    private ScoreWeightGrid weights = new ScoreWeightGrid();

    @Option(
            names = "--sort",
            paramLabel = "FIGURE",
            converter = WeightsReport.Order.Named.class,
            description =
                    "With --weight: figure to sort combinations by, the best first: ${COMPLETION-CANDIDATES} (default:"
                            + " ${DEFAULT-VALUE}).")
    private WeightsReport.Order order = WeightsReport.Order.PENDING;

    @Parameters(
            arity = "0..2",
            paramLabel = "CONFIG",
            description =
                    "Scheduler configuration files: the first and the second; one if the two sides differ by a flag.")
    private List<Path> files = new ArrayList<>();

    /** Creates the command; it prints to that terminal. */
    public CompareCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    protected Optional<Report> answerBefore(ClusterOptions cluster, Terminal shown) {
        List<String> snapshots = cluster.sources();
        boolean isOfConfigurations = !files.isEmpty()
                || !profiles.isEmpty()
                || !otherGates.isEmpty()
                || !otherVersion.isEmpty()
                || weights.areGiven();
        if (snapshots.size() != 2 || isOfConfigurations) {
            return Optional.empty();
        }
        try (AskedCluster first = cluster.snapshot(snapshots.get(0), shown);
                AskedCluster second = cluster.snapshot(snapshots.get(1), shown)) {
            return Optional.of(new SnapshotsReport(
                    snapshots.get(0),
                    snapshots.get(1),
                    ClusterComparison.of(first.dump().objects(), second.dump().objects())));
        }
    }

    @Override
    public List<String> answerSchemas() {
        return List.of("compare", "compare-weights");
    }

    @Override
    public Report answer(AskedCluster asked) {
        if (!weights.areGiven()) {
            return compare(asked, sides(asked));
        }
        Side unchanged = unchanged(asked);
        List<Map<String, Integer>> combinations = weights.combinations(asked.registry());
        demandScoring(combinations, unchanged, asked);
        return combinations.size() == 1
                ? compare(asked, List.of(unchanged, weighted(combinations.get(0), unchanged)))
                : compare(asked, unchanged, combinations);
    }

    private Report compare(AskedCluster asked, List<Side> sides) {
        // Before the pods are scheduled, so that a missing price is reported immediately.
        NodePrices known = prices.of(asked.nodes());
        SchedulerComparison comparison = new SchedulerComparison(asked, sides, rebalance);
        Demand demand = comparison.demand();
        int pods = demand.waiting().size() + demand.anew().size();
        List<SchedulingOutcome> outcomes = withProgress("attempts", 2 * pods, asked, tried -> {
            List<Callable<SchedulingOutcome>> tasks = new ArrayList<>();
            sides.forEach(side -> tasks.add(() -> comparison.outcome(side, tried)));
            return ParallelTasks.run(tasks);
        });
        return new CompareReport(
                List.of(sides.get(0).name(), sides.get(1).name()), comparison.now(), outcomes, demand, known);
    }

    // Keeps only the figures of each combination: there may be many combinations, each with many pods.
    private Report compare(AskedCluster asked, Side unchanged, List<Map<String, Integer>> combinations) {
        SchedulerComparison comparison = new SchedulerComparison(asked, List.of(unchanged), rebalance);
        SchedulingOutcome first = comparison.outcome(unchanged, () -> {});
        List<Combination> compared = withProgress("combinations", combinations.size(), asked, tried -> {
            List<Callable<Combination>> tasks = new ArrayList<>();
            for (Map<String, Integer> combination : combinations) {
                tasks.add(() -> {
                    SchedulingOutcome outcome = comparison.outcome(weighted(combination, unchanged), () -> {});
                    tried.run();
                    return new Combination(combination, first.moved(outcome).size(), SchedulingFigures.of(outcome));
                });
            }
            return ParallelTasks.run(tasks);
        });
        return new WeightsReport(
                unchanged.name(), comparison.demand(), comparison.now(), SchedulingFigures.of(first), compared, order);
    }

    private static <T> T withProgress(String what, int count, AskedCluster asked, Function<Runnable, T> work) {
        ProgressLine progress = new ProgressLine(asked.terminal(), what, count);
        try {
            return work.apply(progress::next);
        } finally {
            progress.clear();
        }
    }

    private Side unchanged(AskedCluster asked) {
        if (!profiles.isEmpty() || !otherGates.isEmpty() || !otherVersion.isEmpty() || files.size() > 1) {
            throw new CommandException(
                    "--weight: of two configurations (expected: one configuration, and nothing else that differs)");
        }
        return files.isEmpty()
                ? new Side("the configuration", asked.config(), Optional.empty())
                : new Side(
                        String.valueOf(files.get(0).getFileName()),
                        load(files.get(0), asked, gates(asked, false)),
                        Optional.empty());
    }

    private Side weighted(Map<String, Integer> combination, Side unchanged) {
        return new Side(
                Combination.text(combination), weights.apply(combination, unchanged.config()), Optional.empty());
    }

    // Creates the plugins, which shows whether they score, so that a wrong weight fails immediately and not after hours
    // of comparing.
    private void demandScoring(List<Map<String, Integer>> combinations, Side unchanged, AskedCluster asked) {
        Map<String, Integer> enabled = new LinkedHashMap<>();
        combinations.get(combinations.size() - 1).forEach((plugin, weight) -> enabled.put(plugin, Math.max(1, weight)));
        asked.whatIf(weights.apply(enabled, unchanged.config())).close();
    }

    private List<Side> sides(AskedCluster asked) {
        boolean hasOther = !otherGates.isEmpty() || !otherVersion.isEmpty();
        if (!profiles.isEmpty()) {
            if (profiles.size() != 2 || hasOther || files.size() > 1) {
                throw new CommandException("--profiles: " + String.join(",", profiles)
                        + " (expected: two profiles of one configuration, and nothing else that differs)");
            }
            LoadedConfig config = files.isEmpty() ? asked.config() : load(files.get(0), asked, gates(asked, false));
            return List.of(side(profiles.get(0), config), side(profiles.get(1), config));
        }
        if (files.size() < 2 && !hasOther) {
            throw new CommandException("CONFIG: " + files.size() + " of them (expected: two, or --profiles,"
                    + " --other-feature-gates or --other-emulated-version)");
        }
        LoadedConfig first = files.isEmpty() ? asked.config() : load(files.get(0), asked, gates(asked, false));
        Optional<Path> other = files.isEmpty() ? asked.configFile() : Optional.of(files.get(files.size() - 1));
        LoadedConfig second = load(other, asked, gates(asked, true));
        List<String> names = names(asked);
        return List.of(
                new Side(names.get(0), first, Optional.empty()), new Side(names.get(1), second, Optional.empty()));
    }

    private List<String> names(AskedCluster asked) {
        if (files.size() == 2 && !files.get(0).equals(files.get(1))) {
            return List.of(name(0), name(1));
        }
        Optional<Path> file = files.isEmpty() ? asked.configFile() : Optional.of(files.get(0));
        String name = file.map(path -> String.valueOf(path.getFileName())).orElse("default");
        List<String> differences = new ArrayList<>();
        otherVersion.forEach(version -> differences.add(version.startsWith("kube=") ? version.substring(5) : version));
        differences.addAll(otherGates);
        return List.of(name, name + " (" + (differences.isEmpty() ? "again" : String.join(", ", differences)) + ")");
    }

    // Without the folder, unless the files differ in nothing else.
    private String name(int index) {
        Path one = files.get(index);
        Path other = files.get(1 - index);
        return String.valueOf(Objects.equals(one.getFileName(), other.getFileName()) ? one : one.getFileName());
    }

    private static Side side(String profile, LoadedConfig config) {
        List<String> names = ProfileOptions.names(config);
        if (!names.contains(profile)) {
            throw new CommandException("--profiles: \"" + profile + "\" (expected: of " + String.join(", ", names)
                    + ")." + Suggestions.hint(profile, names));
        }
        return new Side(profile, config, Optional.of(profile));
    }

    private FeatureGates gates(AskedCluster asked, boolean isSecond) {
        return !isSecond || otherGates.isEmpty() && otherVersion.isEmpty()
                ? asked.config().featureGates()
                : FeatureGateOptions.of(VersionOptions.emulated("--other-emulated-version", otherVersion), otherGates);
    }

    private static LoadedConfig load(Path file, AskedCluster asked, FeatureGates gates) {
        return load(Optional.of(file), asked, gates);
    }

    private static LoadedConfig load(Optional<Path> file, AskedCluster asked, FeatureGates gates) {
        Optional<ManifestFile> manifests = ConfigFile.manifests(file);
        LoadedConfig loaded = ConfigFile.read(
                        manifests,
                        asked.registry(),
                        gates,
                        ConfigFile.policies(manifests, Optional.empty()),
                        asked.config().unknownPlugins())
                .sound();
        ConfigFile.warn(loaded, asked.terminal());
        return ExtenderFiles.withoutAbsent(loaded, asked.terminal());
    }
}
