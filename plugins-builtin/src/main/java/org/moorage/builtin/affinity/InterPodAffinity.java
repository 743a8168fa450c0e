// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.EnqueueExtensions;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.PreFilterPlugin;
import org.moorage.api.plugin.PreFilterResult;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.builtin.labels.SelectorSyntax;

/**
 * Rejects nodes that are not near the pods that the pod must be near to, or too near to pods that it, or they, must be apart
 * from; and prefers nodes by the wishes of both sides. Same decisions as kube-scheduler's InterPodAffinity.
 */
public final class InterPodAffinity
        implements PreFilterPlugin, PreFilterExtensions, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "InterPodAffinity";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, InterPodAffinity.class, Args.class, InterPodAffinity::new);

    private static final Status NOT_NEAR = Status.unresolvable("node(s) didn't match pod affinity rules");
    private static final Status TOO_NEAR = Status.unschedulable("node(s) didn't match pod anti-affinity rules");
    private static final Status NOT_WELCOME =
            Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

    /**
     * The plugin's arguments.
     *
     * @param hardPodAffinityWeight how much it counts for a node that a pod there must be near to this one, from 0 to 100
     * @param ignorePreferredTermsOfExistingPods whether pods that have no wishes about other pods are left alone by those
     *     of others
     */
    public record Args(int hardPodAffinityWeight, boolean ignorePreferredTermsOfExistingPods) implements PluginArgs {
        /** What others must have counts a little, and their wishes count. */
        public static final Args DEFAULTS = new Args(1, false);

        @Override
        public void validate(Problems problems) {
            if (hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100) {
                problems.at("hardPodAffinityWeight").invalid(hardPodAffinityWeight, "0 to 100");
            }
        }
    }

    private static final StateKey<Neighbours> NEIGHBOURS = StateKey.of(NAME + "/neighbours");
    private static final StateKey<DomainSums> WEIGHTS = StateKey.of(NAME + "/weights");

    private final Args args;
    private final Handle handle;
    private final ObjectLister<Namespace> namespaces;

    InterPodAffinity(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        namespaces = handle.lister(ObjectKind.NAMESPACE);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        if (pod.spec().affinity().mentionsPods()) {
            List<String> problems = problems(pod.spec().affinity());
            if (!problems.isEmpty()) {
                return PreFilterResult.rejected(
                        Status.unresolvable("parsing pod: " + SelectorSyntax.together(problems)));
            }
        }
        Optional<Neighbours> neighbours = Neighbours.of(pod, labelsOfNamespace(pod), namespaces, snapshot);
        if (neighbours.isEmpty()) {
            return PreFilterResult.skip();
        }
        state.put(NEIGHBOURS, neighbours.get());
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(NEIGHBOURS, state.get(NEIGHBOURS).with(pod, added, node, 1, handle.snapshot()));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(NEIGHBOURS, state.get(NEIGHBOURS).with(pod, removed, node, -1, handle.snapshot()));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Neighbours neighbours = state.get(NEIGHBOURS);
        if (!neighbours.isNear(node)) {
            return NOT_NEAR;
        }
        if (neighbours.isTooNear(node)) {
            return TOO_NEAR;
        }
        return neighbours.isUnwelcome(node) ? NOT_WELCOME : Status.success();
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Snapshot snapshot = handle.snapshot();
        DomainSums.Builder weights = new DomainSums.Builder(snapshot);
        Wishes wishes = new Wishes(pod, namespaces, weights);
        if (args.ignorePreferredTermsOfExistingPods && wishes.isEmpty()) {
            return Status.skip();
        }
        TermsOfOthers others = new TermsOfOthers(pod, labelsOfNamespace(pod), weights, this::weigh);
        List<NodeInfo> all = wishes.isEmpty() ? snapshot.nodesWithAffinityPods() : snapshot.nodes();
        for (int i = 0; i < all.size(); i++) {
            NodeInfo node = all.get(i);
            wishes.add(node);
            List<Pod> withAffinity = node.podsWithAffinity();
            for (int j = 0; j < withAffinity.size(); j++) {
                others.add(withAffinity.get(j), node);
            }
        }
        if (!weights.isTouched()) {
            return Status.skip();
        }
        state.put(WEIGHTS, weights.build());
        return Status.success();
    }

    /** The sum of the weights of the terms that tie pods to a domain that the node is in. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return state.get(WEIGHTS).total(node);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < scores.size(); i++) {
            lowest = Math.min(lowest, scores.score(i));
            highest = Math.max(highest, scores.score(i));
        }
        long[] normalized = new long[scores.size()];
        if (highest > lowest) {
            double range = highest - lowest;
            for (int i = 0; i < normalized.length; i++) {
                normalized[i] = (long) (NodeScores.MAX * ((scores.score(i) - lowest) / range));
            }
        }
        return scores.with(normalized);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.of(
                        ClusterEvent.of(
                                EventResource.POD, ActionType.ADD, ActionType.UPDATE_POD_LABEL, ActionType.DELETE),
                        Pod.class,
                        InterPodAffinity::afterPodChange),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_LABEL),
                        Node.class,
                        InterPodAffinity::afterNodeChange));
    }

    private static Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        Optional<Pod> before = change.before();
        Optional<Pod> after = change.after();
        boolean isUpdate = before.isPresent() && after.isPresent();
        if (isUpdate && after.get().uid().equals(pod.uid())) {
            return Hint.QUEUE;
        }
        if (before.isPresent() && hasNoNode(before.get()) || after.isPresent() && hasNoNode(after.get())) {
            return Hint.SKIP;
        }
        if (areInvalid(pod)) {
            return Hint.QUEUE;
        }
        if (isUpdate) {
            return Hint.queueIf(!allSelect(near(pod), pod, before.get()) && allSelect(near(pod), pod, after.get())
                    || allSelect(apart(pod), pod, before.get()) && !allSelect(apart(pod), pod, after.get()));
        }
        if (after.isPresent()) {
            return Hint.queueIf(allSelect(near(pod), pod, after.get()));
        }
        Pod gone = change.latest();
        return Hint.queueIf(allSelect(apart(pod), pod, gone)
                || PodTerm.problem(apart(gone)).isPresent()
                || allSelect(apart(gone), gone, pod));
    }

    private static List<PodAffinityTerm> near(Pod pod) {
        return pod.spec().affinity().near().required();
    }

    private static List<PodAffinityTerm> apart(Pod pod) {
        return pod.spec().affinity().apart().required();
    }

    // Whoever has such terms is tried again, and told.
    private static boolean areInvalid(Pod pod) {
        return PodTerm.problem(near(pod)).isPresent()
                || PodTerm.problem(apart(pod)).isPresent();
    }

    private static boolean hasNoNode(Pod pod) {
        return !pod.isBound() && pod.status().nominatedNodeName().isEmpty();
    }

    // Here as in kube-scheduler the labels of namespaces are not looked up.
    private static boolean allSelect(List<PodAffinityTerm> terms, Pod owner, Pod pod) {
        for (PodAffinityTerm term : terms) {
            if (!PodTerm.selects(term, owner, pod, Map.of())) {
                return false;
            }
        }
        return !terms.isEmpty();
    }

    private static Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        Map<String, String> after = change.latest().labels();
        if (areInvalid(pod)) {
            return Hint.QUEUE;
        }
        if (change.before().isEmpty()) {
            // A node without the key is open to a pod that must be apart from others.
            return Hint.queueIf(!apart(pod).isEmpty()
                    || near(pod).stream().anyMatch(term -> after.containsKey(term.topologyKey())));
        }
        Map<String, String> before = change.before().get().labels();
        for (PodAffinityTerm term : near(pod)) {
            String value = after.get(term.topologyKey());
            if (value != null && !value.equals(before.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        for (PodAffinityTerm term : apart(pod)) {
            String value = before.get(term.topologyKey());
            if (value != null && !value.equals(after.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        return Hint.SKIP;
    }

    private static List<String> problems(Affinity affinity) {
        PodAffinity near = affinity.near();
        PodAffinity apart = affinity.apart();
        List<String> problems = new ArrayList<>();
        PodTerm.problem(near.required()).ifPresent(problem -> problems.add("requiredAffinityTerms: " + problem));
        PodTerm.problem(apart.required()).ifPresent(problem -> problems.add("requiredAntiAffinityTerms: " + problem));
        PodTerm.problem(PodTerm.unweighted(near.preferred()))
                .ifPresent(problem -> problems.add("preferredAffinityTerms: " + problem));
        PodTerm.problem(PodTerm.unweighted(apart.preferred()))
                .ifPresent(problem -> problems.add("preferredAntiAffinityTerms: " + problem));
        return problems;
    }

    private Map<String, String> labelsOfNamespace(Pod pod) {
        return namespaces
                .get("", pod.namespace())
                .map(namespace -> namespace.metadata().labels())
                .orElse(Map.of());
    }

    private void weigh(Affinity affinity, TermsOfOthers.Sink sink) {
        if (args.hardPodAffinityWeight > 0) {
            sink.take(affinity.near().required(), args.hardPodAffinityWeight);
        }
        sink.takeWeighted(affinity.near().preferred(), 1);
        sink.takeWeighted(affinity.apart().preferred(), -1);
    }
}
