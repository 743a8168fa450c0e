// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.config.SchedulerConfig;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeTotal;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginFailure;

/**
 * Finds a node for a pod: PreFilter, Filter on a rotating part of the cluster, extenders, PreScore, Score, extenders again, choice.
 *
 * <p>The order of the feasible nodes, and so the choice among equals, is the one that kube-scheduler has with a parallelism
 * of 1, whatever the number of threads. An instance serves one cycle at a time.
 */
public final class SchedulingAlgorithm {
    private static final Log LOG = Log.of(SchedulingAlgorithm.class);

    private final int percentageOfNodesToScore;
    private final Parallelism parallelism;
    private final Extenders extenders;
    private final RandomGenerator random;
    private boolean randomTies;
    // Read by whoever takes over from a cycle that does not end.
    private volatile int nextStart;

    private final EquivalenceCache equivalenceCache = new EquivalenceCache();
    // Working memory, kept from cycle to cycle.
    private final FilterRun.Answers answers = new FilterRun.Answers();
    private final ScoreRun scoreRun;
    private long[] randoms = new long[0];
    // The nodes that the last cycle has scored, and their totals.
    private List<NodeInfo> scoredNodes = List.of();
    private long[] scoredTotals = new long[0];

    /**
     * An algorithm.
     *
     * @param percentageOfNodesToScore for profiles that have none of their own; 0 adapts to the cluster's size
     * @param firstNode the index of the node that the first cycle begins with
     * @param parallelism how passes over nodes run
     * @param extenders who has a say beside the plugins
     * @param random chooses among equals that an extender has scored
     * @param randomTies whether it chooses among all equals
     */
    public SchedulingAlgorithm(
            int percentageOfNodesToScore,
            int firstNode,
            Parallelism parallelism,
            Extenders extenders,
            RandomGenerator random,
            boolean randomTies) {
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.parallelism = parallelism;
        this.extenders = extenders;
        this.random = random;
        this.randomTies = randomTies;
        nextStart = firstNode;
        scoreRun = new ScoreRun(parallelism, extenders);
    }

    /** The index of the node that the next cycle begins with. */
    public int nextNode() {
        return nextStart;
    }

    /** Sets the index of the node that the next cycle begins with. */
    public void nextNode(int index) {
        nextStart = index;
    }

    /** Sets whether the next cycles choose at random among all equals. */
    public void randomTies(boolean value) {
        randomTies = value;
    }

    /**
     * The result: the chosen node, or a diagnosis.
     *
     * @param node the chosen node, or null
     * @param score its total; 0 if it was the only feasible node, which is not scored
     * @param evaluated how many nodes were looked at
     * @param feasible how many of those were feasible
     * @param diagnosis why there is no node, or null
     */
    public record Result(
            @Nullable NodeInfo node,
            long score,
            int evaluated,
            int feasible,
            @Nullable Diagnosis diagnosis) {
        private static Result none(Diagnosis diagnosis, int evaluated) {
            return new Result(null, 0, evaluated, 0, diagnosis);
        }
    }

    /**
     * Finds a node.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public Result find(Profile profile, CycleState state, Pod pod, TrialSnapshot snapshot) {
        return find(profile, state, pod, snapshot, null);
    }

    /**
     * As {@link #find(Profile, CycleState, Pod, TrialSnapshot)}. A recorder is shown each of its nodes: the cycle neither samples nor stops
     * at the nominated node, scores also a single feasible node, runs PreFilter also if there are no nodes, and the next cycle
     * starts where it would have started without this one.
     */
    Result find(Profile profile, CycleState state, Pod pod, TrialSnapshot snapshot, @Nullable CycleRecorder recorder) {
        scoredNodes = List.of();
        List<NodeInfo> all = snapshot.candidates();
        if (all.isEmpty() && recorder == null) {
            return Result.none(Diagnosis.ofNoNodes(), 0);
        }
        FilterRun filterRun = FilterRun.preFilter(profile, state, pod, snapshot);
        if (recorder != null) {
            recorder.preFiltered(filterRun);
        }
        if (all.isEmpty()) {
            return Result.none(Diagnosis.ofNoNodes(), 0);
        }
        PluginStatus rejection = filterRun.rejection();
        if (rejection != null) {
            return Result.none(Diagnosis.ofPreFilter(all, rejection, filterRun.namingPlugins()), 0);
        }
        NodeInfo nominated =
                snapshot.candidate(pod.status().nominatedNodeName()).orElse(null);
        Diagnosis.NominatedNode nominatedRejected = null;
        Map<String, Status> ofNominated = new HashMap<>();
        if (nominated != null) {
            PluginStatus answer = filterNominated(filterRun, state, pod, nominated);
            if (answer.isSuccess() && isLeftByExtenders(pod, nominated, ofNominated) && recorder == null) {
                return new Result(nominated, 0, 1 + ofNominated.size(), 1, null);
            }
            if (answer.isRejection()) {
                nominatedRejected = new Diagnosis.NominatedNode(nominated, answer);
            }
        }
        Set<String> recorded = new HashSet<>(ofNominated.keySet());
        if (nominatedRejected != null) {
            recorded.add(nominatedRejected.node().name());
        }
        EquivalenceCache.Alike alike = recorder == null ? equivalenceCache.find(profile, pod) : null;
        List<NodeInfo> nodes = recorder == null
                ? narrow(snapshot, filterRun.nodeNames())
                : narrow(recorder.nodes(snapshot), filterRun.nodeNames());
        Feasible feasible = filter(profile, filterRun, nodes, snapshot, recorded, alike, recorder);
        Map<String, Status> byExtenders = new HashMap<>();
        List<NodeInfo> left = extenders.filter() ? extenders.filter(pod, feasible.nodes, byExtenders) : feasible.nodes;
        recorded.addAll(byExtenders.keySet());
        if (extenders.filter() && recorder != null) {
            recorder.extended(left, byExtenders);
        }
        int rejected = recorded(nodes, feasible, recorded);
        if (left.isEmpty()) {
            Diagnosis diagnosis = Diagnosis.ofFilter(all, filterRun.namingPlugins(), nominatedRejected);
            diagnosis.extended(ofNominated);
            diagnose(diagnosis, nodes, feasible, byExtenders);
            return Result.none(diagnosis, rejected);
        }
        int evaluated = left.size() + rejected;
        if (left.size() == 1 && recorder == null) {
            return new Result(left.get(0), 0, evaluated, 1, null);
        }
        // An extender may answer with nodes as it knows them, in an order of its own.
        EquivalenceCache.Alike scored = extenders.filter() ? null : alike;
        long[] totals = scoreRun.score(profile, state, pod, left, scored, recorder);
        addScoresOfExtenders(totals, pod, left, recorder);
        scoredNodes = left;
        scoredTotals = totals;
        int chosen = randomTies
                ? HostSelection.anyOfHighest(totals, randoms, left.size(), random)
                : HostSelection.highest(totals, randoms, left.size());
        return new Result(left.get(chosen), totals[chosen], evaluated, left.size(), null);
    }

    /** The nodes that had the highest totals in the last cycle, the highest first, and only a few; none if it has scored none. */
    public List<NodeTotal> best() {
        List<NodeTotal> best = new ArrayList<>(AttemptDetails.EXAMPLES + 1);
        long least = Long.MIN_VALUE;
        for (int i = 0; i < scoredNodes.size(); i++) {
            long total = scoredTotals[i];
            // Most nodes are no better than the worst of these.
            if (total <= least) {
                continue;
            }
            int place = best.size();
            while (place > 0 && best.get(place - 1).total() < total) {
                place--;
            }
            best.add(place, new NodeTotal(scoredNodes.get(i).name(), total));
            if (best.size() > AttemptDetails.EXAMPLES) {
                best.remove(AttemptDetails.EXAMPLES);
            }
            if (best.size() == AttemptDetails.EXAMPLES) {
                least = best.get(AttemptDetails.EXAMPLES - 1).total();
            }
        }
        return best;
    }

    /**
     * Asks about all nodes, and scores and chooses none. The next cycle starts where it would have started without this one.
     *
     * @throws PluginFailure if a plugin fails
     * @throws ExtenderException if an extender fails that is not ignorable
     */
    public FittingNodes fits(Profile profile, CycleState state, Pod pod, TrialSnapshot snapshot) {
        List<NodeInfo> all = snapshot.candidates();
        if (all.isEmpty()) {
            return FittingNodes.none();
        }
        FilterRun filterRun = FilterRun.preFilter(profile, state, pod, snapshot);
        PluginStatus rejection = filterRun.rejection();
        if (rejection != null) {
            return FittingNodes.ofPod(
                    all,
                    rejection,
                    Diagnosis.ofPreFilter(all, rejection, filterRun.namingPlugins())
                            .message("")
                            .text());
        }
        List<NodeInfo> nodes = narrow(snapshot, filterRun.nodeNames());
        int count = nodes.size();
        Feasible feasible = new Feasible(List.of(), 0, 0, 0);
        if (count > 0) {
            EquivalenceCache.Alike alike = equivalenceCache.find(profile, pod);
            feasible = collect(nodes, 0, count, filterRun.filter(nodes, 0, count, answers, alike, parallelism));
        }
        Map<String, Status> byExtenders = new HashMap<>();
        List<NodeInfo> left = extenders.filter() ? extenders.filter(pod, feasible.nodes, byExtenders) : feasible.nodes;
        String message = "";
        if (left.isEmpty()) {
            Diagnosis diagnosis = Diagnosis.ofFilter(all, filterRun.namingPlugins(), null);
            diagnose(diagnosis, nodes, feasible, byExtenders);
            message = diagnosis.message("").text();
        }
        return FittingNodes.of(all, filterRun, nodes, answers, left, byExtenders, message);
    }

    // Adds why none of the nodes that were filtered is left.
    private void diagnose(
            Diagnosis diagnosis, List<NodeInfo> nodes, Feasible feasible, Map<String, Status> byExtenders) {
        int index = feasible.start;
        for (int i = 0; i < feasible.visited; i++, index = next(index, nodes.size())) {
            if (!answers.isSuccess(index)) {
                diagnosis.reject(nodes.get(index), answers.get(index));
            }
        }
        diagnosis.extended(byExtenders);
        if (!feasible.nodes.isEmpty()) {
            diagnosis.addExtenderAsRejector();
        }
    }

    // As in kube-scheduler a failure is only logged, because the node is asked about again among the others.
    private boolean isLeftByExtenders(Pod pod, NodeInfo nominated, Map<String, Status> statuses) {
        if (!extenders.filter()) {
            return true;
        }
        try {
            return !extenders.filter(pod, List.of(nominated), statuses).isEmpty();
        } catch (ExtenderException failure) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", nominated.name())
                    .setCause(failure)
                    .log("Evaluation failed on nominated node");
            return false;
        }
    }

    private void addScoresOfExtenders(long[] totals, Pod pod, List<NodeInfo> nodes, @Nullable CycleRecorder recorder) {
        int count = nodes.size();
        if (randoms.length < count) {
            randoms = new long[count];
        }
        if (extenders.isEmpty()) {
            return;
        }
        Arrays.fill(randoms, 0, count, 0);
        for (Extenders.Scores scores : extenders.prioritize(pod, nodes)) {
            for (int i = 0; i < count; i++) {
                Long score = scores.scores().get(nodes.get(i).name());
                if (score != null) {
                    totals[i] += score;
                    randoms[i] = random.nextLong(Long.MAX_VALUE);
                }
            }
            if (recorder != null) {
                recorder.scored(scores);
            }
        }
    }

    // How many nodes have a status.
    private int recorded(List<NodeInfo> nodes, Feasible feasible, Set<String> others) {
        int count = others.size();
        if (count == 0) {
            return feasible.rejected;
        }
        int index = feasible.start;
        for (int i = 0; i < feasible.visited; i++, index = next(index, nodes.size())) {
            count +=
                    answers.isSuccess(index) || others.contains(nodes.get(index).name()) ? 0 : 1;
        }
        return count;
    }

    // As in kube-scheduler a failure is only logged, because the node is filtered again among the others.
    private static PluginStatus filterNominated(FilterRun filterRun, CycleState state, Pod pod, NodeInfo node) {
        try {
            return filterRun.filter(state, node);
        } catch (PluginFailure failure) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", node.name())
                    .addKeyValue("plugin", failure.plugin())
                    .setCause(failure)
                    .log("Evaluation failed on nominated node");
            return PluginStatus.error(failure.plugin(), failure.getMessage());
        }
    }

    // A few nodes, as for a pod of a daemon set, are looked up.
    private static List<NodeInfo> narrow(TrialSnapshot snapshot, @Nullable Set<String> names) {
        if (names == null || names.size() > snapshot.candidates().size() / 8) {
            return narrow(snapshot.candidates(), names);
        }
        List<NodeInfo> narrowed = new ArrayList<>(names.size());
        for (String name : names) {
            snapshot.candidate(name).ifPresent(narrowed::add);
        }
        narrowed.sort(Comparator.comparingInt(NodeInfo::index));
        return narrowed;
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

    /**
     * What came of Filter.
     *
     * @param nodes the feasible nodes
     * @param rejected how many nodes were rejected
     * @param start the index of the node that was filtered first
     * @param visited how many nodes were filtered; their answers are in the working memory
     */
    private record Feasible(List<NodeInfo> nodes, int rejected, int start, int visited) {}

    private Feasible filter(
            Profile profile,
            FilterRun filterRun,
            List<NodeInfo> nodes,
            TrialSnapshot snapshot,
            Set<String> recorded,
            EquivalenceCache.@Nullable Alike alike,
            @Nullable CycleRecorder recorder) {
        int count = nodes.size();
        if (count == 0) {
            return new Feasible(List.of(), 0, 0, 0);
        }
        int wanted = recorder != null ? count : feasibleNodesToFind(count, profile);
        int start = recorder != null ? 0 : nextStart;
        int filtered = filterRun.filter(nodes, start, wanted, answers, alike, parallelism);
        Feasible feasible = collect(nodes, start, wanted, filtered);
        if (recorder == null) {
            nextStart = (start + feasible.nodes.size() + recorded(nodes, feasible, recorded))
                    % snapshot.candidates().size();
        } else {
            for (int i = 0; i < count; i++) {
                recorder.filtered(nodes.get(i), answers.get(i));
            }
        }
        return feasible;
    }

    // Reads the answers in the order of rotation as if there had been one thread.
    private Feasible collect(List<NodeInfo> nodes, int start, int wanted, int filtered) {
        int count = nodes.size();
        List<NodeInfo> feasible = new ArrayList<>(Math.min(wanted, filtered));
        int rejected = 0;
        int first = start % count;
        // In most clusters nearly all nodes would do.
        int most = Math.min(wanted, filtered);
        int beforeWrap = answers.firstRejected(first, Math.min(count, first + most)) - first;
        int afterWrap = first + beforeWrap == count ? answers.firstRejected(0, most - beforeWrap) : 0;
        feasible.addAll(nodes.subList(first, first + beforeWrap));
        feasible.addAll(nodes.subList(0, afterWrap));
        int visited = beforeWrap + afterWrap;
        for (int index = (first + visited) % count; visited < filtered; visited++, index = next(index, count)) {
            if (answers.isSuccess(index)) {
                if (feasible.size() == wanted) {
                    break;
                }
                feasible.add(nodes.get(index));
            } else {
                rejected++;
            }
        }
        return new Feasible(feasible, rejected, first, visited);
    }

    // After the last node comes the first.
    private static int next(int index, int count) {
        return index + 1 == count ? 0 : index + 1;
    }

    private int feasibleNodesToFind(int nodes, Profile profile) {
        if (!profile.scores() && !extenders.filter() && !extenders.prioritize()) {
            return 1;
        }
        return SchedulerConfig.feasibleNodesToFind(
                nodes, profile.percentageOfNodesToScore().orElse(percentageOfNodesToScore));
    }
}
