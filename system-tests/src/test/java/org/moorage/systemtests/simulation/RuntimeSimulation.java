// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Nomination;
import org.moorage.app.internal.command.OwnPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * One run of a whole scheduler with all its plugins: first a random scenario in which requests, watches and plugins fail, then none
 * of that until nothing more happens, and then everything must be in order.
 */
final class RuntimeSimulation {
    private static final PluginRegistry OWN = PluginRegistry.of(OwnPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.load(
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint:
                  enabled:
                  - name: Unreliable
              pluginConfig:
              - name: VolumeBinding
                args:
                  bindTimeoutSeconds: 20
              - name: DynamicResources
                args:
                  bindingTimeout: 20s
            """,
            "simulation",
            OWN.with(List.of(UnreliablePlugin.factory(
                    new Faults(new SplittableRandom(0)), new SplittableRandom(0), plugin -> {}))));
    /** Much longer than a run, so that no pod is tried again only because it has waited so long. */
    private static final Duration MAX_IN_UNSCHEDULABLE = Duration.ofDays(10);

    private static final Duration MOST_TIME_TO_REST = Duration.ofHours(1);
    private static final long MOST_STEPS_TO_REST = 20_000;

    private final RandomGenerator random;
    private final Trace trace = new Trace();
    private final Faults faults;
    private final VirtualExecutor executor;
    private final ModelApiServer server;
    private final ModelCluster cluster;
    private final World world;
    private final Controllers controllers;
    private final Audit audit;
    private final List<String> problems = new ArrayList<>();
    /** Pods that are only asked about: how they fit says what the plugins hold of devices and volumes. */
    private final List<Pod> unused = new ArrayList<>();

    private Optional<UnreliablePlugin> plugin = Optional.empty();

    private RuntimeSimulation(long seed) {
        SplittableRandom source = new SplittableRandom(seed);
        random = source.split();
        faults = new Faults(source.split());
        executor = new VirtualExecutor(source.split());
        trace.clock(executor);
        server = new ModelApiServer(executor);
        controllers = new Controllers(server, executor, source.split(), faults);
        cluster = new ModelCluster(server, executor, source.split(), faults, trace);
        world = new World(server, source.split());
        audit = new Audit(server, cluster, trace);
    }

    /**
     * Runs the simulation of a seed.
     *
     * @return what is wrong at the end, with the last steps; empty if nothing is
     */
    static String run(long seed) {
        RuntimeSimulation simulation = new RuntimeSimulation(seed);
        try {
            simulation.run();
        } catch (RuntimeException | Error failed) {
            simulation.problems.add("failed: " + stackTrace(failed));
        }
        if (simulation.problems.isEmpty()) {
            return "";
        }
        return "seed " + seed + ", " + simulation.faults + "\n" + String.join("\n", simulation.problems)
                + "\nlast steps:" + simulation.trace;
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private void run() {
        world.create();
        Scheduler.Builder builder =
                builder(cluster, made -> plugin = Optional.of(made)).listener(audit);
        try (Scheduler scheduler = builder.build()) {
            scheduler.start();
            executor.cycle(() -> scheduleNext(scheduler));
            act();
            if (comesToRest(scheduler)) {
                check(scheduler);
            }
        }
    }

    private Scheduler.Builder builder(Cluster of, Consumer<UnreliablePlugin> made) {
        PluginRegistry registry =
                OWN.with(List.of(UnreliablePlugin.factory(faults, new SplittableRandom(random.nextLong()), made)));
        return Scheduler.builder(CONFIG.config(), registry, of)
                .featureGates(CONFIG.featureGates())
                .clock(executor)
                .random(new SplittableRandom(random.nextLong()))
                .pluginCallTimeout(Duration.ZERO)
                .maxInUnschedulable(MAX_IN_UNSCHEDULABLE)
                .executor(executor, executor::pause);
    }

    private boolean scheduleNext(Scheduler scheduler) {
        try {
            return scheduler.scheduleNext().isPresent();
        } catch (InternalError thrown) {
            trace.add("cycle failed:", thrown);
            return true;
        }
    }

    private void act() {
        int steps = random.nextInt(30, 130);
        int mostMillis = random.nextInt(20, 1500);
        for (int i = 0; i < steps; i++) {
            Instant next = executor.instant().plusMillis(random.nextInt(mostMillis));
            while (executor.instant().isBefore(next) && executor.runNext(next)) {
                // until it is time
            }
            world.step();
            if (random.nextInt(4) == 0) {
                plugin.ifPresent(UnreliablePlugin::answerOne);
            }
        }
    }

    private boolean comesToRest(Scheduler scheduler) {
        faults.end();
        trace.add("faults end");
        world.removeGates();
        controllers.removePodsWithoutNode();
        unused.addAll(world.createUnused());
        executor.after(Duration.ofSeconds(30), () -> plugin.ifPresent(UnreliablePlugin::activateRejected));
        Instant end = executor.instant().plus(MOST_TIME_TO_REST);
        long lastStep = executor.steps() + MOST_STEPS_TO_REST;
        while (executor.instant().isBefore(end) && executor.steps() < lastStep) {
            if (!executor.runNext(end) || executor.isIdle() && !Books.isWorking(scheduler.dump())) {
                break;
            }
        }
        if (!executor.isIdle() || Books.isWorking(scheduler.dump())) {
            problems.add("does not come to rest in " + MOST_TIME_TO_REST + " or " + MOST_STEPS_TO_REST + " steps");
            compareBooks(scheduler);
            return false;
        }
        return true;
    }

    private void check(Scheduler scheduler) {
        executor.uncaught().forEach(thrown -> problems.add("uncaught: " + stackTrace(thrown)));
        audit.atRest();
        problems.addAll(audit.problems());
        compareBooks(scheduler);
        InMemoryCluster copy = InMemoryCluster.of(server.all());
        try (Scheduler fresh = builder(copy, made -> {}).build()) {
            fresh.start();
            nominate(Books.nominations(scheduler.dump()), copy);
            for (Pod pod : server.all(ObjectKind.POD)) {
                if (!pod.isBound() && !pod.status().isTerminal()) {
                    List<String> feasible = compareEvaluations(pod, scheduler, fresh);
                    if (!feasible.isEmpty()) {
                        problems.add("pod " + pod + ": pending (a fresh scheduler: " + feasible + ")");
                    }
                }
            }
            unused.forEach(pod -> compareEvaluations(pod, scheduler, fresh));
        }
    }

    private void compareBooks(Scheduler scheduler) {
        problems.addAll(new Books(scheduler.dump(), server).problems(plugin.orElseThrow(), cluster));
    }

    // A gated pod keeps its nomination, as in kube-scheduler, but a scheduler that starts takes one up from
    // a status only when that changes.
    private static void nominate(Map<String, String> nominations, InMemoryCluster cluster) {
        for (Pod pod : cluster.all(ObjectKind.POD)) {
            if (!pod.isBound()) {
                cluster.patchStatus(pod, Optional.empty(), Nomination.to("another"));
                String nodeName = nominations.getOrDefault(pod.uid(), "");
                cluster.patchStatus(
                        pod, Optional.empty(), nodeName.isEmpty() ? Nomination.clear() : Nomination.to(nodeName));
            }
        }
    }

    // Which nodes are feasible by the fresh one.
    private List<String> compareEvaluations(Pod pod, Scheduler scheduler, Scheduler fresh) {
        Evaluation expected = fresh.evaluate(pod);
        Evaluation actual = scheduler.evaluate(pod);
        if (!expected.rejections().equals(actual.rejections())
                || !expected.feasible().equals(actual.feasible())
                || !expected.preFilterRejection().equals(actual.preFilterRejection())) {
            problems.add("pod " + pod + ": " + actual.feasible() + " " + actual.message() + " (a fresh scheduler: "
                    + expected.feasible() + " " + expected.message() + ")");
        }
        return expected.feasible();
    }
}
