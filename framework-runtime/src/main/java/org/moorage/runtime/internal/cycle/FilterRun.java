// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * How the nodes are filtered for one pod: PreFilter, then the filters that it did not skip, for one node or for many. It is in the
 * cycle's state, for plugins that ask again.
 */
public final class FilterRun implements Parallelism.Pass {
    private static final StateKey<FilterRun> KEY = StateKey.of("runtime/filter-run");
    // To read the clock before and after a filter takes longer than the filter.
    private static final int TIMED_NODES = 16;

    private final Profile profile;
    private final Pod pod;
    private final CycleState state;
    private final TrialSnapshot snapshot;
    // For the whole cycle: a pod whose nomination moves while nodes are looked at would be seen on neither.
    private final Map<String, List<Pod>> nominated;
    // Measures the calls for single nodes: they are timed if PreFilter's are.
    private PointRun calls = PointRun.UNMEASURED;

    // What PreFilter has left.
    private PluginCaller[] filters = {};
    private PluginCaller[] extensions = {};
    private @Nullable PluginStatus rejection;
    private @Nullable Set<String> nodeNames;
    private final Set<String> namingPlugins = new TreeSet<>();

    // Of the pass over many nodes.
    private List<NodeInfo> nodes = List.of();
    private Answers answers = new Answers();
    private EquivalenceCache.@Nullable Alike alike;
    private int start;
    private int wanted;
    private PointRun pass = PointRun.UNMEASURED;
    private final AtomicInteger found = new AtomicInteger();

    private FilterRun(Profile profile, CycleState state, Pod pod, TrialSnapshot snapshot) {
        this.profile = profile;
        this.state = state;
        this.pod = pod;
        this.snapshot = snapshot;
        nominated = profile.nominatedPods();
    }

    /**
     * Runs PreFilter.
     *
     * @throws PluginFailure if a plugin fails
     */
    static FilterRun preFilter(Profile profile, CycleState state, Pod pod, TrialSnapshot snapshot) {
        FilterRun run = new FilterRun(profile, state, pod, snapshot);
        try (PointRun calls = profile.begin(PluginMethod.PRE_FILTER)) {
            run.preFilter(calls);
            calls.end(
                    run.rejection == null
                            ? Code.SUCCESS
                            : run.rejection.status().code());
        }
        state.put(KEY, run);
        return run;
    }

    /** What PreFilter found in the cycle of a state. */
    public static FilterRun of(CycleState state) {
        return state.get(KEY);
    }

    private void preFilter(PointRun run) {
        calls = run;
        Set<String> skipped = new TreeSet<>();
        for (PluginCaller plugin : profile.at(ExtensionPoint.PRE_FILTER)) {
            PreFilterResult result = plugin.preFilter(run, state, pod, snapshot);
            Status status = result.status();
            if (status.isSkip()) {
                skipped.add(plugin.name());
            } else if (status.isRejection()) {
                rejection = new PluginStatus(plugin.name(), status);
                if (status.code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                    namingPlugins.clear();
                    break;
                }
            } else if (result.nodeNames().isPresent()
                    && !narrow(plugin, result.nodeNames().get())) {
                break;
            }
        }
        keep(skipped);
    }

    // Whether there is a node that all plugins have named which name any.
    private boolean narrow(PluginCaller plugin, Set<String> named) {
        namingPlugins.add(plugin.name());
        Set<String> left = new TreeSet<>(named);
        if (nodeNames != null) {
            left.retainAll(nodeNames);
        }
        nodeNames = left;
        if (left.isEmpty()) {
            rejection = new PluginStatus(
                    "",
                    Status.unresolvable(
                            namingPlugins.size() == 1
                                    ? "node(s) didn't satisfy plugin " + plugin.name()
                                    : "node(s) didn't satisfy plugin(s) [" + String.join(" ", namingPlugins)
                                            + "] simultaneously"));
        }
        return !left.isEmpty();
    }

    private void keep(Set<String> skipped) {
        List<PluginCaller> active = new ArrayList<>();
        for (PluginCaller filter : profile.at(ExtensionPoint.FILTER)) {
            if (!skipped.contains(filter.name())) {
                active.add(filter);
            }
        }
        filters = active.toArray(PluginCaller[]::new);
        List<PluginCaller> extended = new ArrayList<>();
        for (PluginCaller plugin : profile.at(ExtensionPoint.PRE_FILTER)) {
            if (plugin.hasPreFilterExtensions() && !skipped.contains(plugin.name())) {
                extended.add(plugin);
            }
        }
        extensions = extended.toArray(PluginCaller[]::new);
    }

    /** The rejection of the pod as a whole by PreFilter, or null. */
    @Nullable
    PluginStatus rejection() {
        return rejection;
    }

    /** The only nodes to look at, or null for all. */
    @Nullable
    Set<String> nodeNames() {
        return nodeNames;
    }

    /** The plugins that named nodes. */
    Set<String> namingPlugins() {
        return namingPlugins;
    }

    /** Why a node will not do that PreFilter has not left, although it has left others. */
    PluginStatus leftOut() {
        String plugins = String.join(" ", namingPlugins);
        return new PluginStatus(plugins, Status.unresolvable("node(s) didn't satisfy plugin(s) [" + plugins + "]"));
    }

    /** Whether PreFilter has left a node to look at. */
    boolean leaves(String nodeName) {
        return nodeNames == null || nodeNames.contains(nodeName);
    }

    /** The plugins to tell of pods that are added to a node for a trial, or removed from it. */
    PluginCaller[] extensions() {
        return extensions;
    }

    /** Whether what is answered about a node depends on that node alone: the filters have all signed the pod, and no pod is nominated to it. */
    boolean dependsOnNodeAlone(String nodeName) {
        if (nominated.containsKey(nodeName)) {
            return false;
        }
        for (PluginCaller filter : filters) {
            if (!profile.signing().contains(filter) || filter.sign(pod).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** The snapshot of the cycle. */
    TrialSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Runs the filters for a node, once with the pods nominated to it and once without.
     *
     * @param asked the cycle's state, or a fork of it
     * @param node a node of the cycle's snapshot, or of a trial
     * @return the first rejection, or exactly {@link PluginStatus#SUCCESS}
     */
    public PluginStatus filter(CycleState asked, NodeInfo node) {
        return filter(calls, asked, node);
    }

    private PluginStatus filter(PointRun run, CycleState asked, NodeInfo node) {
        PluginStatus answer = filterWithNominatedPods(run, asked, node);
        return answer.isSuccess() ? filterOnce(run, asked, node) : answer;
    }

    // The answer with the pods nominated to the node, or a success if there are none that count.
    private PluginStatus filterWithNominatedPods(PointRun run, CycleState asked, NodeInfo node) {
        SnapshotTrial trial = withNominatedPods(asked, node);
        return trial == null ? PluginStatus.SUCCESS : filterOnce(run, trial.state(), trial.node(node.name()));
    }

    // The node with the pods nominated to it assumed on it; null if there are none that count.
    private @Nullable SnapshotTrial withNominatedPods(CycleState asked, NodeInfo node) {
        List<Pod> others = nominated.get(node.name());
        if (others == null) {
            return null;
        }
        SnapshotTrial trial = null;
        for (Pod other : others) {
            if (other.spec().priority() >= pod.spec().priority()
                    && !other.uid().equals(pod.uid())
                    && !snapshot.isAssumed(other)) {
                trial = trial == null ? new SnapshotTrial(asked, pod, snapshot.branch(node)) : trial;
                trial.assume(other, node.name());
            }
        }
        return trial;
    }

    private PluginStatus filterOnce(PointRun run, CycleState asked, NodeInfo node) {
        for (PluginCaller filter : filters) {
            PluginStatus answer = filter.filter(run, asked, pod, node);
            if (!answer.isSuccess()) {
                return answer;
            }
        }
        return PluginStatus.SUCCESS;
    }

    /**
     * Runs every filter for a node, also those after the first rejection: with the pods nominated to the node, then without them, as {@link
     * #filter(CycleState, NodeInfo)} does. A filter may rely on what an earlier one has ruled out, so what it throws is an error among the
     * answers.
     *
     * @return the answers that are no success, the first of each filter
     */
    List<PluginStatus> objections(NodeInfo node) {
        Map<String, PluginStatus> objections = new LinkedHashMap<>();
        SnapshotTrial trial = withNominatedPods(state, node);
        if (trial != null) {
            addObjections(trial.state(), trial.node(node.name()), objections);
        }
        addObjections(state, node, objections);
        return List.copyOf(objections.values());
    }

    private void addObjections(CycleState asked, NodeInfo node, Map<String, PluginStatus> objections) {
        for (PluginCaller filter : filters) {
            PluginStatus answer;
            try {
                answer = filter.filter(PointRun.UNMEASURED, asked, pod, node);
            } catch (PluginFailure failure) {
                answer = PluginStatus.error(filter.name(), failure.what());
            }
            if (!answer.isSuccess()) {
                objections.putIfAbsent(filter.name(), answer);
            }
        }
    }

    /** The node as the first pass over it sees it: with the pods nominated to it that leave this pod less room. */
    NodeInfo nodeWithNominatedPods(NodeInfo node) {
        SnapshotTrial trial = withNominatedPods(state, node);
        return trial == null ? node : trial.node(node.name());
    }

    /**
     * Filters nodes from a start on, until enough of them are feasible. After the last node comes the first. With several threads there
     * may be more feasible nodes among those that were filtered than are wanted.
     *
     * @param into where the answers go, by the index of the node among these
     * @param known what is known of pods that are alike; null if all filters are to be asked
     * @return how many nodes were filtered
     */
    int filter(
            List<NodeInfo> asked,
            int first,
            int most,
            Answers into,
            EquivalenceCache.@Nullable Alike known,
            Parallelism parallelism) {
        nodes = asked;
        start = first;
        wanted = most;
        answers = into;
        alike = known;
        found.set(0);
        int count = asked.size();
        into.prepare(count);
        if (known != null) {
            known.prepareFilters(filters, snapshot.generations());
        }
        int filtered;
        try (PointRun begun = profile.begin(PluginMethod.FILTER)) {
            pass = begun;
            filtered = parallelism.run(count, this);
            begun.end(Code.SUCCESS);
        }
        countCalls(filtered);
        return filtered;
    }

    @Override
    public boolean run(int from, int to) {
        boolean timed = pass.timesPlugins() && from < TIMED_NODES;
        int count = nodes.size();
        int first = (start + from) % count;
        int end = Math.min(count, first + to - from);
        int wrapped = first + to - from - end;
        filterRange(first, end, timed);
        filterRange(0, wrapped, timed);
        int successes = answers.successes(first, end) + answers.successes(0, wrapped);
        // One more than wanted: kube-scheduler notices that it has enough when one too many comes in.
        return (successes == 0 ? found.get() : found.addAndGet(successes)) <= wanted;
    }

    private void filterRange(int from, int to, boolean timed) {
        if (from == to) {
            return;
        }
        if (timed) {
            for (int i = from; i < to; i++) {
                answers.set(i, filter(pass, state, nodes.get(i)));
            }
            return;
        }
        answers.clear(from, to);
        if (!nominated.isEmpty()) {
            for (int i = from; i < to; i++) {
                answers.set(i, filterWithNominatedPods(PointRun.UNMEASURED, state, nodes.get(i)));
            }
        }
        EquivalenceCache.Alike known = alike;
        int first = 0;
        if (known != null) {
            known.filter(state, pod, nodes, from, to, answers);
            first = known.filters();
        }
        for (int i = first; i < filters.length && answers.isAnyLeft(from, to); i++) {
            filters[i].filter(state, pod, nodes, from, to, answers.statuses);
            answers.takeOver(filters[i], from, to);
        }
    }

    /** No node beyond what is wanted. */
    @Override
    public int most() {
        return Math.max(1, wanted + 1 - found.get());
    }

    /** How many are left if as many of them are feasible as of those before. */
    @Override
    public int left(int done, int count) {
        int feasible = found.get();
        return feasible == 0 ? count - done : (int) Math.min(count - done, (wanted + 1L - feasible) * done / feasible);
    }

    // Counts how often each filter was asked, without a count in the pass itself: a filter is not asked about the nodes
    // that one before
    // it has rejected.
    private void countCalls(int count) {
        if (!pass.isMeasured()) {
            return;
        }
        int[] rejected = new int[filters.length];
        for (int i = 0; i < count; i++) {
            PluginStatus answer = answers.get((start + i) % nodes.size());
            for (int f = 0; f < filters.length && !answer.isSuccess(); f++) {
                if (filters[f].name().equals(answer.plugin())) {
                    rejected[f]++;
                    break;
                }
            }
        }
        int left = count;
        for (int f = 0; f < filters.length; f++) {
            pass.evaluated(filters[f].name(), left);
            left -= rejected[f];
        }
    }

    /**
     * What the filters answer in a pass, by the index of the node among those that are filtered: its first rejection, or exactly
     * {@link PluginStatus#SUCCESS}. Working memory, kept from pass to pass. Several threads may use it, each for other nodes.
     */
    static final class Answers {
        private PluginStatus[] answers = new PluginStatus[0];
        // The statuses of the answers, which is what plugins are given.
        private Status[] statuses = new Status[0];

        private void prepare(int nodes) {
            if (answers.length < nodes) {
                answers = new PluginStatus[nodes];
                statuses = new Status[nodes];
            }
        }

        PluginStatus get(int index) {
            return answers[index];
        }

        void set(int index, PluginStatus answer) {
            answers[index] = answer;
            statuses[index] = answer.status();
        }

        @SuppressWarnings("ReferenceEquality") // a success is always that instance
        boolean isSuccess(int index) {
            return answers[index] == PluginStatus.SUCCESS;
        }

        // Has none of the nodes rejected.
        @SuppressWarnings(
                "ReferenceEquality") // nearly every status is that instance, and to compare is quicker than to write
        private void clear(int from, int to) {
            for (int i = from; i < to; i++) {
                if (!isSuccess(i) || statuses[i] != Status.success()) {
                    set(i, PluginStatus.SUCCESS);
                }
            }
        }

        // What a plugin has put into the statuses.
        @SuppressWarnings("ReferenceEquality") // nearly every status is that instance
        private void takeOver(PluginCaller filter, int from, int to) {
            for (int i = from; i < to; i++) {
                if (statuses[i] != Status.success() && isSuccess(i)) {
                    set(i, filter.filtered(statuses[i]));
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

        /** The index of the first node that is rejected, or the end. */
        int firstRejected(int from, int end) {
            int index = from;
            while (index < end && isSuccess(index)) {
                index++;
            }
            return index;
        }
    }
}
