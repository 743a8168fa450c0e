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
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
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
 * A simulation that schedules the pending pods of an in-memory cluster, one after the other. When no pod is ready to be
 * tried, virtual time passes: backoffs end, pods that have been unschedulable for five minutes are flushed, permits
 * time out, and tasks that plugins have scheduled run. The simulation ends when nothing more can happen. Only the
 * scheduler and the controllers of volumes and resource claims change the cluster, see {@link
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
 * that only retries the same pods, again and again without any effect, has come to rest: the pods are pending for the
 * reasons of their last attempts. If a run never ends for another reason, such as preemptions in a circle, it ends with
 * a {@link StalledException}.
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

    /** Creates a simulation of a cluster of these objects, with the profiles of a configuration. */
    public static Simulation of(
            Collection<? extends ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        Objects.requireNonNull(objects, "objects");
        return new Simulation(
                List.copyOf(objects),
                Objects.requireNonNull(config, "config"),
                Objects.requireNonNull(registry, "registry"));
    }

    /** Sets the seed of the random numbers for plugins; random by default. */
    public Simulation seed(long value) {
        seed = value;
        return this;
    }

    /**
     * Breaks ties between nodes with equal scores at random, with the seed, as kube-scheduler does. By default, the
     * simulation chooses the node that kube-scheduler chooses if its goroutines finish in order.
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
     * Simulates the kubelets and controllers of pods that are preempted: such a pod stays on its node for 30 seconds,
     * the default grace period, and its controller creates another one, see {@link RecreatedPod}. By default, preempted
     * pods are removed immediately, and nothing replaces them. Not for use with {@link #changes}, which contain the
     * changes of controllers.
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

    /** Returns the pods to schedule, in order: pods without a node that have not ended. */
    public List<Pod> pendingPods() {
        return SimulationRun.pendingPods(objects);
    }

    /** Runs the simulation. Each call starts from the original objects and has the same result. */
    public SimulationResult run() {
        try (SimulationRun run = start()) {
            while (step(run).isPresent()) {}
            return run.result();
        }
    }

    /**
     * As {@link #run()}, and passes the final cluster to a consumer for what-if queries.
     *
     * @param atEnd receives the final cluster, and closes it
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
     * Explains the plugins' evaluation of a pod in the initial cluster, before any pending pod is scheduled. A pod that
     * has a node is evaluated without it.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws RuntimeException if a plugin fails; the message says which one
     */
    public Explanation explainNow(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        try (SimulationRun run = start()) {
            if (pod.isBound()) {
                run.takeOffNode(pod);
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
     * Explains the result of an attempt at a group of pods in the initial cluster, before any pending pod is scheduled.
     *
     * @param group a pod group or a composite one. If it has a parent, the root group above it is tried instead
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
