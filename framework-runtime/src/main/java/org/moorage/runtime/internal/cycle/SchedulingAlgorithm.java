// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.ScorePlugin;

/**
 * Finds a node for a pod: PreFilter, Filter on a rotating part of the cluster, PreScore, Score, choice.
 *
 * <p>The order of the feasible nodes, and so the choice among equals, is the one that kube-scheduler has with a parallelism
 * of 1, whatever the number of threads. An instance serves one cycle at a time.
 */
public final class SchedulingAlgorithm {
    private static final int MIN_FEASIBLE_NODES = 100;
    private static final int MIN_PERCENTAGE = 5;
    // Below this many nodes, waking other threads costs more than it saves.
    private static final int SEQUENTIAL_NODES = 512;
    private static final int FILTER_CHUNK = 128;
    private static final int SCORE_CHUNK = 64;

    private final int percentageOfNodesToScore;
    private final Parallelism parallelism;
    private int nextStart;

    // Working memory, kept from cycle to cycle.
    private Status[] answers = new Status[0];
    private short[] rejecting = new short[0];
    private long[] rawScores = new long[0];
    private long[] totals = new long[0];

    /**
     * An algorithm.
     *
     * @param percentageOfNodesToScore for profiles that have none of their own; 0 adapts to the cluster's size
     * @param parallelism how passes over nodes run
     */
    public SchedulingAlgorithm(int percentageOfNodesToScore, Parallelism parallelism) {
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.parallelism = parallelism;
    }

    /**
     * What came out: a node, or why there is none.
     *
     * @param node the chosen node, or null
     * @param score its total; 0 if it was the only feasible node, which is not scored
     * @param evaluated how many nodes were looked at
     * @param feasible how many of those would do
     * @param diagnosis why there is no node, or null
     */
    public record Result(
            @Nullable NodeInfo node,
            long score,
            int evaluated,
            int feasible,
            @Nullable Diagnosis diagnosis) {}

    /**
     * Finds a node.
     *
     * @throws PluginFailure if a plugin fails
     */
    public Result find(Profile profile, CycleState state, Pod pod, Snapshot snapshot) {
        List<NodeInfo> all = snapshot.nodes();
        Profile.PreFiltered preFiltered = profile.preFilter(state, pod, snapshot);
        if (preFiltered.rejection() != null) {
            return new Result(
                    null, 0, 0, 0, Diagnosis.ofPreFilter(all, preFiltered.rejection(), preFiltered.namingPlugins()));
        }
        ActiveFilters notes = state.get(ActiveFilters.KEY);
        NodeInfo nominated = snapshot.node(pod.status().nominatedNodeName()).orElse(null);
        Diagnosis.NominatedNode nominatedRejected = null;
        if (nominated != null) {
            ensureCapacity(all.size());
            int rejected = tryNominated(profile, state, notes, pod, nominated);
            if (rejected < 0) {
                return new Result(nominated, 0, 1, 1, null);
            }
            if (rejected < notes.filters().length) {
                nominatedRejected =
                        new Diagnosis.NominatedNode(nominated, notes.filters()[rejected].name(), answers[0]);
            }
        }
        List<NodeInfo> nodes = narrow(all, preFiltered.nodeNames());
        Feasible feasible = filter(
                profile,
                state,
                notes,
                pod,
                nodes,
                all.size(),
                nominatedRejected == null ? null : nominatedRejected.node());
        if (feasible.nodes.isEmpty()) {
            Diagnosis diagnosis = Diagnosis.ofFilter(all, preFiltered.namingPlugins(), nominatedRejected);
            diagnose(diagnosis, nodes, notes, feasible);
            return new Result(null, 0, feasible.rejected, 0, diagnosis);
        }
        int evaluated = feasible.nodes.size() + feasible.rejected;
        if (feasible.nodes.size() == 1) {
            return new Result(feasible.nodes.get(0), 0, evaluated, 1, null);
        }
        Profile.Scorers scorers = profile.preScore(state, pod, feasible.nodes);
        score(scorers, state, pod, feasible.nodes, null);
        int chosen = HostSelection.highest(totals, feasible.nodes.size());
        return new Result(feasible.nodes.get(chosen), totals[chosen], evaluated, feasible.nodes.size(), null);
    }

    // The place of the rejecting filter, -1 if the node will do, and a place past the filters if one of them failed:
    // the
    // failure is passed over, because the node is looked at again among the others.
    private int tryNominated(Profile profile, CycleState state, ActiveFilters notes, Pod pod, NodeInfo node) {
        try {
            return profile.filter(state, notes, pod, node, answers, 0);
        } catch (PluginFailure failure) {
            return notes.filters().length;
        }
    }

    private static List<NodeInfo> narrow(List<NodeInfo> all, @Nullable Set<String> names) {
        if (names == null) {
            return all;
        }
        List<NodeInfo> narrowed = new ArrayList<>(names.size());
        for (NodeInfo node : all) {
            if (names.contains(node.name())) {
                narrowed.add(node);
            }
        }
        return narrowed;
    }

    private record Feasible(List<NodeInfo> nodes, int rejected, int start, int visited) {}

    private Feasible filter(
            Profile profile,
            CycleState state,
            ActiveFilters notes,
            Pod pod,
            List<NodeInfo> nodes,
            int clusterSize,
            @Nullable NodeInfo nominatedRejected) {
        int count = nodes.size();
        if (count == 0) {
            return new Feasible(List.of(), 0, 0, 0);
        }
        int wanted = profile.scores() ? feasibleNodesToFind(count, profile.percentageOfNodesToScore()) : 1;
        int start = nextStart;
        ensureCapacity(count);
        AtomicInteger found = new AtomicInteger();
        Parallelism.Chunk chunk = (from, to) -> {
            int successes = 0;
            for (int i = from; i < to; i++) {
                int place = start + i;
                NodeInfo node = nodes.get(place >= count ? place % count : place);
                int rejected = profile.filter(state, notes, pod, node, answers, i);
                rejecting[i] = (short) rejected;
                successes += rejected < 0 ? 1 : 0;
            }
            // One more than wanted: kube-scheduler notices that it has enough when one too many comes in.
            return (successes == 0 ? found.get() : found.addAndGet(successes)) <= wanted;
        };
        int done = parallelism.isSequential() ? count : Math.min(count, SEQUENTIAL_NODES);
        int from = 0;
        boolean more = true;
        // In steps, so that the caller alone does not go far beyond what is wanted.
        while (from < done && more) {
            int to = Math.min(done, from + Math.max(1, wanted + 1 - found.get()));
            more = chunk.run(from, to);
            from = to;
        }
        if (more && from < count) {
            parallelism.run(from, count, FILTER_CHUNK, chunk);
            from = count;
        }
        return collect(nodes, start, wanted, from, clusterSize, nominatedRejected);
    }

    // Reads the answers in the order of rotation as if there had been one thread.
    private Feasible collect(
            List<NodeInfo> nodes,
            int start,
            int wanted,
            int bound,
            int clusterSize,
            @Nullable NodeInfo nominatedRejected) {
        int count = nodes.size();
        List<NodeInfo> feasible = new ArrayList<>(Math.min(wanted, bound));
        int rejected = 0;
        boolean nominatedCounted = nominatedRejected == null;
        int visited = 0;
        for (; visited < bound; visited++) {
            NodeInfo node = nodes.get((start + visited) % count);
            if (rejecting[visited] < 0) {
                if (feasible.size() == wanted) {
                    break;
                }
                feasible.add(node);
            } else {
                rejected++;
                nominatedCounted |= node == nominatedRejected;
            }
        }
        if (!nominatedCounted) {
            rejected++;
        }
        nextStart = (start + feasible.size() + rejected) % clusterSize;
        return new Feasible(feasible, rejected, start, visited);
    }

    private void diagnose(Diagnosis diagnosis, List<NodeInfo> nodes, ActiveFilters notes, Feasible outcome) {
        FilterPlugin[] filters = notes.filters();
        for (int i = 0; i < outcome.visited; i++) {
            NodeInfo node = nodes.get((outcome.start + i) % nodes.size());
            diagnosis.reject(node, filters[rejecting[i]].name(), answers[i]);
        }
    }

    private int feasibleNodesToFind(int nodes, OptionalInt ofProfile) {
        if (nodes < MIN_FEASIBLE_NODES) {
            return nodes;
        }
        int percentage = ofProfile.orElse(percentageOfNodesToScore);
        if (percentage == 0) {
            percentage = Math.max(MIN_PERCENTAGE, 50 - nodes / 125);
        }
        return Math.max(MIN_FEASIBLE_NODES, (int) ((long) nodes * percentage / 100));
    }

    /** Takes each plugin's weighted scores, in the order of the nodes. */
    interface ScoreSink {
        void accept(String plugin, NodeScores weighted);
    }

    // Leaves the sums in totals.
    void score(Profile.Scorers scorers, CycleState state, Pod pod, List<NodeInfo> nodes, @Nullable ScoreSink sink) {
        ScorePlugin[] plugins = scorers.plugins();
        int count = nodes.size();
        int cells = plugins.length * count;
        if (rawScores.length < cells) {
            rawScores = new long[cells];
        }
        if (totals.length < count) {
            totals = new long[count];
        }
        Arrays.fill(totals, 0, count, scorers.base());
        long[] raw = rawScores;
        Parallelism.Chunk chunk = (from, to) -> {
            for (int p = 0; p < plugins.length; p++) {
                ScorePlugin plugin = plugins[p];
                try {
                    for (int i = from; i < to; i++) {
                        raw[p * count + i] = plugin.score(state, pod, nodes.get(i));
                    }
                } catch (RuntimeException thrown) {
                    throw scoreFailure(plugin, "running Score plugins", PluginFailure.text(thrown), thrown);
                }
            }
            return true;
        };
        if (parallelism.isSequential() || count < SEQUENTIAL_NODES) {
            chunk.run(0, count);
        } else {
            parallelism.run(0, count, SCORE_CHUNK, chunk);
        }
        for (int p = 0; p < plugins.length; p++) {
            addWeighted(plugins[p], scorers.weights()[p], state, pod, nodes, p * count, sink);
        }
    }

    private void addWeighted(
            ScorePlugin plugin,
            long weight,
            CycleState state,
            Pod pod,
            List<NodeInfo> nodes,
            int offset,
            @Nullable ScoreSink sink) {
        int count = nodes.size();
        NodeScores scores = NodeScores.of(nodes, Arrays.copyOfRange(rawScores, offset, offset + count));
        try {
            scores = plugin.normalize(state, pod, scores);
        } catch (RuntimeException thrown) {
            throw scoreFailure(plugin, "running Normalize on Score plugins", PluginFailure.text(thrown), thrown);
        }
        long[] weighted = sink == null ? null : new long[count];
        for (int i = 0; i < count; i++) {
            long score = scores.score(i);
            if (score < 0 || score > NodeScores.MAX) {
                throw new PluginFailure(
                        plugin.name(),
                        "applying score defaultWeights on Score plugins: plugin \"" + plugin.name()
                                + "\" returns an invalid score " + score
                                + ", it should in the range of [0, 100] after normalizing",
                        null);
            }
            totals[i] += score * weight;
            if (weighted != null) {
                weighted[i] = score * weight;
            }
        }
        if (sink != null && weighted != null) {
            sink.accept(plugin.name(), NodeScores.of(nodes, weighted));
        }
    }

    long total(int place) {
        return totals[place];
    }

    private static PluginFailure scoreFailure(ScorePlugin plugin, String what, String text, RuntimeException thrown) {
        return new PluginFailure(
                plugin.name(), what + ": plugin \"" + plugin.name() + "\" failed with: " + text, thrown);
    }

    private void ensureCapacity(int nodes) {
        if (answers.length < nodes) {
            answers = new Status[nodes];
            rejecting = new short[nodes];
        }
    }
}
