// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.ParallelTasks;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.CompareReport;
import org.moorage.app.internal.report.ProgressLine;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.LoadedConfig;
import org.moorage.objects.Suggestions;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.PodSizes;
import org.moorage.simulation.whatif.SchedulingOutcome;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells what two configurations of the scheduler make of one cluster. */
@Command(
        name = "compare",
        description = {
            "Tells what two configurations of the scheduler make of one cluster: where the pods go that wait.",
            "",
            "Without CONFIG, of the configuration that --config names. Ends with 0 if all pods go to the same nodes by both, with 1 if not.",
        },
        footer = {
            "",
            "Example:",
            "  moorage compare now.yaml packed.yaml --rebalance --cluster cluster.yaml",
            "  moorage compare now.yaml --other-emulated-version 1.36 --cluster cluster.yaml",
            "  moorage compare now.yaml --profiles default-scheduler,packed --cluster cluster.yaml",
        })
final class CompareCommand extends QuestionCommand {
    @Option(
            names = "--rebalance",
            description =
                    "First take the pods off their nodes that a controller would create again, and schedule them anew.")
    private boolean rebalance;

    @Option(
            names = "--profiles",
            split = ",",
            paramLabel = "FIRST,SECOND",
            description = "Compare two profiles of one configuration instead, each responsible for all pods.")
    private List<String> profiles = new ArrayList<>();

    @Option(
            names = "--other-feature-gates",
            paramLabel = "NAME=true|false,...",
            description = "The features of the second configuration, in place of --feature-gates.")
    private List<String> otherGates = new ArrayList<>();

    @Option(
            names = "--other-emulated-version",
            paramLabel = "[kube=]MAJOR.MINOR",
            description = "The version of the second configuration, in place of --emulated-version.")
    private List<String> otherVersion = new ArrayList<>();

    @Parameters(
            arity = "0..2",
            paramLabel = "CONFIG",
            description =
                    "Files with a scheduler's configuration: the first and the second; one if they differ otherwise.")
    private List<Path> files = new ArrayList<>();

    CompareCommand(Terminal terminal) {
        super(terminal);
    }

    /** One of the two schedulers. */
    private record Side(String name, LoadedConfig config, Optional<String> profile) {}

    @Override
    Answer answer(AskedCluster asked) {
        List<Side> sides = sides(asked);
        sides.forEach(side -> demandJson(side, asked));
        List<Pod> anew = new ArrayList<>();
        List<Pod> all = asked.dump().pods();
        if (rebalance) {
            for (Pod pod : all) {
                if (pod.isBound() && RecreatedPod.fateOf(pod) == RecreatedPod.Fate.CREATED_AGAIN) {
                    anew.add(pod);
                }
            }
        }
        List<Node> nodes = asked.nodes();
        Set<String> known = asked.nodeNames();
        Set<String> profileNames = new HashSet<>();
        sides.forEach(side -> profileNames.addAll(AskedCluster.profileNames(side.config)));
        anew.removeIf(pod -> !known.contains(pod.nodeName())
                || !profileNames.contains(pod.spec().schedulerName()));
        Demand demand = new Demand(asked.waitingPods(profileNames), anew);
        PodSizes sizes = PodSizes.of(all);
        int pods = demand.waiting().size() + anew.size();
        ProgressLine progress = new ProgressLine(asked.terminal(), "attempts", 2 * pods);
        AtomicInteger tried = new AtomicInteger();
        try {
            List<Callable<SchedulingOutcome>> tasks = new ArrayList<>();
            for (Side side : sides) {
                Demand ofSide = side.profile.map(demand::forProfile).orElse(demand);
                demandProfiles(side, ofSide);
                tasks.add(() -> {
                    try (WhatIf cluster = asked.whatIf(side.config)) {
                        return SchedulingOutcome.of(asked.known(cluster, side.config), ofSide, sizes, count -> {
                            synchronized (progress) {
                                progress.show(tried.incrementAndGet());
                            }
                        });
                    }
                });
            }
            List<SchedulingOutcome> outcomes = ParallelTasks.run(tasks);
            return new CompareReport(
                    List.of(sides.get(0).name, sides.get(1).name),
                    now(asked, nodes, sizes),
                    outcomes.get(0),
                    outcomes.get(1),
                    demand);
        } finally {
            progress.clear();
        }
    }

    private static ClusterBalance now(AskedCluster asked, List<Node> nodes, PodSizes sizes) {
        try (Transaction now = asked.whatIf().begin()) {
            return ClusterBalance.of(nodes, now::podsOn, sizes);
        }
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
        boolean isSame = files.size() < 2 || files.get(0).equals(files.get(1));
        return List.of(
                new Side(isSame ? "first" : name(0), first, Optional.empty()),
                new Side(isSame ? "second" : name(1), second, Optional.empty()));
    }

    // Without the folder, if that tells the two apart.
    private String name(int index) {
        Path one = files.get(index);
        Path other = files.get(1 - index);
        return String.valueOf(Objects.equals(one.getFileName(), other.getFileName()) ? one : one.getFileName());
    }

    private static Side side(String profile, LoadedConfig config) {
        List<String> names = AskedCluster.profileNames(config);
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
                        manifests, asked.registry(), gates, ConfigFile.policies(manifests, Optional.empty()))
                .sound();
        ConfigFile.warn(loaded, asked.terminal());
        return loaded;
    }

    // The cluster is read once, with the texts that the plugins of --config need.
    private static void demandJson(Side side, AskedCluster asked) {
        if (!asked.config()
                .config()
                .keptJson(asked.registry())
                .containsAll(side.config.config().keptJson(asked.registry()))) {
            throw new CommandException(
                    side.name + ": its plugins read the texts of objects, and those of --config do not"
                            + " (expected: --config with the configuration whose plugins do)");
        }
    }

    private static void demandProfiles(Side side, Demand demand) {
        demand.waiting().forEach(pod -> ExplainCommand.demandProfile(pod, side.config));
        demand.anew().forEach(pod -> ExplainCommand.demandProfile(pod, side.config));
    }
}
