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
import java.util.random.RandomGenerator;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Nomination;
import org.moorage.app.command.OwnPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * One run of a whole scheduler with all its plugins: first a random scenario in which requests, watches and plugins fail, then none
 * of that until nothing more happens, and then everything must be in order.
 */
public final class RuntimeSimulation {
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
            OWN.with(List.of(UnreliablePlugin.factory(new Faults(new SplittableRandom(0)), new SplittableRandom(0)))));
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
    public static String run(long seed) {
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
        PluginRegistry registry =
                OWN.with(List.of(UnreliablePlugin.factory(faults, new SplittableRandom(random.nextLong()))));
        Scheduler.Builder builder = builder(registry, cluster).listener(audit);
        try (Scheduler scheduler = builder.build()) {
            plugin = PrivateField.collection(scheduler, "plugins").stream()
                    .filter(UnreliablePlugin.class::isInstance)
                    .map(UnreliablePlugin.class::cast)
                    .findFirst();
            start(scheduler);
            executor.cycle(() -> scheduleNext(scheduler));
            act();
            if (comesToRest(scheduler)) {
                check(scheduler);
            }
        }
    }

    private Scheduler.Builder builder(PluginRegistry registry, Cluster of) {
        return Scheduler.builder(CONFIG.config(), registry, of)
                .featureGates(CONFIG.featureGates())
                .clock(executor)
                .random(new SplittableRandom(random.nextLong()))
                .pluginCallTimeout(Duration.ZERO)
                .maxInUnschedulable(MAX_IN_UNSCHEDULABLE)
                .executor(executor, executor::pause);
    }

    // Who starts it tries again.
    private void start(Scheduler scheduler) {
        scheduler.start();
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
        executor.after(Duration.ofSeconds(30), () -> plugin.ifPresent(UnreliablePlugin::activateRejected));
        Instant end = executor.instant().plus(MOST_TIME_TO_REST);
        long lastStep = executor.steps() + MOST_STEPS_TO_REST;
        while (executor.instant().isBefore(end) && executor.steps() < lastStep) {
            if (!executor.runNext(end) || executor.isIdle() && !Books.isWorking(scheduler)) {
                break;
            }
        }
        if (!executor.isIdle() || Books.isWorking(scheduler)) {
            problems.add("does not come to rest in " + MOST_TIME_TO_REST + " or " + MOST_STEPS_TO_REST + " steps");
            problems.addAll(new Books(scheduler, server, cluster.failedStatuses()).problems());
            return false;
        }
        return true;
    }

    private void check(Scheduler scheduler) {
        executor.uncaught().forEach(thrown -> problems.add("uncaught: " + stackTrace(thrown)));
        audit.atRest();
        problems.addAll(audit.problems());
        problems.addAll(new Books(scheduler, server, cluster.failedStatuses()).problems());
        PluginRegistry registry =
                OWN.with(List.of(UnreliablePlugin.factory(faults, new SplittableRandom(random.nextLong()))));
        try (Scheduler fresh =
                builder(registry, InMemoryCluster.of(server.all())).build()) {
            fresh.start();
            nominate(scheduler, fresh);
            for (Pod pod : server.all(ObjectKind.POD)) {
                if (!pod.isBound() && !pod.status().isTerminal()) {
                    comparePending(pod, scheduler, fresh);
                }
            }
        }
    }

    // A gated pod keeps its nomination, as in kube-scheduler, but a scheduler that starts does not
    // take up one from its status.
    private void nominate(Scheduler scheduler, Scheduler fresh) {
        Map<String, String> nominations = Books.nominations(scheduler);
        Nominator nominator = (Nominator) PrivateField.read(fresh, "nominator");
        for (Pod pod : server.all(ObjectKind.POD)) {
            String nodeName = nominations.getOrDefault(pod.uid(), "");
            nominator.add(pod, nodeName.isEmpty() ? Nomination.clear() : Nomination.to(nodeName));
        }
    }

    private void comparePending(Pod pod, Scheduler scheduler, Scheduler fresh) {
        Evaluation expected = fresh.evaluate(pod);
        Evaluation actual = scheduler.evaluate(pod);
        if (!expected.feasible().isEmpty()) {
            problems.add("pod " + pod + ": pending (a fresh scheduler: " + expected.feasible() + ")");
        }
        if (!expected.rejections().equals(actual.rejections())
                || !expected.feasible().equals(actual.feasible())
                || !expected.preFilterRejection().equals(actual.preFilterRejection())) {
            problems.add("pod " + pod + ": " + actual.message() + " (a fresh scheduler: " + expected.message() + ")");
        }
    }
}
