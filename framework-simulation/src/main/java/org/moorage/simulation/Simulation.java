// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.moorage.api.GroupKey;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.RecordedChange;

/**
 * Schedules the pending pods of a cluster in memory, one after the other. When none is ready to be tried, virtual time passes: backoffs end, pods that
 * have been unschedulable for five minutes are flushed, time limits of permits run out, and tasks run that plugins have scheduled. It ends when
 * nothing more can happen. Apart from the scheduler only the controllers of volumes and resource claims change the cluster, see {@link
 * InMemoryCluster#startControllers}.
 *
 * <pre>{@code
 * PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
 * LoadedConfig config = ConfigLoader.defaults(registry);
 * ClusterDump dump = ClusterDump.read(Path.of("cluster.yaml"));
 * SimulationResult result = Simulation.of(dump.objects(), config, registry).run();
 * }</pre>
 *
 * <p>Configured extenders are called to filter, score and preempt, but not to bind: a simulation must have no effects.
 *
 * <p>For one thread: set it up, then run it. Several simulations may run at the same time.
 *
 * <p>Its clock is a {@link SteppingClock}, and random numbers have a seed, so that each run has the same result. A run
 * that retries the same pods again and again without any effect ends with a {@link StalledException}.
 */
public final class Simulation {
    private final List<ClusterObject> objects;
    private final LoadedConfig config;
    private final PluginRegistry registry;
    private long seed = RandomGenerator.getDefault().nextLong();
    private boolean hasRandomTies;
    private Consumer<Decision> listener = decision -> {};
    private List<RecordedChange> changes = List.of();
    private boolean createsPreemptedAgain;

    private Simulation(List<ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        this.objects = objects;
        this.config = config;
        this.registry = registry;
    }

    /** A simulation of a cluster of these objects, with the profiles of a configuration. */
    public static Simulation of(
            Collection<? extends ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        Objects.requireNonNull(objects, "objects");
        return new Simulation(
                List.copyOf(objects),
                Objects.requireNonNull(config, "config"),
                Objects.requireNonNull(registry, "registry"));
    }

    /** Sets the seed of the random numbers that plugins ask for; a random one if not set. */
    public Simulation seed(long value) {
        seed = value;
        return this;
    }

    /**
     * Chooses at random, with that seed, among nodes with equal scores, as kube-scheduler does. Without it, it is always the node that
     * kube-scheduler chooses if its goroutines finish in order.
     */
    public Simulation breakingTiesAtRandom() {
        hasRandomTies = true;
        return this;
    }

    /**
     * Sets changes to replay, in order, each when no pod is ready to be tried. The scheduler is notified as of any
     * change and retries the pods that the change affects. Enough time passes between two changes for all backoffs to
     * end.
     *
     * <p>Adding an object that exists already modifies it. The node of a pending pod that the scheduler is responsible
     * for is decided by this simulation, not by recorded changes; a pod that was preempted here stays removed.
     */
    public Simulation changes(List<RecordedChange> replayed) {
        Objects.requireNonNull(replayed, "replayed");
        changes = List.copyOf(replayed);
        return this;
    }

    /**
     * Simulates the kubelets and controllers of pods that are preempted: such a pod stays on its node for 30 seconds, the default grace period,
     * and its controller creates another one, see {@link RecreatedPod}. Without it they are gone immediately, as for a scheduler alone. Not
     * for use with {@link #changes}, which contain what controllers did.
     */
    public Simulation creatingPreemptedAgain() {
        createsPreemptedAgain = true;
        return this;
    }

    /** Sets the listener for the decision of each attempt; it is called after binding. */
    public Simulation listener(Consumer<Decision> told) {
        listener = Objects.requireNonNull(told, "told");
        return this;
    }

    /** The pods to schedule: those without a node that have not ended, in order. */
    public List<Pod> pendingPods() {
        return SimulationRun.pendingPods(objects);
    }

    /** Runs the simulation. Each call starts from the objects as they were given, and has the same result. */
    public SimulationResult run() {
        try (SimulationRun run = start()) {
            while (step(run).isPresent()) {}
            return run.result();
        }
    }

    /**
     * As {@link #run()}, and has the cluster at the end to be asked about.
     *
     * @param atEnd is given that cluster, to be closed
     */
    public SimulationResult run(Consumer<WhatIf> atEnd) {
        Objects.requireNonNull(atEnd, "atEnd");
        try (SimulationRun run = start()) {
            while (step(run).isPresent()) {}
            atEnd.accept(run.whatIf());
            return run.result();
        }
    }

    /**
     * Explains the result of a pod at the end of {@link #run}. The plugins evaluate the pod at the moment of its last
     * attempt, when the pods before it have been scheduled; a pod that was never tried is evaluated at the end, and one
     * that has a node or has ended as by {@link #explainNow}. The simulation runs twice and calls the listener for both
     * runs.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws RuntimeException if a plugin fails; the message says which one
     */
    public Explanation explain(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        if (pod.isBound() || pod.status().isTerminal()) {
            return explainNow(pod);
        }
        int attempts = 0;
        int lastOfPod = -1;
        Optional<Decision> decision = Optional.empty();
        SimulatedPod outcome;
        try (SimulationRun run = start()) {
            for (Optional<Decision> next = step(run); next.isPresent(); next = step(run)) {
                if (next.get().pod().uid().equals(pod.uid())) {
                    lastOfPod = attempts;
                    decision = next;
                }
                attempts++;
            }
            outcome = run.result().pod(pod);
            if (lastOfPod < 0) {
                Evaluation evaluation = run.evaluate(pod);
                return new Explanation(
                        Explanation.Moment.END,
                        Optional.of(outcome),
                        decision,
                        run.tried(),
                        evaluation,
                        run.fittingChanges(evaluation));
            }
        }
        try (SimulationRun run = start()) {
            for (int i = 0; i < lastOfPod; i++) {
                Optional<Decision> ignored = step(run);
            }
            boolean ignored = run.isReadyInTime();
            Evaluation evaluation = run.evaluate(pod);
            return new Explanation(
                    Explanation.Moment.TURN,
                    Optional.of(outcome),
                    decision,
                    run.triedBefore(pod),
                    evaluation,
                    run.fittingChanges(evaluation));
        }
    }

    /**
     * Explains what the plugins say of a pod in the cluster as it was given: no pending pod has been scheduled. A pod that has a node is
     * taken off it.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws RuntimeException if a plugin fails; the message says which one
     */
    public Explanation explainNow(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        try (SimulationRun run = start()) {
            if (pod.isBound()) {
                run.remove(pod);
            }
            Evaluation evaluation = run.evaluate(pod);
            return new Explanation(
                    Explanation.Moment.NOW,
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    evaluation,
                    run.fittingChanges(evaluation));
        }
    }

    /**
     * Explains the result of a group of pods at the end of {@link #run}. The group is tried once more at the moment of
     * its last attempt, when the pods before it have been scheduled; a group that was never tried is tried at the end.
     * The simulation runs twice and calls the listener for both runs.
     *
     * @param group a pod group or a composite one. If it has a parent, the root group above it is tried instead
     * @throws IllegalArgumentException if the feature GenericWorkload is off
     */
    public GroupExplanation explain(GroupKey group) {
        Objects.requireNonNull(group, "group");
        demandGroups();
        int decisions = 0;
        int last = -1;
        int attempts = 0;
        Optional<SimulatedGroup> outcome;
        try (SimulationRun run = start()) {
            for (Optional<Decision> next = step(run); next.isPresent(); next = step(run)) {
                if (run.isPartOf(next.get().pod(), group)) {
                    last = decisions;
                    attempts++;
                }
                decisions++;
            }
            outcome = run.result().group(run.root(group));
            if (last < 0) {
                return new GroupExplanation(
                        Explanation.Moment.END, outcome, 0, run.triedOutside(group), run.evaluate(group));
            }
        }
        try (SimulationRun run = start()) {
            for (int i = 0; i < last; i++) {
                Optional<Decision> ignored = step(run);
            }
            boolean ignored = run.isReadyInTime();
            return new GroupExplanation(
                    Explanation.Moment.TURN, outcome, attempts, run.triedOutside(group), run.evaluate(group));
        }
    }

    /**
     * Explains what an attempt at a group of pods finds in the cluster as it was given: no pending pod has been scheduled.
     *
     * @param group a pod group or a composite one. If it has a parent, it is the group above it without one that is tried
     * @throws IllegalArgumentException if the feature GenericWorkload is off
     */
    public GroupExplanation explainNow(GroupKey group) {
        Objects.requireNonNull(group, "group");
        demandGroups();
        try (SimulationRun run = start()) {
            return new GroupExplanation(Explanation.Moment.NOW, Optional.empty(), 0, 0, run.evaluate(group));
        }
    }

    private void demandGroups() {
        if (!config.featureGates().isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            throw new IllegalArgumentException(
                    "feature GenericWorkload: off, so that pods of groups are scheduled alone (expected: on)");
        }
    }

    private SimulationRun start() {
        SimulationRun run = new SimulationRun(
                objects,
                config,
                registry,
                config.config().extenders().stream()
                        .map(ExtenderConfig::withoutBindVerb)
                        .toList(),
                new SplittableRandom(seed),
                hasRandomTies,
                changes);
        if (createsPreemptedAgain) {
            run.createPreemptedAgain();
        }
        return run;
    }

    private Optional<Decision> step(SimulationRun run) {
        Optional<Decision> decision = run.scheduleNext();
        decision.ifPresent(listener);
        return decision;
    }
}
