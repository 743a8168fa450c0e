// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.spread;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.builtin.labels.LabelSyntax;

/**
 * Rejects nodes on which the pod would make domains too unequal in the number of pods like it, and prefers those where
 * there are few. Same decisions as kube-scheduler's PodTopologySpread.
 */
public final class PodTopologySpread
        implements PreFilterPlugin, PreFilterExtensions, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "PodTopologySpread";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, PodTopologySpread.class, Args.class, PodTopologySpread::new);

    private static final String HARD = "DoNotSchedule";
    private static final String SOFT = "ScheduleAnyway";
    private static final String REASON = "node(s) didn't match pod topology spread constraints";
    private static final Status TOO_SKEWED = Status.unschedulable(REASON);
    private static final Status LACKS_LABEL = Status.unresolvable(REASON + " (missing required label)");

    private static final List<TopologySpreadConstraint> SYSTEM_CONSTRAINTS =
            List.of(systemConstraint("kubernetes.io/hostname", 3), systemConstraint("topology.kubernetes.io/zone", 5));

    private static TopologySpreadConstraint systemConstraint(String topologyKey, int maxSkew) {
        return new TopologySpreadConstraint(
                maxSkew, topologyKey, SOFT, Optional.empty(), OptionalInt.empty(), "", "", List.of());
    }

    /**
     * The plugin's arguments.
     *
     * @param defaultConstraints the constraints of pods that have none of their own; which pods are counted follows from
     *     each pod's services and controller
     * @param defaultingType {@link #SYSTEM} or {@link #LIST}
     */
    public record Args(List<TopologySpreadConstraint> defaultConstraints, String defaultingType) implements PluginArgs {
        /** Pods without constraints are spread a little over hosts and zones. */
        public static final String SYSTEM = "System";
        /** Pods without constraints have the {@link #defaultConstraints}. */
        public static final String LIST = "List";
        /** As the system has it. */
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
                problems.at("whenUnsatisfiable").missing(HARD + " or " + SOFT);
            } else if (!constraint.whenUnsatisfiable().equals(HARD)
                    && !constraint.whenUnsatisfiable().equals(SOFT)) {
                problems.at("whenUnsatisfiable").invalid(constraint.whenUnsatisfiable(), HARD + " or " + SOFT);
            }
            if (constraint.labelSelector().isPresent()) {
                problems.at("labelSelector").report("present (expected: nothing, it follows from each pod)");
            }
        }
    }

    private static final StateKey<Distribution> DISTRIBUTION = StateKey.of(NAME + "/distribution");
    private static final StateKey<SpreadScore> SCORE = StateKey.of(NAME + "/score");

    private final Handle handle;
    private final boolean isSystemDefaulted;
    private final List<TopologySpreadConstraint> defaults;
    private final Optional<OwnPods> ownPods;
    private final Constraint.Rules rules;

    PodTopologySpread(Args args, Handle handle) {
        this.handle = handle;
        rules = Constraint.Rules.of(handle.featureGates());
        isSystemDefaulted = args.defaultingType().equals(Args.SYSTEM);
        defaults = isSystemDefaulted ? SYSTEM_CONSTRAINTS : args.defaultConstraints();
        // Without defaults nobody needs to watch services and controllers.
        ownPods = defaults.isEmpty() ? Optional.empty() : Optional.of(new OwnPods(handle));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        List<Constraint> constraints = constraints(pod, HARD);
        if (constraints.isEmpty()) {
            return PreFilterResult.skip();
        }
        state.put(DISTRIBUTION, Distribution.of(constraints, pod, snapshot));
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(DISTRIBUTION, state.get(DISTRIBUTION).plus(pod, added, node, 1));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(DISTRIBUTION, state.get(DISTRIBUTION).plus(pod, removed, node, -1));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return switch (state.get(DISTRIBUTION).check(node)) {
            case FITS -> Status.success();
            case TOO_SKEWED -> TOO_SKEWED;
            case LACKS_LABEL -> LACKS_LABEL;
        };
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        List<Constraint> constraints = constraints(pod, SOFT);
        if (constraints.isEmpty()) {
            return Status.skip();
        }
        // The system's constraints also spread pods over the hosts of a cluster without zones.
        boolean needsAllKeys = !pod.spec().topologySpreadConstraints().isEmpty() || !isSystemDefaulted;
        state.put(SCORE, new SpreadScore(constraints, pod, handle.snapshot(), nodes, needsAllKeys));
        return Status.success();
    }

    /** The number of like pods in the node's domains, weighted; the fewer, the better. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return state.get(SCORE).of(node, pod);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return state.get(SCORE).normalized(scores);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(
                                EventResource.POD,
                                ActionType.ADD,
                                ActionType.UPDATE_POD_LABEL,
                                ActionType.UPDATE_POD_TOLERATION,
                                ActionType.DELETE),
                        Pod.class,
                        this::afterPodChange),
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
        if (change.after().isPresent() && !concerns(pod, change.after().get())
                || change.before().isPresent() && !concerns(pod, change.before().get())) {
            return Hint.SKIP;
        }
        List<Constraint> constraints = constraints(pod, HARD);
        if (change.before().isEmpty() || change.after().isEmpty()) {
            Map<String, String> labels = change.latest().labels();
            return Hint.queueIf(constraints.stream()
                    .anyMatch(constraint -> constraint.selector().matches(labels)));
        }
        Pod before = change.before().get();
        Pod after = change.after().get();
        if (after.uid().equals(pod.uid())
                && !after.spec().tolerations().equals(before.spec().tolerations())
                && constraints.stream().anyMatch(Constraint::honorsTaints)) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(constraints.stream()
                .anyMatch(constraint -> constraint.selector().matches(before.labels())
                        != constraint.selector().matches(after.labels())));
    }

    private static boolean concerns(Pod pod, Pod changed) {
        return changed.uid().equals(pod.uid())
                || (changed.isBound() || !changed.status().nominatedNodeName().isEmpty())
                        && changed.namespace().equals(pod.namespace());
    }

    private Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        Constraint[] constraints = constraints(pod, HARD).toArray(Constraint[]::new);
        if (change.before().isEmpty() || change.after().isEmpty()) {
            return Hint.queueIf(Constraint.haveKeys(constraints, change.latest().labels()));
        }
        Node before = change.before().get();
        Node after = change.after().get();
        boolean hasKeys = Constraint.haveKeys(constraints, after.labels());
        if (hasKeys != Constraint.haveKeys(constraints, before.labels())) {
            return Hint.QUEUE;
        }
        return Hint.queueIf(
                hasKeys && (!after.taints().equals(before.taints()) || areElsewhere(constraints, before, after)));
    }

    private static boolean areElsewhere(Constraint[] constraints, Node before, Node after) {
        for (Constraint constraint : constraints) {
            String domain = after.labels().getOrDefault(constraint.topologyKey(), "");
            if (!domain.equals(before.labels().getOrDefault(constraint.topologyKey(), ""))) {
                return true;
            }
        }
        return false;
    }

    /** The pod's own constraints of a sort; the default ones if it has none at all. */
    private List<Constraint> constraints(Pod pod, String whenUnsatisfiable) {
        List<TopologySpreadConstraint> own = pod.spec().topologySpreadConstraints();
        if (!own.isEmpty()) {
            try {
                return Constraint.of(own, whenUnsatisfiable, pod.labels(), rules);
            } catch (IllegalArgumentException invalid) {
                String what = whenUnsatisfiable.equals(HARD)
                        ? "get constraints from pod: obtaining pod's hard"
                        : "calculating preScoreState: obtaining pod's soft";
                throw new IllegalArgumentException(
                        what + " topology spread constraints: " + invalid.getMessage(), invalid);
            }
        }
        List<Constraint> constraints = Constraint.of(defaults, whenUnsatisfiable, pod.labels(), rules);
        if (constraints.isEmpty() || ownPods.isEmpty()) {
            return List.of();
        }
        LabelMatcher selector = ownPods.get().of(pod);
        if (selector.takesEverything()) {
            return List.of();
        }
        constraints.replaceAll(constraint -> constraint.withSelector(selector));
        return constraints;
    }
}
