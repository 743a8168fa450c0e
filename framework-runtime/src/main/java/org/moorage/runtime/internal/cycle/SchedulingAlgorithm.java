// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.config.SchedulerConfig;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * Finds nodes for pods, one {@link PodAttempt} at a time. It holds the snapshot, the settings and the working memory that
 * the attempts share.
 *
 * <p>With any number of threads, the order of the feasible nodes, and so the choice among equal scores, is the one that
 * kube-scheduler has with a parallelism of 1.
 */
public final class SchedulingAlgorithm {
    private final TrialSnapshot snapshot;
    private final int percentageOfNodesToScore;
    private final Extenders extenders;
    private final RandomGenerator random;
    private boolean randomTies;
    // Read by the cycle that replaces an abandoned one.
    private volatile int nextStart;

    private final NodePass.Memory memory;
    private long[] totals = new long[0];
    private long[] randoms = new long[0];

    /**
     * Creates an algorithm.
     *
     * @param snapshot the nodes, which may be updated between two attempts
     * @param percentageOfNodesToScore for profiles without their own percentage; 0 adapts to the cluster's size
     * @param firstNode the index of the node that the first cycle begins with
     * @param parallelism the threads that filter and score
     * @param extenders the extenders that filter and score after the plugins
     * @param random chooses among nodes with equal scores if an extender has scored them
     * @param randomTies whether it chooses among all nodes with equal scores
     */
    public SchedulingAlgorithm(
            TrialSnapshot snapshot,
            int percentageOfNodesToScore,
            int firstNode,
            Parallelism parallelism,
            Extenders extenders,
            RandomGenerator random,
            boolean randomTies) {
        this.snapshot = snapshot;
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.extenders = extenders;
        this.random = random;
        this.randomTies = randomTies;
        nextStart = firstNode;
        memory = new NodePass.Memory(parallelism);
    }

    public TrialSnapshot snapshot() {
        return snapshot;
    }

    /** Returns the index of the node that the next cycle begins with. */
    public int nextNode() {
        return nextStart;
    }

    /** Sets the index of the node that the next cycle begins with. */
    public void nextNode(int index) {
        nextStart = index;
    }

    /** Sets whether the next cycles choose at random among all nodes with equal scores. */
    public void randomTies(boolean value) {
        randomTies = value;
    }

    /**
     * The result: the chosen node, or a diagnosis.
     *
     * @param node the chosen node, or null
     * @param score its total; 0 if it was the only feasible node, which is not scored
     * @param evaluated how many nodes were evaluated
     * @param feasible how many of those were feasible
     * @param diagnosis why there is no node, or null
     */
    public record Result(
            @Nullable NodeInfo node,
            long score,
            int evaluated,
            int feasible,
            @Nullable Diagnosis diagnosis) {
        static Result none(Diagnosis diagnosis, int evaluated) {
            return new Result(null, 0, evaluated, 0, diagnosis);
        }
    }

    /**
     * Finds a node.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public Result find(Profile profile, CycleState state, Pod pod) {
        return new PodAttempt(this, profile, state, pod, PodAttempt.Options.SCHEDULE).run();
    }

    /**
     * Filters all nodes, and neither scores nor chooses. The next cycle starts where it would have started without this
     * one.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public Diagnosis fits(Profile profile, CycleState state, Pod pod) {
        return new PodAttempt(this, profile, state, pod, PodAttempt.Options.SCHEDULE).fits();
    }

    /**
     * Runs a cycle up to the scores, and filters and scores all of the given nodes.
     *
     * @param nodes the nodes of the snapshot to evaluate
     * @return the attempt, to be read before the next one
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public PodAttempt explain(Profile profile, Pod pod, List<NodeInfo> nodes) {
        PodAttempt attempt = new PodAttempt(this, profile, new CycleState(), pod, PodAttempt.Options.explain(nodes));
        Result ignored = attempt.run();
        return attempt;
    }

    /**
     * Returns the nodes that a pod would fit without some pods, evaluated as in preemption.
     *
     * @param victimsByNode the pods that would be removed, by node name
     * @return the names of the nodes that the pod would fit
     * @throws PluginFailure if a plugin fails
     */
    public Set<String> fitsWithout(Profile profile, Pod pod, Map<String, List<Pod>> victimsByNode) {
        CycleState state = new CycleState();
        PodAttempt attempt = new PodAttempt(this, profile, state, pod, PodAttempt.Options.SCHEDULE);
        attempt.preFilter();
        Set<String> fitting = new TreeSet<>();
        if (attempt.rejection() != null) {
            return fitting;
        }
        SnapshotTrial trial = SnapshotTrial.of(state, pod);
        victimsByNode.forEach((name, victims) -> {
            if (snapshot.node(name).isPresent() && attempt.includes(name)) {
                victims.forEach(victim -> trial.remove(victim, name));
                if (attempt.filters().filter(trial.state(), trial.node(name)).isSuccess()) {
                    fitting.add(name);
                }
                trial.revertTo(0);
            }
        });
        return fitting;
    }

    Extenders extenders() {
        return extenders;
    }

    NodePass.Memory memory() {
        return memory;
    }

    /** Returns how many feasible nodes are enough. */
    int feasibleNodesToFind(int nodes, Profile profile) {
        if (!profile.scores() && !extenders.filter() && !extenders.prioritize()) {
            return 1;
        }
        return SchedulerConfig.feasibleNodesToFind(
                nodes, profile.percentageOfNodesToScore().orElse(percentageOfNodesToScore));
    }

    /** Returns memory for the totals of nodes, all 0. */
    long[] totals(int nodes) {
        if (totals.length < nodes) {
            totals = new long[nodes];
        }
        Arrays.fill(totals, 0, nodes, 0);
        return totals;
    }

    /** Returns memory for random numbers of nodes. */
    long[] randoms(int nodes) {
        if (randoms.length < nodes) {
            randoms = new long[nodes];
        }
        return randoms;
    }

    long nextRandom() {
        return random.nextLong(Long.MAX_VALUE);
    }

    /** Returns the index of the node with the highest total. */
    int choose(long[] ofNodes, long[] randomOfNodes, int nodes) {
        return randomTies
                ? PodAttempt.anyOfHighest(ofNodes, randomOfNodes, nodes, random)
                : PodAttempt.highest(ofNodes, randomOfNodes, nodes);
    }
}
