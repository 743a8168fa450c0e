// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerBuilder;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * Runs a whole scheduler with all its plugins: first a random scenario in which requests, watches and plugins fail;
 * then without faults until the cluster is idle; then all invariants must hold. With or without groups of pods.
 */
final class RuntimeSimulation {
    private static final String DEFAULT_PROFILE = "default-scheduler";
    private static final PluginRegistry OWN = PluginRegistry.of(KubeSchedulerPlugins.all());
    private static final String PLUGIN_CONFIG = """
              pluginConfig:
              - name: VolumeBinding
                args:
                  bindTimeoutSeconds: 20
              - name: DynamicResources
                args:
                  bindingTimeout: 20s
            """;
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - plugins:
                multiPoint:
                  enabled:
                  - name: Unreliable
            """ + PLUGIN_CONFIG;
    // A plugin that is enabled at one point runs before those enabled at multiPoint. In PreFilter, CycleCheck is
    // therefore the first to see the state at the start of a cycle; in PodGroupPostFilter, it sees the changes that
    // UnreliableForGroups left behind.
    private static final String GROUP_PROFILE = """
            - schedulerName: %s
              plugins:
                preFilter:
                  enabled:
                  - name: CycleCheck
                podGroupPostFilter:
                  enabled:
                  - name: UnreliableForGroups
                  - name: CycleCheck
                multiPoint:
                  enabled:
                  - name: Unreliable
                  - name: UnreliableForGroups
                  - name: CycleCheck
            """ + PLUGIN_CONFIG;
    private static final String GROUP_CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            """
            + String.format(GROUP_PROFILE, DEFAULT_PROFILE)
            + String.format(GROUP_PROFILE, PodGroupWorld.SECOND_PROFILE);
    private static final Map<FeatureGates, LoadedConfig> CONFIGS = new ConcurrentHashMap<>();
    /** Much longer than a run, so that no pod is retried only because of its time in the unschedulable pool. */
    private static final Duration MAX_IN_UNSCHEDULABLE = Duration.ofDays(10);
    /** Longer than most runs. Some groups are retried only because of their time in the unschedulable pool. */
    private static final Duration MAX_IN_UNSCHEDULABLE_WITH_GROUPS = Duration.ofMinutes(10);

    private static final Duration MOST_TIME_TO_REST = Duration.ofHours(1);
    private static final long MOST_STEPS_TO_REST = 20_000;
    /**
     * As in kube-scheduler, a pod of a group whose binding failed is retried without a backoff until the watch delivers
     * the cause.
     */
    private static final long MOST_STEPS_TO_REST_WITH_GROUPS = 200_000;

    /** Longer than the backoff of a group, so that each pending group is retried once after the last change. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    private static final int MOST_RESTARTS = 3;

    private final boolean hasGroups;
    private final RandomGenerator random;
    private final RandomGenerator groupRandom;
    private final FeatureGates features;
    private final Trace trace = new Trace();
    private final Faults faults;
    private final VirtualExecutor executor;
    private final ModelApiServer server;
    private final World world;
    private final PodGroupWorld groupWorld;
    private final Controllers controllers;
    private final Audit audit;
    private final GangAudit gangAudit;
    private final Set<String> failedStatuses = new HashSet<>();
    private final List<String> problems = new ArrayList<>();
    /** Pods that are only evaluated: the nodes that fit them show the plugins' state of devices and volumes. */
    private final List<Pod> unused = new ArrayList<>();

    private Running running;
    private int restarts;

    /** A scheduler and the objects that belong to it alone. */
    private final class Running {
        private final SimulatedProcess process = new SimulatedProcess(executor);
        private final List<UnreliablePlugin> plugins = new ArrayList<>();
        private final CycleAudit cycleAudit =
                new CycleAudit(server, () -> scheduler().dump());
        private final ModelCluster cluster;
        private Optional<Scheduler> scheduler = Optional.empty();

        Running(ModelCluster cluster) {
            this.cluster = cluster;
        }

        Scheduler scheduler() {
            return scheduler.orElseThrow();
        }

        void start() {
            Scheduler built = builder(cluster, plugins::add, cycleAudit.factory())
                    .executor(process, process::pause)
                    .listener(new WhileAlive(process, audit))
                    .listener(new WhileAlive(process, gangAudit))
                    .build();
            scheduler = Optional.of(built);
            built.start();
            executor.cycle(() -> scheduleNext(this));
        }

        UnreliablePlugin plugin() {
            return plugins.get(0);
        }
    }

    private RuntimeSimulation(long seed, boolean hasGroups) {
        this.hasGroups = hasGroups;
        SplittableRandom source = new SplittableRandom(seed);
        random = source.split();
        faults = new Faults(source.split(), hasGroups);
        executor = new VirtualExecutor(source.split());
        trace.clock(executor);
        server = new ModelApiServer(executor);
        RandomGenerator ofControllers = source.split();
        RandomGenerator ofCluster = source.split();
        RandomGenerator ofWorld = source.split();
        groupRandom = source.split();
        features = hasGroups ? features(groupRandom) : FeatureGates.DEFAULTS;
        controllers = new Controllers(
                server, executor, ofControllers, faults, features.isEnabled(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS));
        world = new World(server, ofWorld);
        groupWorld = new PodGroupWorld(server, world, features, source.split());
        running = new Running(new ModelCluster(server, executor, ofCluster, faults, trace));
        audit = new Audit(server, running.cluster, trace);
        gangAudit = new GangAudit(server, () -> running.plugin(), features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP));
        server.watch(this::maybeKill);
    }

    private static FeatureGates features(RandomGenerator random) {
        boolean hasTopology = random.nextInt(10) < 6;
        return FeatureGates.DEFAULTS
                .with(FeatureGates.GENERIC_WORKLOAD, true)
                .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, hasTopology)
                .with(FeatureGates.COMPOSITE_POD_GROUP, hasTopology && random.nextInt(10) < 6)
                .with(FeatureGates.POD_GROUP_PREEMPTION_POLICY, random.nextInt(10) < 3)
                .with(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS, random.nextInt(10) < 6);
    }

    /**
     * Runs the simulation of a seed, without groups of pods.
     *
     * @return the violations at the end, with the last steps; empty if there are none
     */
    static String run(long seed) {
        return run(seed, false);
    }

    /** Runs the same simulation as {@link #run(long)}, with groups of pods and a scheduler that may be killed. */
    static String runWithGroups(long seed) {
        return run(seed, true);
    }

    private static String run(long seed, boolean hasGroups) {
        RuntimeSimulation simulation = new RuntimeSimulation(seed, hasGroups);
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
        if (hasGroups) {
            groupWorld.create();
        }
        running.start();
        try {
            act();
            if (comesToRest()) {
                check();
            }
        } finally {
            running.scheduler().close();
        }
    }

    private SchedulerBuilder builder(Cluster of, Consumer<UnreliablePlugin> made, PluginFactory<?> check) {
        PluginFactory<?> unreliable = UnreliablePlugin.factory(faults, new SplittableRandom(random.nextLong()), made);
        PluginRegistry registry = OWN.with(
                hasGroups
                        ? List.of(
                                unreliable,
                                UnreliableGroupPlugin.factory(faults, new SplittableRandom(groupRandom.nextLong())),
                                check)
                        : List.of(unreliable));
        LoadedConfig config = CONFIGS.computeIfAbsent(
                features,
                absent -> ConfigLoader.load(hasGroups ? GROUP_CONFIG : CONFIG, "simulation", registry, features));
        return Scheduler.builder(config.config(), registry, of)
                .featureGates(config.featureGates())
                .clock(executor)
                .random(new SplittableRandom(random.nextLong()))
                .pluginCallTimeout(Duration.ZERO)
                .maxInUnschedulable(hasGroups ? MAX_IN_UNSCHEDULABLE_WITH_GROUPS : MAX_IN_UNSCHEDULABLE);
    }

    private boolean scheduleNext(Running scheduled) {
        boolean isBroken = false;
        scheduled.cycleAudit.cycleBegins();
        try {
            return scheduled.scheduler().scheduleNext().isPresent();
        } catch (InternalError thrown) {
            isBroken = true;
            trace.add("cycle failed:", thrown);
            return true;
        } finally {
            gangAudit.cycleEnded(isBroken);
            scheduled.cycleAudit.cycleEnded(gangAudit.chosen());
        }
    }

    // Runs soon after a pod of a group was bound, while others may be about to be bound.
    private void maybeKill(ModelApiServer.Change change) {
        if (hasGroups
                && restarts < MOST_RESTARTS
                && change.object() instanceof Pod pod
                && pod.isBound()
                && !pod.spec().podGroupName().isEmpty()
                && faults.happens(Faults.Kind.KILLED_SCHEDULER)) {
            executor.after(Duration.ofMillis(groupRandom.nextInt(30)), this::restart);
        }
    }

    private void restart() {
        if (faults.areOver()) {
            return;
        }
        restarts++;
        trace.add("scheduler killed, and started again");
        running.process.kill();
        running.cluster.cut();
        failedStatuses.addAll(running.cluster.failedStatuses());
        problems.addAll(running.cycleAudit.problems());
        running = new Running(
                new ModelCluster(server, executor, new SplittableRandom(groupRandom.nextLong()), faults, trace));
        audit.restarted(running.cluster);
        gangAudit.restarted();
        running.start();
    }

    private void act() {
        int steps = random.nextInt(30, 130);
        int mostMillis = random.nextInt(20, 1500);
        for (int i = 0; i < steps; i++) {
            Instant next = executor.instant().plusMillis(random.nextInt(mostMillis));
            while (executor.instant().isBefore(next) && executor.runNext(next)) {
                // until it is time
            }
            if (hasGroups && groupRandom.nextInt(100) < 50) {
                groupWorld.step();
            } else {
                world.step();
            }
            if (random.nextInt(4) == 0) {
                running.plugin().answerOne();
            }
        }
    }

    private boolean comesToRest() {
        faults.end();
        trace.add("faults end");
        world.removeGates();
        controllers.removePodsWithoutNode();
        unused.addAll(world.createUnused());
        executor.after(Duration.ofSeconds(30), () -> running.plugins.forEach(UnreliablePlugin::activateRejected));
        return hasGroups
                ? rests() && (!isGateOutdated() || restsAfter(MAX_IN_UNSCHEDULABLE_WITH_GROUPS.plus(QUIET)))
                : rests();
    }

    private boolean isGateOutdated() {
        GroupBooks books = new GroupBooks(running.scheduler().dump(), server, schedulerNames());
        List<String> ignored = books.problems();
        return books.isGateOutdated();
    }

    private boolean restsAfter(Duration time) {
        Instant end = executor.instant().plus(time);
        while (executor.instant().isBefore(end) && executor.runNext(end)) {
            // until it is time
        }
        return rests();
    }

    private boolean rests() {
        Instant end = executor.instant().plus(MOST_TIME_TO_REST);
        long mostSteps = hasGroups ? MOST_STEPS_TO_REST_WITH_GROUPS : MOST_STEPS_TO_REST;
        long lastStep = executor.steps() + mostSteps;
        while (executor.instant().isBefore(end) && executor.steps() < lastStep) {
            if (!executor.runNext(end) || isAtRest()) {
                break;
            }
        }
        if (!isAtRest()) {
            problems.add("does not come to rest in " + MOST_TIME_TO_REST + " or " + mostSteps + " steps: at "
                    + executor.instant() + " after " + executor.steps() + " steps");
            compareBooks();
            return false;
        }
        return true;
    }

    // Unschedulable groups are retried forever, without any change.
    private boolean isAtRest() {
        return executor.isIdle()
                && (!hasGroups || server.lastChange().plus(QUIET).isBefore(executor.instant()))
                && !Books.isWorking(running.scheduler().dump());
    }

    private void check() {
        executor.uncaught().forEach(thrown -> problems.add("uncaught: " + stackTrace(thrown)));
        audit.atRest();
        problems.addAll(audit.problems());
        gangAudit.atRest();
        problems.addAll(gangAudit.problems());
        running.cycleAudit.atRest();
        problems.addAll(running.cycleAudit.problems());
        compareBooks();
        Scheduler scheduler = running.scheduler();
        InMemoryCluster copy = InMemoryCluster.of(server.all());
        try (Scheduler fresh = fresh(copy, executor)) {
            fresh.start();
            nominate(Books.nominations(scheduler.dump()), copy);
            for (Pod pod : server.all(ObjectKind.POD)) {
                if (isPending(pod)) {
                    List<String> feasible = compareEvaluations(pod, fresh);
                    if (!feasible.isEmpty() && !isMember(pod) && !isNotTold(pod)) {
                        problems.add("pod " + pod + ": pending (a fresh scheduler: " + feasible + ")");
                    }
                }
            }
            unused.forEach(pod -> compareEvaluations(pod, fresh));
        }
        if (server.all(ObjectKind.POD).stream().anyMatch(pod -> isPending(pod) && isMember(pod))) {
            scheduleGroupsAnew(Books.nominations(scheduler.dump()));
        }
    }

    private Set<String> schedulerNames() {
        return hasGroups ? Set.of(DEFAULT_PROFILE, PodGroupWorld.SECOND_PROFILE) : Set.of(DEFAULT_PROFILE);
    }

    private boolean isPending(Pod pod) {
        return !pod.isBound()
                && !pod.status().isTerminal()
                && schedulerNames().contains(pod.spec().schedulerName());
    }

    private boolean isMember(Pod pod) {
        return hasGroups && !pod.spec().podGroupName().isEmpty();
    }

    // As in kube-scheduler, two changes have no event: a volume becomes available again when the binding of its pod
    // failed, and pods with anti-affinity change the zone with their node. Pods that are pending for these reasons are
    // retried only after their maximum time in the unschedulable pool.
    private boolean isNotTold(Pod pod) {
        String message = audit.lastMessage(pod);
        return message.contains("existing pods anti-affinity rules")
                || hasGroups && message.contains("didn't find available persistent volumes");
    }

    private Scheduler fresh(Cluster copy, VirtualExecutor on) {
        return builder(
                        copy,
                        made -> {},
                        new CycleAudit(server, () -> {
                                    throw new IllegalStateException("not looked at");
                                })
                                .factory())
                .executor(on, on::pause)
                .build();
    }

    // Checks that a fresh scheduler does not schedule the pending groups either. Other pending pods do not take part:
    // each was evaluated alone.
    private void scheduleGroupsAnew(Map<String, String> nominations) {
        InMemoryCluster copy = InMemoryCluster.of(server.all());
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (isPending(pod) && !isMember(pod)) {
                copy.apply(pod.withSpec(pod.spec().toBuilder()
                        .schedulingGates(List.of("example.com/held"))
                        .build()));
            }
        }
        VirtualExecutor own = new VirtualExecutor(new SplittableRandom(1));
        try (Scheduler fresh = fresh(copy, own)) {
            fresh.start();
            nominate(nominations, copy);
            own.cycle(() -> fresh.scheduleNext().isPresent());
            Instant end = own.instant().plus(QUIET);
            while (own.instant().isBefore(end) && own.runNext(end)) {
                // until it is time
            }
        }
        for (Pod pod : server.all(ObjectKind.POD)) {
            Optional<Pod> after = copy.find(ObjectKind.POD, pod.namespace(), pod.name());
            String nodeName = after.map(Pod::nodeName).orElse("none, since it was evicted");
            if (!nodeName.equals(pod.nodeName())) {
                problems.add("pod " + pod + ": its node is \"" + pod.nodeName() + "\" (a fresh scheduler: " + nodeName
                        + ")");
            }
        }
    }

    private void compareBooks() {
        failedStatuses.addAll(running.cluster.failedStatuses());
        problems.addAll(new Books(running.scheduler().dump(), server, schedulerNames())
                .problems(running.plugin(), running.cluster, failedStatuses));
        if (hasGroups) {
            problems.addAll(new GroupBooks(running.scheduler().dump(), server, schedulerNames()).problems());
        }
    }

    // As in kube-scheduler, a gated pod keeps its nomination, but a newly started scheduler reads a nomination from a
    // status only when the status changes.
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

    // Compares the evaluations of both schedulers, and returns the nodes that are feasible for the fresh one.
    private List<String> compareEvaluations(Pod pod, Scheduler fresh) {
        Evaluation expected = fresh.evaluate(pod);
        Evaluation actual = running.scheduler().evaluate(pod);
        if (!expected.rejections().equals(actual.rejections())
                || !expected.feasible().equals(actual.feasible())
                || !expected.preFilterRejection().equals(actual.preFilterRejection())) {
            problems.add("pod " + pod + ": " + actual.feasible() + " " + actual.message() + " (a fresh scheduler: "
                    + expected.feasible() + " " + expected.message() + ")");
        }
        return expected.feasible();
    }
}
