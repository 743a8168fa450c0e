// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.NodeDraft;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PostFilterPlugin;
import org.moorage.api.plugin.PostFilterResult;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.DraftNode;
import org.moorage.runtime.internal.plugin.PluginCalls;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.moorage.runtime.plugin.ExtensionPoint;

/** A profile's plugins, and how those of the scheduling cycle are run. Immutable. */
public final class Profile {
    private final String name;
    private final OptionalInt percentageOfNodesToScore;
    private final Map<ExtensionPoint, List<Plugin>> plugins;
    private final PreFilterPlugin[] preFilters;
    private final ProfileFilter[] filters;
    private final PreScorePlugin[] preScores;
    private final ScorePlugin[] scores;
    private final long[] weights;
    private final List<SignPlugin> signPlugins;
    private final Supplier<Map<String, List<Pod>>> nominatedPods;
    private final SchedulerMetrics metrics;

    /**
     * A profile.
     *
     * @param name what pods name as their scheduler
     * @param percentageOfNodesToScore the profile's own percentage
     * @param plugins the plugins of each point, in order
     * @param weights the weight of each Score plugin, by name
     * @param nominatedPods the pods that are nominated now, by the name of the node; what it gave does not change
     * @param metrics is told how the plugins of the scheduling cycle are run
     */
    public Profile(
            String name,
            OptionalInt percentageOfNodesToScore,
            Map<ExtensionPoint, List<Plugin>> plugins,
            Map<String, Integer> weights,
            Supplier<Map<String, List<Pod>>> nominatedPods,
            SchedulerMetrics metrics) {
        this.name = name;
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.plugins = checked(plugins);
        preFilters = at(ExtensionPoint.PRE_FILTER, PreFilterPlugin.class).toArray(PreFilterPlugin[]::new);
        filters = at(ExtensionPoint.FILTER, FilterPlugin.class).stream()
                .map(ProfileFilter::new)
                .toArray(ProfileFilter[]::new);
        preScores = at(ExtensionPoint.PRE_SCORE, PreScorePlugin.class).toArray(PreScorePlugin[]::new);
        scores = at(ExtensionPoint.SCORE, ScorePlugin.class).toArray(ScorePlugin[]::new);
        this.weights = new long[scores.length];
        for (int i = 0; i < scores.length; i++) {
            this.weights[i] = weights.getOrDefault(scores[i].name(), 1);
        }
        Set<SignPlugin> signing = Collections.newSetFromMap(new IdentityHashMap<>());
        List<SignPlugin> inOrder = new ArrayList<>();
        for (ExtensionPoint point : List.of(ExtensionPoint.FILTER, ExtensionPoint.SCORE)) {
            for (Plugin plugin : plugins.getOrDefault(point, List.of())) {
                if (plugin instanceof SignPlugin sign && signing.add(sign)) {
                    inOrder.add(sign);
                }
            }
        }
        signPlugins = List.copyOf(inOrder);
        this.nominatedPods = nominatedPods;
        this.metrics = metrics;
    }

    /** Is told how the profile's plugins are run. */
    public SchedulerMetrics metrics() {
        return metrics;
    }

    /** What pods name as their scheduler. */
    public String name() {
        return name;
    }

    private static Map<ExtensionPoint, List<Plugin>> checked(Map<ExtensionPoint, List<Plugin>> plugins) {
        Map<ExtensionPoint, List<Plugin>> checked = new EnumMap<>(ExtensionPoint.class);
        plugins.forEach((point, atPoint) -> {
            for (Plugin plugin : atPoint) {
                if (!point.type().isInstance(plugin)) {
                    throw new IllegalArgumentException("plugin \"" + plugin.name() + "\" at " + point.field()
                            + " (expected: a " + point.type().getSimpleName() + ")");
                }
            }
            checked.put(point, List.copyOf(atPoint));
        });
        return checked;
    }

    /**
     * The plugins of a point, in order.
     *
     * @param type the point's interface
     */
    @SuppressWarnings(
            "unchecked") // the constructor has seen that all are of the point's type, and the list is immutable
    public <P> List<P> at(ExtensionPoint point, Class<P> type) {
        if (type != point.type()) {
            throw new IllegalArgumentException("type: " + type + " (expected: " + point.type() + ")");
        }
        return (List<P>) plugins.getOrDefault(point, List.of());
    }

    /**
     * The same profile with some of its plugins, at some extension points; at the others nobody is called. For a question about a
     * part of a cycle.
     *
     * @param names the names of the plugins
     */
    public Profile only(Set<ExtensionPoint> points, Set<String> names) {
        Map<ExtensionPoint, List<Plugin>> kept = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : points) {
            List<Plugin> atPoint = plugins.getOrDefault(point, List.of());
            kept.put(
                    point,
                    atPoint.stream()
                            .filter(plugin -> names.contains(plugin.name()))
                            .toList());
        }
        Map<String, Integer> weightByName = new HashMap<>();
        for (int i = 0; i < scores.length; i++) {
            weightByName.put(scores[i].name(), (int) weights[i]);
        }
        return new Profile(name, percentageOfNodesToScore, kept, weightByName, nominatedPods, metrics);
    }

    /** The Filter and Score plugins whose answers for pods that are alike are used again. */
    List<SignPlugin> signPlugins() {
        return signPlugins;
    }

    OptionalInt percentageOfNodesToScore() {
        return percentageOfNodesToScore;
    }

    boolean scores() {
        return scores.length > 0;
    }

    /**
     * What the PreFilter plugins answer together.
     *
     * @param rejection the rejection of the pod as a whole, or null
     * @param nodeNames the only nodes to look at, or null for all
     * @param namingPlugins the plugins that named nodes
     */
    record PreFiltered(
            @Nullable PluginStatus rejection, @Nullable Set<String> nodeNames, Set<String> namingPlugins) {}

    /** Runs PreFilter, and puts the filters that it did not skip into the state. */
    PreFiltered preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        return PluginTimes.of(this, "PreFilter")
                .time(
                        times -> runPreFilters(state, pod, snapshot, times),
                        answer -> answer.rejection() == null
                                ? Code.SUCCESS
                                : answer.rejection().status().code());
    }

    private PreFiltered runPreFilters(CycleState state, Pod pod, Snapshot snapshot, PluginTimes times) {
        Set<String> skipped = new TreeSet<>();
        Set<String> naming = new TreeSet<>();
        Set<String> nodeNames = null;
        PluginStatus rejection = null;
        for (PreFilterPlugin plugin : preFilters) {
            times.begin();
            PreFilterResult result = PluginCalls.preFilter(plugin, state, pod, snapshot);
            Status status = result.status();
            times.ran(plugin.name(), status.code());
            if (status.isSkip()) {
                skipped.add(plugin.name());
                continue;
            }
            metrics.pluginEvaluated(name, plugin.name(), "PreFilter", 1);
            if (status.isRejection()) {
                rejection = new PluginStatus(plugin.name(), status);
                if (status.code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                    naming.clear();
                    break;
                }
            } else if (result.nodeNames().isPresent()) {
                naming.add(plugin.name());
                Set<String> names = new TreeSet<>(result.nodeNames().get());
                if (nodeNames != null) {
                    names.retainAll(nodeNames);
                }
                nodeNames = names;
                if (names.isEmpty()) {
                    rejection = new PluginStatus("", noNodeLeft(naming));
                    break;
                }
            }
        }
        state.put(ActiveFilters.KEY, activeFilters(skipped));
        return new PreFiltered(rejection, nodeNames, naming);
    }

    private static Status noNodeLeft(Set<String> naming) {
        return Status.unresolvable(
                naming.size() == 1
                        ? "node(s) didn't satisfy plugin " + naming.iterator().next()
                        : "node(s) didn't satisfy plugin(s) [" + String.join(" ", naming) + "] simultaneously");
    }

    private ActiveFilters activeFilters(Set<String> skipped) {
        List<ProfileFilter> active = new ArrayList<>(filters.length);
        for (ProfileFilter filter : filters) {
            if (!skipped.contains(filter.name())) {
                active.add(filter);
            }
        }
        List<PreFilterExtensions> extensions = new ArrayList<>();
        for (PreFilterPlugin plugin : preFilters) {
            if (plugin instanceof PreFilterExtensions extended && !skipped.contains(plugin.name())) {
                extensions.add(extended);
            }
        }
        return new ActiveFilters(
                active.toArray(ProfileFilter[]::new),
                extensions.toArray(PreFilterExtensions[]::new),
                nominatedPods.get(),
                metrics.timesPlugins() ? metrics : null);
    }

    /**
     * Runs the filters for a node, once with the pods nominated to it and once without.
     *
     * @return the first rejection, or exactly {@link PluginStatus#SUCCESS}
     */
    PluginStatus filter(CycleState state, ActiveFilters active, Pod pod, NodeInfo node) {
        PluginStatus answer = filterWithNominatedPods(state, active, pod, node);
        return answer.isSuccess() ? filterOnce(state, active, pod, node) : answer;
    }

    /**
     * As {@link #filter(CycleState, ActiveFilters, Pod, NodeInfo)}, for the nodes from one index to before another.
     *
     * @param alike what is known of pods that are alike; null if all filters are to be asked
     * @param answers where the answers go
     */
    void filter(
            CycleState state,
            ActiveFilters active,
            Pod pod,
            List<NodeInfo> nodes,
            int from,
            int to,
            @Nullable EquivalenceClass alike,
            FilterAnswers answers) {
        if (from == to) {
            return;
        }
        if (active.times() != null) {
            for (int i = from; i < to; i++) {
                answers.set(i, filter(state, active, pod, nodes.get(i)));
            }
            return;
        }
        answers.clear(from, to);
        if (!active.nominated().isEmpty()) {
            for (int i = from; i < to; i++) {
                answers.set(i, filterWithNominatedPods(state, active, pod, nodes.get(i)));
            }
        }
        int first = 0;
        if (alike != null) {
            alike.filter(state, pod, nodes, from, to, answers);
            first = alike.filters();
        }
        ProfileFilter[] filters = active.filters();
        for (int i = first; i < filters.length && answers.isAnyLeft(from, to); i++) {
            filters[i].filter(state, pod, nodes, from, to, answers);
        }
    }

    // The answer with the pods nominated to the node, or a success if there are none that count.
    private PluginStatus filterWithNominatedPods(CycleState state, ActiveFilters active, Pod pod, NodeInfo node) {
        List<Pod> nominated = active.nominated().get(node.name());
        if (nominated == null) {
            return PluginStatus.SUCCESS;
        }
        Draft draft = new Draft(state, pod, node);
        boolean added = false;
        for (Pod other : nominated) {
            if (other.spec().priority() >= pod.spec().priority() && !other.uid().equals(pod.uid())) {
                draft.add(other);
                added = true;
            }
        }
        return added ? filterOnce(draft.state(), active, pod, draft.node()) : PluginStatus.SUCCESS;
    }

    private static PluginStatus filterOnce(CycleState state, ActiveFilters active, Pod pod, NodeInfo node) {
        if (active.times() != null) {
            return filterTimed(active.times(), state, active, pod, node);
        }
        for (ProfileFilter filter : active.filters()) {
            PluginStatus answer = filter.filter(state, pod, node);
            if (!answer.isSuccess()) {
                return answer;
            }
        }
        return PluginStatus.SUCCESS;
    }

    /**
     * Counts how often each filter was asked in a pass, without a count in the pass itself: a filter is not asked about the nodes that
     * one before it has rejected.
     *
     * @param answers the answers of the pass
     * @param nodes how many nodes there are
     * @param start the index of the node that was filtered first
     * @param count how many were filtered; after the last node comes the first
     */
    void filtered(ActiveFilters active, FilterAnswers answers, int nodes, int start, int count) {
        if (metrics == SchedulerMetrics.NONE) {
            return;
        }
        ProfileFilter[] asked = active.filters();
        int[] rejected = new int[asked.length];
        for (int i = 0; i < count; i++) {
            PluginStatus answer = answers.get((start + i) % nodes);
            if (answer.isSuccess()) {
                continue;
            }
            for (int f = 0; f < asked.length; f++) {
                if (asked[f].name().equals(answer.plugin())) {
                    rejected[f]++;
                    break;
                }
            }
        }
        int left = count;
        for (int f = 0; f < asked.length; f++) {
            metrics.pluginEvaluated(name, asked[f].name(), "Filter", left);
            left -= rejected[f];
        }
    }

    /** Counts the calls of Score for so many nodes. */
    void scored(Scorers scorers, int nodes) {
        for (ScorePlugin plugin : scorers.plugins()) {
            metrics.pluginEvaluated(name, plugin.name(), "Score", nodes);
        }
    }

    // As filterOnce, in a cycle whose plugins are timed.
    private static PluginStatus filterTimed(
            SchedulerMetrics metrics, CycleState state, ActiveFilters active, Pod pod, NodeInfo node) {
        for (ProfileFilter filter : active.filters()) {
            long start = System.nanoTime();
            PluginStatus answer = filter.filter(state, pod, node);
            metrics.pluginRan(filter.name(), "Filter", answer.status().code(), System.nanoTime() - start);
            if (!answer.isSuccess()) {
                return answer;
            }
        }
        return PluginStatus.SUCCESS;
    }

    /** As {@link #filter(CycleState, ActiveFilters, Pod, NodeInfo)}, for plugins that ask through their handle. */
    public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
        return filter(state, state.get(ActiveFilters.KEY), pod, node).status();
    }

    /**
     * Asks every filter about a node, also those after the first rejection. They may rely on what an earlier one has ruled
     * out, so what one throws is an error among the answers.
     *
     * @return the answers that are no success
     */
    List<PluginStatus> objections(CycleState state, Pod pod, NodeInfo node) {
        List<PluginStatus> objections = new ArrayList<>();
        for (ProfileFilter filter : state.get(ActiveFilters.KEY).filters()) {
            PluginStatus answer = filter.filterOrError(state, pod, node);
            if (!answer.isSuccess()) {
                objections.add(answer);
            }
        }
        return objections;
    }

    /** A copy of a node and of the state, to which pods can be added, and from which they can be removed. */
    public NodeDraft draft(CycleState state, Pod pod, NodeInfo node) {
        return new Draft(state, pod, node);
    }

    private static final class Draft implements NodeDraft {
        private final CycleState state;
        private final Pod pod;
        private final DraftNode node;

        Draft(CycleState original, Pod pod, NodeInfo node) {
            state = original.fork();
            this.pod = pod;
            this.node = ClusterSnapshot.draft(node);
        }

        @Override
        public NodeInfo node() {
            return node;
        }

        @Override
        public CycleState state() {
            return state;
        }

        @Override
        public void add(Pod added) {
            node.add(added);
            for (PreFilterExtensions plugin : state.get(ActiveFilters.KEY).extensions()) {
                PluginCalls.addPod(plugin, state, pod, added, node);
            }
        }

        @Override
        public void remove(Pod removed) {
            node.remove(removed);
            for (PreFilterExtensions plugin : state.get(ActiveFilters.KEY).extensions()) {
                PluginCalls.removePod(plugin, state, pod, removed, node);
            }
        }
    }

    /**
     * The Score plugins that PreScore did not skip.
     *
     * @param plugins the plugins
     * @param weights their weights
     * @param base each node's total before any plugin has scored it
     */
    record Scorers(ScorePlugin[] plugins, long[] weights, long base) {}

    /** Runs PreScore. */
    Scorers preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        return PluginTimes.of(this, "PreScore")
                .time(times -> runPreScores(state, pod, nodes, times), scorers -> Code.SUCCESS);
    }

    private Scorers runPreScores(CycleState state, Pod pod, List<NodeInfo> nodes, PluginTimes times) {
        Set<String> skipped = new TreeSet<>();
        for (PreScorePlugin plugin : preScores) {
            times.begin();
            Status status = PluginCalls.preScore(plugin, state, pod, nodes);
            times.ran(plugin.name(), status.code());
            if (status.isSkip()) {
                skipped.add(plugin.name());
            } else {
                metrics.pluginEvaluated(name, plugin.name(), "PreScore", 1);
            }
        }
        // In a profile without Score plugins each node's total is 1; where all of them were skipped, it is 0.
        long base = scores() ? 0 : 1;
        if (skipped.isEmpty()) {
            return new Scorers(scores, weights, base);
        }
        List<ScorePlugin> active = new ArrayList<>(scores.length);
        long[] activeWeights = new long[scores.length];
        for (int i = 0; i < scores.length; i++) {
            if (!skipped.contains(scores[i].name())) {
                activeWeights[active.size()] = weights[i];
                active.add(scores[i]);
            }
        }
        return new Scorers(active.toArray(ScorePlugin[]::new), activeWeights, base);
    }

    /**
     * What the PostFilter plugins answer together.
     *
     * @param plugin the plugin that made room, or the first that rejected
     * @param result its answer, with the reasons of all that rejected
     */
    public record PostFiltered(String plugin, PostFilterResult result) {}

    /**
     * Runs PostFilter until a plugin makes room, or answers that none can be made, and has plugins do what they decide.
     *
     * @return the answer, or null if the profile has no such plugin
     */
    public @Nullable PostFiltered postFilter(CycleState state, Pod pod, Diagnosis diagnosis) {
        return postFilter(state, pod, diagnosis, (plugin, result) -> PluginCalls.execute(plugin, state, pod, result));
    }

    /** As {@link #postFilter}, but nothing is done. */
    @Nullable
    PostFiltered decidePostFilter(CycleState state, Pod pod, Diagnosis diagnosis) {
        return postFilter(state, pod, diagnosis, (plugin, result) -> {});
    }

    private @Nullable PostFiltered postFilter(
            CycleState state, Pod pod, Diagnosis diagnosis, BiConsumer<PostFilterPlugin, PostFilterResult> execution) {
        return PluginTimes.of(this, "PostFilter")
                .<@Nullable PostFiltered>time(
                        times -> runPostFilters(state, pod, diagnosis, execution, times),
                        answer -> answer == null
                                ? Code.UNSCHEDULABLE
                                : answer.result().status().code());
    }

    private @Nullable PostFiltered runPostFilters(
            CycleState state,
            Pod pod,
            Diagnosis diagnosis,
            BiConsumer<PostFilterPlugin, PostFilterResult> execution,
            PluginTimes times) {
        List<String> reasons = new ArrayList<>();
        Nomination nomination = Nomination.keep();
        String first = "";
        for (PostFilterPlugin plugin : at(ExtensionPoint.POST_FILTER, PostFilterPlugin.class)) {
            times.begin();
            metrics.postFilterAttempted(plugin.name());
            PostFilterResult result = PluginCalls.postFilter(plugin, state, pod, diagnosis);
            execution.accept(plugin, result);
            Status status = result.status();
            times.ran(plugin.name(), status.code());
            if (!result.victims().isEmpty()) {
                metrics.preempted(result.victims().size());
            }
            if (status.isSuccess() || status.code() == Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                return new PostFiltered(plugin.name(), result);
            }
            if (result.nomination().overrides()) {
                nomination = result.nomination();
            }
            first = first.isEmpty() ? plugin.name() : first;
            reasons.addAll(status.reasons());
        }
        return first.isEmpty()
                ? null
                : new PostFiltered(
                        first,
                        PostFilterResult.rejected(Status.unschedulable(reasons.toArray(String[]::new)), nomination));
    }
}
