// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cycle.EquivalenceCache.Rejections;
import org.moorage.runtime.internal.cycle.EquivalenceCache.Scores;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * Filters many nodes for a pod, and scores the feasible ones: on several threads, and with the cached results for
 * equivalent pods. The threads write results of different nodes.
 */
final class NodePass implements Parallelism.Pass {
    // Reading the clock before and after a filter takes longer than the filter.
    private static final int TIMED_NODES = 16;

    private final Memory memory;
    private final Profile profile;
    private final PodFilters filters;
    private final PluginCaller[] plugins;
    private final CycleState state;
    private final Pod pod;
    private List<NodeInfo> nodes = List.of();
    private int start;
    private int wanted;
    private PointRun run = PointRun.UNMEASURED;
    // The arrays of the memory: the loops over all nodes read them from this pass.
    private PluginStatus[] answers = {};

    // The cached results of the plugins that have signed the pod, and the generations of the nodes for which they hold.
    private List<Scores> signed = List.of();
    private long[] generations = {};
    private final long[] changesBefore;
    // By the index of the first filter of a series whose results are cached together; null elsewhere.
    private @Nullable Series[] series;

    /**
     * Filters that follow each other and have combined cached results.
     *
     * @param results the results
     * @param end the index after the last filter
     */
    private record Series(Rejections results, int end) {}

    /** The memory that passes share: the cache, and arrays for results, which are valid until the next pass. */
    static final class Memory {
        private final Parallelism parallelism;
        private final EquivalenceCache cache = new EquivalenceCache();
        // By the index of the node in the filtered list: its first rejection, or exactly PluginStatus.SUCCESS.
        private PluginStatus[] answers = {};
        // By plugin and by the index of the node in the scored list.
        private long[][] scores = {};
        // How many feasible nodes the pass has found.
        private final AtomicInteger found = new AtomicInteger();

        Memory(Parallelism parallelism) {
            this.parallelism = parallelism;
        }

        /** Returns the numbers of changes of data that cached results depend on. */
        long[] countChanges(Profile profile) {
            return cache.countChanges(profile);
        }
    }

    /**
     * Creates a pass for a pod.
     *
     * @param changesBefore what {@link Memory#countChanges} returned before PreFilter
     */
    NodePass(Memory memory, Profile profile, PodFilters filters, CycleState state, Pod pod, long[] changesBefore) {
        this.memory = memory;
        this.profile = profile;
        this.filters = filters;
        this.state = state;
        this.pod = pod;
        this.changesBefore = changesBefore;
        plugins = filters.plugins();
        series = new Series[plugins.length];
    }

    /**
     * Filters nodes, starting at an index, until enough of them are feasible. After the last node comes the first. With
     * several threads, more nodes than wanted may be feasible among those that were filtered.
     *
     * @param usesCache whether cached results replace calls
     * @return how many nodes were filtered
     */
    int filter(List<NodeInfo> filtered, int first, int most, boolean usesCache) {
        nodes = filtered;
        start = first;
        wanted = most;
        memory.found.set(0);
        int count = filtered.size();
        if (memory.answers.length < count) {
            memory.answers = new PluginStatus[count];
        }
        answers = memory.answers;
        if (usesCache) {
            findCached();
        }
        int done;
        try (PointRun begun = profile.begin(PluginMethod.FILTER)) {
            run = begun;
            done = memory.parallelism.run(count, this);
            begun.end(Code.SUCCESS);
        }
        countCalls(done);
        return done;
    }

    private void findCached() {
        generations = filters.snapshot().generations();
        signed = memory.cache.find(profile, state, pod, changesBefore, filters.snapshot());
        Arrays.fill(series, null);
        int from = 0;
        while (from < plugins.length) {
            List<Scores> following = new ArrayList<>(plugins.length - from);
            Scores cached = cached(plugins[from]);
            while (cached != null) {
                following.add(cached);
                int next = from + following.size();
                cached = next < plugins.length ? cached(plugins[next]) : null;
            }
            if (!following.isEmpty()) {
                Rejections combined = memory.cache.find(following, generations.length);
                series[from] = combined == null ? null : new Series(combined, from + following.size());
            }
            // The filter after the series has no cached results.
            from += following.size() + 1;
        }
    }

    private @Nullable Scores cached(PluginCaller plugin) {
        for (int i = 0; i < signed.size(); i++) {
            if (signed.get(i).isOf(plugin)) {
                return signed.get(i);
            }
        }
        return null;
    }

    @Override
    public boolean run(int from, int to) {
        boolean timed = run.timesPlugins() && from < TIMED_NODES;
        int count = nodes.size();
        int first = (start + from) % count;
        int end = Math.min(count, first + to - from);
        int wrapped = first + to - from - end;
        filterRange(first, end, timed);
        filterRange(0, wrapped, timed);
        int successes = successes(first, end) + successes(0, wrapped);
        // kube-scheduler stops after finding one node more than needed.
        return (successes == 0 ? memory.found.get() : memory.found.addAndGet(successes)) <= wanted;
    }

    private void filterRange(int from, int to, boolean timed) {
        if (from == to) {
            return;
        }
        if (timed) {
            for (int i = from; i < to; i++) {
                set(i, filters.filter(run, state, nodes.get(i)));
            }
            return;
        }
        clear(from, to);
        if (filters.hasNominatedPods()) {
            for (int i = from; i < to; i++) {
                set(i, filters.filterWithNominatedPods(PointRun.UNMEASURED, state, nodes.get(i)));
            }
        }
        int filter = 0;
        while (filter < plugins.length && isAnyLeft(from, to)) {
            Series cached = series[filter];
            if (cached == null) {
                plugins[filter].filter(state, pod, nodes, from, to, answers);
                filter++;
            } else {
                filterByCache(cached.results(), filter, cached.end(), from, to);
                filter = cached.end();
            }
        }
    }

    private void filterByCache(Rejections cached, int first, int end, int from, int to) {
        // Most often no node is rejected yet, and none has changed.
        if (firstRejected(from, to) == to && cached.giveAll(nodes, generations, from, to, this)) {
            return;
        }
        for (int i = from; i < to; i++) {
            if (isSuccess(i)) {
                NodeInfo node = nodes.get(i);
                int index = node.index();
                PluginStatus answer = cached.find(index, generations[index]);
                if (answer == null) {
                    answer = PluginStatus.SUCCESS;
                    for (int f = first; f < end && answer.isSuccess(); f++) {
                        answer = plugins[f].filter(PointRun.UNMEASURED, state, pod, node);
                    }
                    cached.put(index, generations[index], answer);
                }
                set(i, answer);
            }
        }
    }

    /** Returns how many nodes may be filtered without exceeding the number wanted. */
    @Override
    public int most() {
        return Math.max(1, wanted + 1 - memory.found.get());
    }

    /** Returns the estimated number of remaining nodes, at the feasibility rate so far. */
    @Override
    public int left(int done, int count) {
        int feasible = memory.found.get();
        return feasible == 0 ? count - done : (int) Math.min(count - done, (wanted + 1L - feasible) * done / feasible);
    }

    // Counts the calls of each filter afterwards, because counting during the pass takes time. A filter is not called
    // for nodes that an earlier one has rejected.
    private void countCalls(int count) {
        if (!run.isMeasured()) {
            return;
        }
        int[] rejected = new int[plugins.length];
        for (int i = 0; i < count; i++) {
            PluginStatus answer = answers[(start + i) % nodes.size()];
            for (int f = 0; f < plugins.length && !answer.isSuccess(); f++) {
                if (plugins[f].name().equals(answer.plugin())) {
                    rejected[f]++;
                    break;
                }
            }
        }
        int left = count;
        for (int f = 0; f < plugins.length; f++) {
            run.evaluated(plugins[f].name(), left);
            left -= rejected[f];
        }
    }

    /**
     * Returns the result for a node, by its index in the filtered list: its first rejection, or exactly {@link
     * PluginStatus#SUCCESS}.
     */
    PluginStatus get(int index) {
        return answers[index];
    }

    /** Sets the result for a node. */
    void set(int index, PluginStatus answer) {
        answers[index] = answer;
    }

    /** Returns whether no filter has rejected a node. */
    @SuppressWarnings("ReferenceEquality") // a success is always that instance
    boolean isSuccess(int index) {
        return answers[index] == PluginStatus.SUCCESS;
    }

    // Forgets rejections of earlier passes.
    private void clear(int from, int to) {
        for (int i = from; i < to; i++) {
            // Nearly every answer is a success, and comparing is faster than writing.
            if (!isSuccess(i)) {
                set(i, PluginStatus.SUCCESS);
            }
        }
    }

    private boolean isAnyLeft(int from, int to) {
        for (int i = from; i < to; i++) {
            if (isSuccess(i)) {
                return true;
            }
        }
        return false;
    }

    private int successes(int from, int to) {
        int successes = 0;
        for (int i = from; i < to; i++) {
            successes += isSuccess(i) ? 1 : 0;
        }
        return successes;
    }

    /** Returns the index of the first node that is rejected, or the end. */
    int firstRejected(int from, int end) {
        int index = from;
        while (index < end && isSuccess(index)) {
            index++;
        }
        return index;
    }

    /**
     * Runs Score plugins.
     *
     * @param begun measures the calls
     * @param usesCache whether cached results replace calls; the nodes must then be in the order of their indexes
     * @return the scores before normalization, by plugin and by the index of the node in the list
     */
    long[][] score(PointRun begun, PluginCaller[] scoring, List<NodeInfo> scored, boolean usesCache) {
        int count = scored.size();
        if (memory.scores.length < scoring.length || memory.scores.length > 0 && memory.scores[0].length < count) {
            memory.scores = new long[scoring.length][count];
        }
        long[][] scores = memory.scores;
        @Nullable Scores[] cached = new Scores[scoring.length];
        for (int p = 0; usesCache && p < scoring.length; p++) {
            cached[p] = cached(scoring[p]);
            if (cached[p] != null) {
                cached[p].prepare(generations.length);
            }
        }
        int ignored = memory.parallelism.run(count, (from, to) -> {
            for (int p = 0; p < scoring.length; p++) {
                long startOfCall = begun.startCall();
                Scores known = cached[p];
                if (known == null) {
                    scoring[p].score(state, pod, scored, from, to, scores[p]);
                } else {
                    known.score(state, pod, scored, generations, from, to, scores[p]);
                }
                // The mean of the nodes: a single call is so short that timing it would make it longer.
                begun.called(PluginMethod.SCORE, scoring[p].name(), Code.SUCCESS, startOfCall, to - from);
            }
            return true;
        });
        return scores;
    }
}
