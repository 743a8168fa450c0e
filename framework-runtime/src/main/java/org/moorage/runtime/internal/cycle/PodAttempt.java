// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeTotal;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm.Result;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * An attempt to find a node for a pod: PreFilter, the nominated node, Filter, extenders, PreScore and Score, choice.
 * The methods are in this order. The attempt is stored in the state of the pod's cycle, for plugins that filter single
 * nodes again, as preemption does.
 */
public final class PodAttempt {
    private static final Log LOG = Log.of(PodAttempt.class);
    private static final StateKey<PodAttempt> KEY = StateKey.of("runtime/pod-attempt");

    private final SchedulingAlgorithm algorithm;
    private final Extenders extenders;
    private final Profile profile;
    private final CycleState state;
    private final Pod pod;
    private final TrialSnapshot snapshot;
    private final Options options;

    // Set by PreFilter.
    private @Nullable PodFilters filters;
    private @Nullable NodePass pass;
    private @Nullable PluginStatus rejection;
    private @Nullable Set<String> nodeNames;
    private final Set<String> namingPlugins = new TreeSet<>();

    // Set when the nominated node is filtered.
    private Diagnosis.@Nullable NominatedNode nominatedRejected;
    private final Map<String, Status> nominatedByExtenders = new HashMap<>();

    // Set by Filter: the nodes, the index of the one that was filtered first, and how many were filtered.
    private List<NodeInfo> nodes = List.of();
    private int first;
    private int visited;
    private List<NodeInfo> feasible = List.of();
    private int rejected;

    // Set by the extenders.
    private final Map<String, Status> byExtenders = new HashMap<>();
    private List<NodeInfo> left = List.of();

    // Set by Score.
    private List<NodeInfo> scored = List.of();
    private long[] totals = {};
    private final Map<String, NodeScores> scoresByPlugin = new LinkedHashMap<>();
    private List<Extenders.ExtenderScores> scoresOfExtenders = List.of();

    PodAttempt(SchedulingAlgorithm algorithm, Profile profile, CycleState state, Pod pod, Options options) {
        this.algorithm = algorithm;
        this.profile = profile;
        this.state = state;
        this.pod = pod;
        snapshot = algorithm.snapshot();
        this.options = options;
        extenders = algorithm.extenders();
    }

    /**
     * The options of an attempt.
     *
     * @param nodes the nodes to choose from; empty for all candidates of the snapshot
     * @param explains whether each node is filtered and each feasible one scored, with details kept. Such an attempt
     *     neither samples nor stops at the nominated node, uses no cached results, scores also a single feasible node,
     *     and runs PreFilter also without nodes. The next attempt starts at the node where it would start without this
     *     one
     */
    record Options(Optional<List<NodeInfo>> nodes, boolean explains) {
        static final Options SCHEDULE = new Options(Optional.empty(), false);
        static final Options EXPLAIN = new Options(Optional.empty(), true);

        static Options explain(List<NodeInfo> nodes) {
            return new Options(Optional.of(nodes), true);
        }
    }

    /** Returns the attempt of a state's cycle; PreFilter must have run. */
    public static PodAttempt of(CycleState state) {
        return state.get(KEY);
    }

    /**
     * Finds a node.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    Result run() {
        List<NodeInfo> all = snapshot.candidates();
        if (all.isEmpty() && !options.explains()) {
            return Result.none(diagnosis(), 0);
        }
        preFilter();
        if (all.isEmpty() || rejection != null) {
            return Result.none(diagnosis(), 0);
        }
        NodeInfo nominated = filterNominated();
        if (nominated != null && !options.explains()) {
            return new Result(nominated, 0, 1 + nominatedByExtenders.size(), 1, null);
        }
        filterUntilEnough();
        filterByExtenders();
        int rejectedNodes = rejectedNodes();
        if (left.isEmpty()) {
            return Result.none(diagnosis(), rejectedNodes);
        }
        int evaluated = left.size() + rejectedNodes;
        if (left.size() == 1 && !options.explains()) {
            return new Result(left.get(0), 0, evaluated, 1, null);
        }
        score();
        long[] randoms = addScoresOfExtenders();
        int chosen = algorithm.choose(totals, randoms, left.size());
        return new Result(left.get(chosen), totals[chosen], evaluated, left.size(), null);
    }

    /**
     * Filters all nodes, and neither scores nor chooses.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    Diagnosis fits() {
        if (snapshot.candidates().isEmpty()) {
            return diagnosis();
        }
        preFilter();
        if (rejection == null) {
            nodes = narrow();
            filter(0, nodes.size());
            filterByExtenders();
        }
        return diagnosis();
    }

    /**
     * Runs PreFilter.
     *
     * @throws PluginFailure if a plugin fails
     */
    void preFilter() {
        // Read once for the whole cycle: a pod whose nomination moves while nodes are filtered would be seen on neither
        // node.
        Map<String, List<Pod>> nominated = profile.nominatedPods();
        long[] changes = algorithm.memory().countChanges(profile);
        Set<String> skipped = new TreeSet<>();
        try (PointRun run = profile.begin(PluginMethod.PRE_FILTER)) {
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
            run.end(rejection == null ? Code.SUCCESS : rejection.status().code());
            PluginCaller[] extensions = Arrays.stream(profile.without(ExtensionPoint.PRE_FILTER, skipped))
                    .filter(PluginCaller::hasPreFilterExtensions)
                    .toArray(PluginCaller[]::new);
            PluginCaller[] plugins = profile.without(ExtensionPoint.FILTER, skipped);
            filters = new PodFilters(profile, state, pod, snapshot, nominated, plugins, extensions, run);
        }
        pass = new NodePass(algorithm.memory(), profile, filters, state, pod, changes);
        state.put(KEY, this);
    }

    // Returns whether the plugins that name nodes have named a common one.
    private boolean narrow(PluginCaller plugin, Set<String> named) {
        namingPlugins.add(plugin.name());
        Set<String> common = new TreeSet<>(named);
        if (nodeNames != null) {
            common.retainAll(nodeNames);
        }
        nodeNames = common;
        if (common.isEmpty()) {
            rejection = new PluginStatus(
                    "",
                    Status.unresolvable(
                            namingPlugins.size() == 1
                                    ? "node(s) didn't satisfy plugin " + plugin.name()
                                    : "node(s) didn't satisfy plugin(s) [" + String.join(" ", namingPlugins)
                                            + "] simultaneously"));
        }
        return !common.isEmpty();
    }

    // Returns the nominated node if it is feasible. As in kube-scheduler, a failure is only logged, because the node is
    // filtered again with the others.
    private @Nullable NodeInfo filterNominated() {
        NodeInfo node = snapshot.candidate(pod.status().nominatedNodeName()).orElse(null);
        if (node == null) {
            return null;
        }
        try {
            PluginStatus answer = filters().filter(state, node);
            if (answer.isSuccess()) {
                return !extenders.filter()
                                || !extenders
                                        .filter(pod, List.of(node), nominatedByExtenders)
                                        .isEmpty()
                        ? node
                        : null;
            }
            nominatedRejected = new Diagnosis.NominatedNode(node, answer);
        } catch (PluginFailure | ExtenderException failure) {
            Log.Line line = LOG.atError().addKeyValue("pod", pod.key()).addKeyValue("node", node.name());
            (failure instanceof PluginFailure ofPlugin ? line.addKeyValue("plugin", ofPlugin.plugin()) : line)
                    .setCause(failure)
                    .log("Evaluation failed on nominated node");
        }
        return null;
    }

    private void filterUntilEnough() {
        nodes = options.nodes().isPresent() ? narrow(options.nodes().get()) : narrow();
        if (options.explains()) {
            filter(0, nodes.size());
        } else if (!nodes.isEmpty()) {
            int start = algorithm.nextNode();
            filter(start, algorithm.feasibleNodesToFind(nodes.size(), profile));
            algorithm.nextNode((start + feasible.size() + rejectedNodes())
                    % snapshot.candidates().size());
        }
    }

    // Returns the nodes that PreFilter has left. If they are few, as for a pod of a daemon set, they are looked up by
    // name.
    private List<NodeInfo> narrow() {
        List<NodeInfo> all = snapshot.candidates();
        if (nodeNames == null || nodeNames.size() > all.size() / 8) {
            return narrow(all);
        }
        List<NodeInfo> narrowed = new ArrayList<>(nodeNames.size());
        for (String name : nodeNames) {
            snapshot.candidate(name).ifPresent(narrowed::add);
        }
        narrowed.sort(Comparator.comparingInt(NodeInfo::index));
        return narrowed;
    }

    private List<NodeInfo> narrow(List<NodeInfo> all) {
        if (nodeNames == null) {
            return all;
        }
        List<NodeInfo> narrowed = new ArrayList<>(nodeNames.size());
        for (NodeInfo node : all) {
            if (nodeNames.contains(node.name())) {
                narrowed.add(node);
            }
        }
        return narrowed;
    }

    // Filters nodes, and reads the results in the order of rotation, as a single thread would.
    private void filter(int start, int wanted) {
        int count = nodes.size();
        if (count == 0) {
            return;
        }
        NodePass results = pass();
        int filtered = results.filter(nodes, start, wanted, !options.explains());
        feasible = new ArrayList<>(Math.min(wanted, filtered));
        first = start % count;
        // In most clusters nearly all nodes are feasible.
        int most = Math.min(wanted, filtered);
        int beforeWrap = results.firstRejected(first, Math.min(count, first + most)) - first;
        int afterWrap = first + beforeWrap == count ? results.firstRejected(0, most - beforeWrap) : 0;
        feasible.addAll(nodes.subList(first, first + beforeWrap));
        feasible.addAll(nodes.subList(0, afterWrap));
        visited = beforeWrap + afterWrap;
        for (int index = (first + visited) % count; visited < filtered; visited++, index = next(index, count)) {
            if (results.isSuccess(index)) {
                if (feasible.size() == wanted) {
                    break;
                }
                feasible.add(nodes.get(index));
            } else {
                rejected++;
            }
        }
    }

    // After the last node comes the first.
    private static int next(int index, int count) {
        return index + 1 == count ? 0 : index + 1;
    }

    private void filterByExtenders() {
        left = extenders.filter() ? extenders.filter(pod, feasible, byExtenders) : feasible;
    }

    // Returns how many nodes have a status: by Filter, by extenders, or as the nominated node.
    private int rejectedNodes() {
        if (nominatedRejected == null && nominatedByExtenders.isEmpty() && byExtenders.isEmpty()) {
            return rejected;
        }
        Set<String> others = new HashSet<>(nominatedByExtenders.keySet());
        if (nominatedRejected != null) {
            others.add(nominatedRejected.node().name());
        }
        others.addAll(byExtenders.keySet());
        int count = others.size();
        int index = first;
        for (int i = 0; i < visited; i++, index = next(index, nodes.size())) {
            count += pass().isSuccess(index) || others.contains(nodes.get(index).name()) ? 0 : 1;
        }
        return count;
    }

    /** Returns why the pod does not fit nodes. */
    public Diagnosis diagnosis() {
        // The snapshot may change later.
        List<NodeInfo> all = List.copyOf(snapshot.candidates());
        if (all.isEmpty()) {
            return Diagnosis.ofNoNodes();
        }
        if (rejection != null) {
            return Diagnosis.ofPreFilter(all, rejection, namingPlugins);
        }
        Diagnosis diagnosis = Diagnosis.ofFilter(all, namingPlugins, nodeNames, nominatedRejected);
        diagnosis.extended(nominatedByExtenders);
        int index = first;
        for (int i = 0; i < visited; i++, index = next(index, nodes.size())) {
            if (!pass().isSuccess(index)) {
                diagnosis.reject(nodes.get(index), pass().get(index));
            }
        }
        diagnosis.extended(byExtenders);
        diagnosis.left(feasible, left);
        return diagnosis;
    }

    // Adds up the weighted scores of the plugins.
    private void score() {
        scored = left;
        int count = left.size();
        totals = algorithm.totals(count);
        PluginCaller[] plugins = preScore();
        try (PointRun run = profile.begin(PluginMethod.SCORE)) {
            // An extender may return nodes as it knows them, in its own order, so cached scores do not apply.
            long[][] scores = pass().score(run, plugins, left, !options.explains() && !extenders.filter());
            // If the profile has no Score plugins, the total of each node is 1; if all of them were skipped, it is 0.
            long ofAll = extenders.isEmpty() && !profile.scores() ? 1 : 0;
            for (int p = 0; p < plugins.length; p++) {
                long weight = profile.weight(ExtensionPoint.SCORE, plugins[p]);
                if (!options.explains() && !plugins[p].normalizes()) {
                    addWeighted(plugins[p], scores[p], weight);
                    continue;
                }
                NodeScores normalized = plugins[p].normalize(run, state, pod, scoresOf(left, scores[p]));
                if (normalized.isUniform()) {
                    ofAll += normalized.score(0) * weight;
                } else {
                    for (int i = 0; i < count; i++) {
                        totals[i] += normalized.score(i) * weight;
                    }
                }
                if (options.explains()) {
                    scoresByPlugin.put(plugins[p].name(), weighted(normalized, weight));
                }
            }
            for (int i = 0; i < count; i++) {
                totals[i] += ofAll;
            }
            for (PluginCaller plugin : plugins) {
                run.evaluated(plugin.name(), count);
            }
            run.end(Code.SUCCESS);
        }
    }

    // Returns the Score plugins that PreScore did not skip.
    private PluginCaller[] preScore() {
        Set<String> skipped = new TreeSet<>();
        try (PointRun run = profile.begin(PluginMethod.PRE_SCORE)) {
            for (PluginCaller plugin : profile.at(ExtensionPoint.PRE_SCORE)) {
                if (plugin.preScore(run, state, pod, left).isSkip()) {
                    skipped.add(plugin.name());
                }
            }
            run.end(Code.SUCCESS);
        }
        return profile.without(ExtensionPoint.SCORE, skipped);
    }

    private void addWeighted(PluginCaller plugin, long[] scores, long weight) {
        long outside = 0;
        int count = left.size();
        long[] sums = totals;
        for (int i = 0; i < count; i++) {
            long score = scores[i];
            outside |= score | NodeScores.MAX - score;
            sums[i] += score * weight;
        }
        if (outside < 0) {
            for (int i = 0; i < count; i++) {
                plugin.checkRange(scores[i]);
            }
        }
    }

    private static NodeScores scoresOf(List<NodeInfo> nodes, long[] scores) {
        int count = nodes.size();
        for (int i = 0; i < count; i++) {
            if (scores[i] != scores[0]) {
                return NodeScores.of(nodes, Arrays.copyOf(scores, count));
            }
        }
        return NodeScores.uniform(nodes, scores[0]);
    }

    private static NodeScores weighted(NodeScores scores, long weight) {
        long[] weighted = scores.toArray();
        for (int i = 0; i < weighted.length; i++) {
            weighted[i] *= weight;
        }
        return scores.with(weighted);
    }

    // Returns random numbers of the nodes that an extender has scored, 0 for the others.
    private long[] addScoresOfExtenders() {
        long[] randoms = algorithm.randoms(left.size());
        if (extenders.isEmpty()) {
            return randoms;
        }
        Arrays.fill(randoms, 0, left.size(), 0);
        scoresOfExtenders = extenders.prioritize(pod, left);
        for (Extenders.ExtenderScores scores : scoresOfExtenders) {
            for (int i = 0; i < left.size(); i++) {
                Long score = scores.scores().get(left.get(i).name());
                if (score != null) {
                    totals[i] += score;
                    randoms[i] = algorithm.nextRandom();
                }
            }
        }
        return randoms;
    }

    /**
     * Returns the index of the highest total. Among equal totals it is the one with the highest random number; only
     * nodes that an extender has scored have one. Among the rest it is the one that kube-scheduler's heap brings to the
     * top, which is not always the first: for totals 1, 1, 9, 9 it is the last.
     */
    static int highest(long[] totals, long[] randoms, int count) {
        int best = 0;
        long turn = turn(0);
        for (int i = 1; i < count; i++) {
            if (totals[i] < totals[best]) {
                continue;
            }
            if (isBetter(i, best, totals, randoms) || !isBetter(best, i, totals, randoms) && turn(i) < turn) {
                best = i;
                turn = turn(i);
            }
        }
        return best;
    }

    // Among equal totals a parent stays above its children, and the whole branch of a left child comes before that of
    // its right sibling. So the first in a preorder walk comes to the top. Numbered from 1, the binary digits of an
    // index are the path to it, so the preorder is the order of these digits as text: first by the digits, then the
    // shorter text.
    private static long turn(int index) {
        int number = index + 1;
        int zeros = Integer.numberOfLeadingZeros(number);
        return Integer.toUnsignedLong(number << zeros) << Integer.SIZE >>> 1 | Integer.SIZE - zeros;
    }

    /** Like {@link #highest}, but chooses each of the equal ones with the same probability. */
    static int anyOfHighest(long[] totals, long[] randoms, int count, RandomGenerator random) {
        int best = 0;
        int equal = 1;
        for (int i = 1; i < count; i++) {
            if (isBetter(i, best, totals, randoms)) {
                best = i;
                equal = 1;
            } else if (!isBetter(best, i, totals, randoms)) {
                equal++;
            }
        }
        int chosen = best;
        for (int left = equal == 1 ? 0 : random.nextInt(equal); left > 0; left--) {
            do {
                chosen++;
            } while (totals[chosen] != totals[best] || randoms[chosen] != randoms[best]);
        }
        return chosen;
    }

    private static boolean isBetter(int first, int second, long[] totals, long[] randoms) {
        return totals[first] > totals[second] || totals[first] == totals[second] && randoms[first] > randoms[second];
    }

    /**
     * Returns the few nodes with the highest totals, the highest first; empty if no node was scored. Valid until the
     * next attempt.
     */
    public List<NodeTotal> best() {
        List<NodeTotal> best = new ArrayList<>(AttemptDetails.EXAMPLES + 1);
        long least = Long.MIN_VALUE;
        for (int i = 0; i < scored.size(); i++) {
            long total = totals[i];
            // Most nodes are no better than the worst of these.
            if (total <= least) {
                continue;
            }
            int place = best.size();
            while (place > 0 && best.get(place - 1).total() < total) {
                place--;
            }
            best.add(place, new NodeTotal(scored.get(i).name(), total));
            if (best.size() > AttemptDetails.EXAMPLES) {
                best.remove(AttemptDetails.EXAMPLES);
            }
            if (best.size() == AttemptDetails.EXAMPLES) {
                least = best.get(AttemptDetails.EXAMPLES - 1).total();
            }
        }
        return best;
    }

    private NodePass pass() {
        return Objects.requireNonNull(pass);
    }

    /** Returns the filters that PreFilter did not skip. */
    public PodFilters filters() {
        return Objects.requireNonNull(filters);
    }

    /** Returns the rejection of the pod as a whole by PreFilter, or null. */
    @Nullable
    PluginStatus rejection() {
        return rejection;
    }

    /** Returns the only nodes that PreFilter has left, or null for all. */
    @Nullable
    Set<String> nodeNames() {
        return nodeNames;
    }

    /** Returns whether PreFilter has left a node to filter. */
    boolean includes(String nodeName) {
        return nodeNames == null || nodeNames.contains(nodeName);
    }

    /** Returns the filtered nodes of an attempt that explains. */
    List<NodeInfo> nodes() {
        return nodes;
    }

    /** Returns the normalized and weighted scores of an attempt that explains, by plugin. */
    public Map<String, NodeScores> scoresByPlugin() {
        return scoresByPlugin;
    }

    /** Returns the scores that extenders have given to nodes. */
    List<Extenders.ExtenderScores> scoresOfExtenders() {
        return scoresOfExtenders;
    }
}
