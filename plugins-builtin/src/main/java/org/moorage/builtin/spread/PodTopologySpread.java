// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.LabelMatcher;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.builtin.labels.LabelSyntax;

/**
 * Rejects nodes on which the pod would violate one of its {@code DoNotSchedule} topology spread constraints, and scores
 * nodes by the {@code ScheduleAnyway} ones. Same decisions as kube-scheduler's PodTopologySpread.
 */
public final class PodTopologySpread
        implements PreFilterPlugin, PreFilterExtensions, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "PodTopologySpread";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, PodTopologySpread.class, Args.class, PodTopologySpread::new);

    private static final String REASON = "node(s) didn't match pod topology spread constraints";
    static final Status CONSTRAINTS_NOT_MATCHED = Status.unschedulable(REASON);
    static final Status LABEL_MISSING = Status.unresolvable(REASON + " (missing required label)");

    private static final String DO_NOT_SCHEDULE = "DoNotSchedule";
    private static final String SCHEDULE_ANYWAY = "ScheduleAnyway";
    private static final List<TopologySpreadConstraint> SYSTEM_CONSTRAINTS =
            List.of(systemConstraint("kubernetes.io/hostname", 3), systemConstraint("topology.kubernetes.io/zone", 5));

    private static TopologySpreadConstraint systemConstraint(String topologyKey, int maxSkew) {
        return new TopologySpreadConstraint(
                maxSkew, topologyKey, SCHEDULE_ANYWAY, Optional.empty(), OptionalInt.empty(), "", "", List.of());
    }

    /**
     * The plugin's arguments.
     *
     * @param defaultConstraints the constraints of pods that define none; their label selectors are those of each pod's
     *     services and controller
     * @param defaultingType {@link #SYSTEM} or {@link #LIST}
     */
    public record Args(List<TopologySpreadConstraint> defaultConstraints, String defaultingType) implements PluginArgs {
        /**
         * Pods without constraints get kube-scheduler's own: spread over nodes and zones, without rejecting any node.
         */
        public static final String SYSTEM = "System";
        /** Pods without constraints get the {@link #defaultConstraints}. */
        public static final String LIST = "List";
        /** Kube-scheduler's own constraints. */
        public static final Args DEFAULTS = new Args(List.of(), SYSTEM);

        public Args {
            defaultConstraints = List.copyOf(defaultConstraints);
            defaultingType = defaultingType.isEmpty() ? SYSTEM : defaultingType;
        }

        @Override
        public void validate(Problems problems) {
            if (!defaultingType.equals(SYSTEM) && !defaultingType.equals(LIST)) {
                problems.at("defaultingType").invalid(defaultingType, SYSTEM + " or " + LIST);
            } else if (defaultingType.equals(SYSTEM) && !defaultConstraints.isEmpty()) {
                problems.at("defaultingType").invalid(defaultingType, LIST + ", when there are defaultConstraints");
            }
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < defaultConstraints.size(); i++) {
                Problems at = problems.at("defaultConstraints").at(i);
                TopologySpreadConstraint constraint = defaultConstraints.get(i);
                validate(constraint, at);
                String name = "{" + constraint.topologyKey() + ", " + constraint.whenUnsatisfiable() + "}";
                if (!seen.add(name)) {
                    at.invalid(name, "no two constraints of one key and action");
                }
            }
        }

        private static void validate(TopologySpreadConstraint constraint, Problems problems) {
            if (constraint.maxSkew() <= 0) {
                problems.at("maxSkew").invalid(constraint.maxSkew(), "more than 0");
            }
            if (constraint.topologyKey().isEmpty()) {
                problems.at("topologyKey").missing("the key of a node label");
            } else if (!LabelSyntax.isKey(constraint.topologyKey())) {
                problems.at("topologyKey").invalid(constraint.topologyKey(), LabelSyntax.KEY);
            }
            if (constraint.whenUnsatisfiable().isEmpty()) {
                problems.at("whenUnsatisfiable").missing(DO_NOT_SCHEDULE + " or " + SCHEDULE_ANYWAY);
            } else if (!constraint.whenUnsatisfiable().equals(DO_NOT_SCHEDULE)
                    && !constraint.whenUnsatisfiable().equals(SCHEDULE_ANYWAY)) {
                problems.at("whenUnsatisfiable")
                        .invalid(constraint.whenUnsatisfiable(), DO_NOT_SCHEDULE + " or " + SCHEDULE_ANYWAY);
            }
            if (constraint.labelSelector().isPresent()) {
                problems.at("labelSelector").report("present (expected: nothing, it follows from each pod)");
            }
        }
    }

    private static final StateKey<TopologySpreadState> SPREAD_STATE = StateKey.of(NAME + "/spreadState");
    private static final StateKey<TopologySpreadScore> SPREAD_SCORE = StateKey.of(NAME + "/spreadScore");

    private final Handle handle;
    private final boolean usesSystemDefaults;
    private final List<TopologySpreadConstraint> defaultConstraints;
    private final Optional<DefaultSelector> defaultSelector;
    private final SpreadConstraint.Features features;
    private final IncludedNodes includedNodes = new IncludedNodes();

    PodTopologySpread(Args args, Handle handle) {
        this.handle = handle;
        features = SpreadConstraint.Features.of(handle.featureGates());
        usesSystemDefaults = args.defaultingType().equals(Args.SYSTEM);
        defaultConstraints = usesSystemDefaults ? SYSTEM_CONSTRAINTS : args.defaultConstraints();
        // Without default constraints the scheduler does not have to watch services and controllers.
        defaultSelector = defaultConstraints.isEmpty() ? Optional.empty() : Optional.of(new DefaultSelector(handle));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (handle.featureGates().isTriedForResize(pod)) {
            return PreFilterResult.skip();
        }
        List<SpreadConstraint> constraints = constraints(pod, DO_NOT_SCHEDULE);
        if (constraints.isEmpty()) {
            return PreFilterResult.skip();
        }
        state.put(SPREAD_STATE, TopologySpreadState.of(constraints, pod, snapshot, includedNodes));
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(SPREAD_STATE, state.get(SPREAD_STATE).with(pod, added, node, 1));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(SPREAD_STATE, state.get(SPREAD_STATE).with(pod, removed, node, -1));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return state.get(SPREAD_STATE).check(node);
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        List<SpreadConstraint> constraints = constraints(pod, SCHEDULE_ANYWAY);
        if (constraints.isEmpty()) {
            return Status.skip();
        }
        // The system defaults also spread pods over the nodes of a cluster without zones.
        boolean requiresAllTopologies = !pod.spec().topologySpreadConstraints().isEmpty() || !usesSystemDefaults;
        state.put(
                SPREAD_SCORE,
                new TopologySpreadScore(
                        constraints, pod, handle.snapshot(), nodes, requiresAllTopologies, includedNodes));
        return Status.success();
    }

    /** Returns the weighted number of matching pods in the node's domains; the lower, the better. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return state.get(SPREAD_SCORE).of(node);
    }

    @Override
    public Optional<ToLongFunction<NodeInfo>> nodeScorer(CycleState state, Pod pod) {
        return Optional.of(state.get(SPREAD_SCORE)::of);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return state.get(SPREAD_SCORE).normalized(scores);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(
                                EventResource.ASSIGNED_POD,
                                ActionType.ADD,
                                ActionType.UPDATE_POD_LABEL,
                                ActionType.DELETE),
                        Pod.class,
                        this::afterPodChange),
                EventRegistration.of(
                        ClusterEvent.of(
                                EventResource.TARGET_POD,
                                ActionType.UPDATE_POD_LABEL,
                                ActionType.UPDATE_POD_TOLERATION),
                        Pod.class,
                        this::afterOwnChange),
                EventRegistration.of(
                        ClusterEvent.of(
                                EventResource.NODE,
                                ActionType.ADD,
                                ActionType.DELETE,
                                ActionType.UPDATE_NODE_LABEL,
                                ActionType.UPDATE_NODE_TAINT),
                        Node.class,
                        this::afterNodeChange));
    }

    private Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        if (change.after().isPresent() && !isInvolved(pod, change.after().get())
                || change.before().isPresent()
                        && !isInvolved(pod, change.before().get())) {
            return Hint.SKIP;
        }
        List<SpreadConstraint> constraints = constraints(pod, DO_NOT_SCHEDULE);
        if (change.before().isEmpty() || change.after().isEmpty()) {
            Map<String, String> labels = change.latest().labels();
            return Hint.queueIf(constraints.stream()
                    .anyMatch(constraint -> constraint.selector().matches(labels)));
        }
        return Hint.queueIf(
                changesMatch(constraints, change.before().get(), change.after().get()));
    }

    private Hint afterOwnChange(Pod pod, ObjectChange<Pod> change) {
        Pod after = change.latest();
        Pod before = change.before().orElse(after);
        List<SpreadConstraint> constraints = constraints(pod, DO_NOT_SCHEDULE);
        boolean toleratesOthers =
                !after.spec().tolerations().equals(before.spec().tolerations());
        return Hint.queueIf(toleratesOthers && constraints.stream().anyMatch(SpreadConstraint::honorsNodeTaints)
                || changesMatch(constraints, before, after));
    }

    // Whether the pod counts for a constraint now and did not before, or the other way round.
    private static boolean changesMatch(List<SpreadConstraint> constraints, Pod before, Pod after) {
        for (SpreadConstraint constraint : constraints) {
            if (constraint.selector().matches(before.labels())
                    != constraint.selector().matches(after.labels())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInvolved(Pod pod, Pod changed) {
        return changed.isBoundOrNominated() && changed.namespace().equals(pod.namespace());
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        SpreadConstraint[] constraints = constraints(pod, DO_NOT_SCHEDULE).toArray(SpreadConstraint[]::new);
        if (change.before().isEmpty() || change.after().isEmpty()) {
            return Hint.queueIf(
                    SpreadConstraint.hasAllKeys(constraints, change.latest().labels()));
        }
        Node before = change.before().get();
        Node after = change.after().get();
        boolean matchesNow = SpreadConstraint.hasAllKeys(constraints, after.labels());
        if (matchesNow != SpreadConstraint.hasAllKeys(constraints, before.labels())) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(
                matchesNow && (!after.taints().equals(before.taints()) || changesDomain(constraints, before, after)));
    }

    private static boolean changesDomain(SpreadConstraint[] constraints, Node before, Node after) {
        for (SpreadConstraint constraint : constraints) {
            String domain = after.labels().getOrDefault(constraint.topologyKey(), "");
            if (!domain.equals(before.labels().getOrDefault(constraint.topologyKey(), ""))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the pod's constraints with one value of {@code whenUnsatisfiable}; the default ones if it has none at
     * all.
     */
    private List<SpreadConstraint> constraints(Pod pod, String whenUnsatisfiable) {
        List<TopologySpreadConstraint> own = pod.spec().topologySpreadConstraints();
        if (!own.isEmpty()) {
            try {
                return SpreadConstraint.of(own, whenUnsatisfiable, pod.labels(), features);
            } catch (IllegalArgumentException invalid) {
                String what = whenUnsatisfiable.equals(DO_NOT_SCHEDULE)
                        ? "get constraints from pod: obtaining pod's hard"
                        : "calculating preScoreState: obtaining pod's soft";
                throw new PluginException(what + " topology spread constraints: " + invalid.getMessage(), invalid);
            }
        }
        List<SpreadConstraint> constraints =
                SpreadConstraint.of(defaultConstraints, whenUnsatisfiable, pod.labels(), features);
        if (constraints.isEmpty() || defaultSelector.isEmpty()) {
            return List.of();
        }
        LabelMatcher selector = defaultSelector.get().of(pod);
        if (selector.matchesEverything()) {
            return List.of();
        }
        constraints.replaceAll(constraint -> constraint.withSelector(selector));
        return constraints;
    }
}
