// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Rejection;
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
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.DraftNode;
import org.moorage.runtime.plugin.ExtensionPoint;

/** A profile's plugins, and the rules by which each extension point calls them. Immutable. */
public final class Profile {
    private final String name;
    private final OptionalInt percentageOfNodesToScore;
    private final Map<ExtensionPoint, List<Plugin>> plugins;
    private final PreFilterPlugin[] preFilters;
    private final FilterPlugin[] filters;
    private final PreScorePlugin[] preScores;
    private final ScorePlugin[] scores;
    private final long[] weights;
    private final Function<String, List<Pod>> nominatedPods;

    /**
     * A profile.
     *
     * @param name what pods name as their scheduler
     * @param percentageOfNodesToScore the profile's own percentage
     * @param plugins the plugins of each point, in order
     * @param weights the weight of each Score plugin, by name
     * @param nominatedPods the pods nominated to a node, by its name
     */
    public Profile(
            String name,
            OptionalInt percentageOfNodesToScore,
            Map<ExtensionPoint, List<Plugin>> plugins,
            Map<String, Integer> weights,
            Function<String, List<Pod>> nominatedPods) {
        this.name = name;
        this.percentageOfNodesToScore = percentageOfNodesToScore;
        this.plugins = checked(plugins);
        preFilters = at(ExtensionPoint.PRE_FILTER, PreFilterPlugin.class).toArray(PreFilterPlugin[]::new);
        filters = at(ExtensionPoint.FILTER, FilterPlugin.class).toArray(FilterPlugin[]::new);
        preScores = at(ExtensionPoint.PRE_SCORE, PreScorePlugin.class).toArray(PreScorePlugin[]::new);
        scores = at(ExtensionPoint.SCORE, ScorePlugin.class).toArray(ScorePlugin[]::new);
        this.weights = new long[scores.length];
        for (int i = 0; i < scores.length; i++) {
            this.weights[i] = weights.getOrDefault(scores[i].name(), 1);
        }
        this.nominatedPods = nominatedPods;
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

    OptionalInt percentageOfNodesToScore() {
        return percentageOfNodesToScore;
    }

    boolean scores() {
        return scores.length > 0;
    }

    /** What the PreFilter plugins say together. */
    record PreFiltered(
            @Nullable Rejection rejection, @Nullable Set<String> nodeNames, Set<String> namingPlugins) {}

    /** Runs PreFilter, and notes in the state which filters have a say. */
    PreFiltered preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        Set<String> skipped = new TreeSet<>();
        Set<String> naming = new TreeSet<>();
        Set<String> nodeNames = null;
        Rejection rejection = null;
        for (PreFilterPlugin plugin : preFilters) {
            PreFilterResult result;
            try {
                result = plugin.preFilter(state, pod, snapshot);
            } catch (RuntimeException thrown) {
                throw new PluginFailure(
                        plugin.name(),
                        "running PreFilter plugin \"" + plugin.name() + "\": " + PluginFailure.text(thrown),
                        thrown);
            }
            Status status = result.status();
            if (status.isSkip()) {
                skipped.add(plugin.name());
            } else if (status.isRejection()) {
                rejection = new Rejection(plugin.name(), status);
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
                    String who = naming.size() == 1
                            ? "plugin " + naming.iterator().next()
                            : "plugin(s) [" + String.join(" ", naming) + "]";
                    String how = naming.size() == 1 ? "" : " simultaneously";
                    rejection = new Rejection("", Status.unresolvable("node(s) didn't satisfy " + who + how));
                    break;
                }
            }
        }
        state.put(ActiveFilters.KEY, notes(skipped));
        return new PreFiltered(rejection, nodeNames, naming);
    }

    private ActiveFilters notes(Set<String> skipped) {
        List<FilterPlugin> active = new ArrayList<>(filters.length);
        for (FilterPlugin plugin : filters) {
            if (!skipped.contains(plugin.name())) {
                active.add(plugin);
            }
        }
        List<PreFilterExtensions> extensions = new ArrayList<>();
        for (PreFilterPlugin plugin : preFilters) {
            if (plugin instanceof PreFilterExtensions extended && !skipped.contains(plugin.name())) {
                extensions.add(extended);
            }
        }
        return new ActiveFilters(active.toArray(FilterPlugin[]::new), extensions.toArray(PreFilterExtensions[]::new));
    }

    /**
     * Runs the filters for a node with regard to nominated pods.
     *
     * @return the place of the plugin that rejected among the state's filters, or -1
     */
    int filter(CycleState state, ActiveFilters notes, Pod pod, NodeInfo node, Status[] answers, int slot) {
        List<Pod> nominated = nominatedPods.apply(node.name());
        if (!nominated.isEmpty()) {
            Draft draft = new Draft(state, pod, node);
            boolean added = false;
            for (Pod other : nominated) {
                if (other.spec().priority() >= pod.spec().priority()
                        && !other.uid().equals(pod.uid())) {
                    draft.add(other);
                    added = true;
                }
            }
            if (added) {
                int rejecting = filterOnce(draft.state(), notes, pod, draft.node(), answers, slot);
                if (rejecting >= 0) {
                    return rejecting;
                }
            }
        }
        return filterOnce(state, notes, pod, node, answers, slot);
    }

    private int filterOnce(CycleState state, ActiveFilters notes, Pod pod, NodeInfo node, Status[] answers, int slot) {
        FilterPlugin[] active = notes.filters();
        for (int i = 0; i < active.length; i++) {
            Status status;
            try {
                status = active[i].filter(state, pod, node);
            } catch (RuntimeException thrown) {
                throw filterFailure(active[i], PluginFailure.text(thrown), thrown);
            }
            if (!status.isSuccess()) {
                if (!status.isRejection()) {
                    throw filterFailure(active[i], "answered " + status.code(), null);
                }
                answers[slot] = status;
                return i;
            }
        }
        answers[slot] = Status.success();
        return -1;
    }

    private static PluginFailure filterFailure(Plugin plugin, String what, @Nullable RuntimeException thrown) {
        return new PluginFailure(plugin.name(), "running \"" + plugin.name() + "\" filter plugin: " + what, thrown);
    }

    /** As {@link #filter}, for one node and plugins that ask through their handle. */
    public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
        Status[] answer = new Status[1];
        filter(state, state.get(ActiveFilters.KEY), pod, node, answer, 0);
        return answer[0];
    }

    /** A node and a state to try things on. */
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
                try {
                    plugin.addPod(state, pod, added, node);
                } catch (RuntimeException thrown) {
                    throw new PluginFailure(
                            plugin.name(),
                            "running AddPod on PreFilter plugin \"" + plugin.name() + "\": "
                                    + PluginFailure.text(thrown),
                            thrown);
                }
            }
        }

        @Override
        public void remove(Pod removed) {
            node.remove(removed);
            for (PreFilterExtensions plugin : state.get(ActiveFilters.KEY).extensions()) {
                try {
                    plugin.removePod(state, pod, removed, node);
                } catch (RuntimeException thrown) {
                    throw new PluginFailure(
                            plugin.name(),
                            "running RemovePod on PreFilter plugin \"" + plugin.name() + "\": "
                                    + PluginFailure.text(thrown),
                            thrown);
                }
            }
        }
    }

    /** The Score plugins that have a say about a pod, with their weights, and what a node has before any of them. */
    record Scorers(ScorePlugin[] plugins, long[] weights, long base) {}

    /** Runs PreScore. */
    Scorers preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Set<String> skipped = new TreeSet<>();
        for (PreScorePlugin plugin : preScores) {
            Status status;
            try {
                status = plugin.preScore(state, pod, nodes);
            } catch (RuntimeException thrown) {
                throw preScoreFailure(plugin, PluginFailure.text(thrown), thrown);
            }
            if (status.isSkip()) {
                skipped.add(plugin.name());
            } else if (!status.isSuccess()) {
                throw preScoreFailure(plugin, status.message(), null);
            }
        }
        if (skipped.isEmpty()) {
            // Where nobody scores, each node counts 1; where everybody happens to pass, it counts 0.
            return new Scorers(scores, weights, scores() ? 0 : 1);
        }
        List<ScorePlugin> active = new ArrayList<>(scores.length);
        long[] activeWeights = new long[scores.length];
        for (int i = 0; i < scores.length; i++) {
            if (!skipped.contains(scores[i].name())) {
                activeWeights[active.size()] = weights[i];
                active.add(scores[i]);
            }
        }
        return new Scorers(active.toArray(ScorePlugin[]::new), activeWeights, scores() ? 0 : 1);
    }

    private static PluginFailure preScoreFailure(Plugin plugin, String what, @Nullable RuntimeException thrown) {
        return new PluginFailure(plugin.name(), "running PreScore plugin \"" + plugin.name() + "\": " + what, thrown);
    }

    /** What the PostFilter plugins say together. */
    public record PostFiltered(String plugin, PostFilterResult result) {}

    /** Whether what PostFilter decides is also done. */
    public enum Deeds {
        /** It is done. */
        DONE,
        /** Somebody only wants to know. */
        ONLY_SAID
    }

    /**
     * Runs PostFilter until a plugin makes room, or says that none can be made.
     *
     * @return the answer, or null if the profile has no such plugin
     */
    public @Nullable PostFiltered postFilter(CycleState state, Pod pod, Diagnosis diagnosis, Deeds deeds) {
        List<String> reasons = new ArrayList<>();
        Nomination nomination = Nomination.keep();
        String first = "";
        for (PostFilterPlugin plugin : at(ExtensionPoint.POST_FILTER, PostFilterPlugin.class)) {
            PostFilterResult result;
            try {
                result = plugin.postFilter(state, pod, diagnosis);
                if (deeds == Deeds.DONE) {
                    plugin.execute(state, pod, result);
                }
            } catch (RuntimeException thrown) {
                // Unlike at other points, kube-scheduler puts no words of its own before the plugin's.
                throw new PluginFailure(plugin.name(), PluginFailure.text(thrown), thrown);
            }
            Status status = result.status();
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
