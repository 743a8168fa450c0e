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
import org.moorage.api.plugin.SignPlugin;
import org.moorage.api.plugin.Signature;
import org.moorage.builtin.SelectorSyntax;

/**
 * Rejects nodes that are not near the pods that the pod must be near to, or too near to pods that it, or they, must be apart
 * from; and prefers nodes by the wishes of both sides. Same decisions as kube-scheduler's InterPodAffinity.
 */
public final class InterPodAffinity
        implements PreFilterPlugin,
                PreFilterExtensions,
                FilterPlugin,
                PreScorePlugin,
                ScorePlugin,
                EnqueueExtensions,
                SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "InterPodAffinity";

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

    /**
     * Where the pods are that matter to the pod to schedule.
     *
     * @param affinity its terms about pods to be near to
     * @param antiAffinity its terms about pods to be apart from
     * @param isOwnNeighbour whether all of its terms about pods to be near to select the pod itself
     * @param namespaceLabels the labels of its namespace
     * @param wanted pods that all its terms select, counted once for each term
     * @param unwanted pods that it must be apart from
     * @param averse pods that must be apart from it
     */
    private record Neighbours(
            PodTerm[] affinity,
            PodTerm[] antiAffinity,
            boolean isOwnNeighbour,
            Map<String, String> namespaceLabels,
            DomainSums wanted,
            DomainSums unwanted,
            DomainSums averse) {}

    private final Args args;
    private final Handle handle;
    private final ObjectLister<Namespace> namespaces;

    private InterPodAffinity(Args args, Handle handle) {
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
        Map<String, String> namespaceLabels = labelsOfNamespace(pod);
        DomainSums averse = averse(pod, namespaceLabels, snapshot);
        PodTerm[] affinity = PodTerm.of(requiredAffinity(pod), pod, namespaces);
        PodTerm[] antiAffinity = PodTerm.of(requiredAntiAffinity(pod), pod, namespaces);
        if (averse.isEmpty() && affinity.length == 0 && antiAffinity.length == 0) {
            return PreFilterResult.skip();
        }
        DomainSums.Builder wanted = new DomainSums.Builder(snapshot);
        DomainSums.Builder unwanted = new DomainSums.Builder(snapshot);
        int[] wantedKeys = PodTerm.keys(affinity, wanted);
        int[] unwantedKeys = PodTerm.keys(antiAffinity, unwanted);
        if (affinity.length > 0 || antiAffinity.length > 0) {
            List<NodeInfo> nodes = snapshot.nodes();
            for (int i = 0; i < nodes.size(); i++) {
                NodeInfo node = nodes.get(i);
                List<Pod> pods = node.pods();
                for (int j = 0; j < pods.size(); j++) {
                    Pod other = pods.get(j);
                    if (PodTerm.allSelect(affinity, other)) {
                        for (int key : wantedKeys) {
                            wanted.add(key, node, 1);
                        }
                    }
                    for (int k = 0; k < antiAffinity.length; k++) {
                        if (antiAffinity[k].selects(other)) {
                            unwanted.add(unwantedKeys[k], node, 1);
                        }
                    }
                }
            }
        }
        state.put(
                NEIGHBOURS,
                new Neighbours(
                        affinity,
                        antiAffinity,
                        PodTerm.allSelect(affinity, pod),
                        namespaceLabels,
                        wanted.build(),
                        unwanted.build(),
                        averse));
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(NEIGHBOURS, changed(state.get(NEIGHBOURS), pod, added, node, 1));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(NEIGHBOURS, changed(state.get(NEIGHBOURS), pod, removed, node, -1));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Neighbours neighbours = state.get(NEIGHBOURS);
        if (!isNear(neighbours, node)) {
            return NOT_NEAR;
        }
        if (neighbours.unwanted.isAnyPositive(node)) {
            return TOO_NEAR;
        }
        return neighbours.averse.isAnyPositive(node) ? NOT_WELCOME : Status.success();
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
    public Signature sign(Pod pod) {
        if (pod.spec().affinity().mentionsPods()) {
            return Signature.unsignable();
        }
        // Whether terms of others select the pod shows in its labels.
        return args.ignorePreferredTermsOfExistingPods ? Signature.empty() : Signature.of("labels", pod.labels());
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
            return Hint.queueIf(!allSelect(requiredAffinity(pod), pod, before.get())
                            && allSelect(requiredAffinity(pod), pod, after.get())
                    || allSelect(requiredAntiAffinity(pod), pod, before.get())
                            && !allSelect(requiredAntiAffinity(pod), pod, after.get()));
        }
        if (after.isPresent()) {
            return Hint.queueIf(allSelect(requiredAffinity(pod), pod, after.get()));
        }
        Pod gone = change.latest();
        return Hint.queueIf(allSelect(requiredAntiAffinity(pod), pod, gone)
                || PodTerm.problem(requiredAntiAffinity(gone)).isPresent()
                || allSelect(requiredAntiAffinity(gone), gone, pod));
    }

    // Whoever has such terms is tried again, and told.
    private static boolean areInvalid(Pod pod) {
        return PodTerm.problem(requiredAffinity(pod)).isPresent()
                || PodTerm.problem(requiredAntiAffinity(pod)).isPresent();
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
            return Hint.queueIf(!requiredAntiAffinity(pod).isEmpty()
                    || requiredAffinity(pod).stream().anyMatch(term -> after.containsKey(term.topologyKey())));
        }
        Map<String, String> before = change.before().get().labels();
        for (PodAffinityTerm term : requiredAffinity(pod)) {
            String value = after.get(term.topologyKey());
            if (value != null && !value.equals(before.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        for (PodAffinityTerm term : requiredAntiAffinity(pod)) {
            String value = before.get(term.topologyKey());
            if (value != null && !value.equals(after.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        return Hint.SKIP;
    }

    private static List<String> problems(Affinity affinity) {
        PodAffinity near = affinity.pod().orElse(PodAffinity.NONE);
        PodAffinity apart = affinity.podAnti().orElse(PodAffinity.NONE);
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

    private static DomainSums averse(Pod pod, Map<String, String> namespaceLabels, Snapshot snapshot) {
        DomainSums.Builder averse = new DomainSums.Builder(snapshot);
        TermsOfOthers others = new TermsOfOthers(
                pod,
                namespaceLabels,
                averse,
                (affinity, sink) ->
                        sink.take(affinity.podAnti().map(PodAffinity::required).orElse(List.of()), 1));
        List<NodeInfo> nodes = snapshot.nodesWithRequiredAntiAffinityPods();
        for (int i = 0; i < nodes.size(); i++) {
            List<Pod> pods = nodes.get(i).podsWithRequiredAntiAffinity();
            for (int j = 0; j < pods.size(); j++) {
                others.add(pods.get(j), nodes.get(i));
            }
        }
        return averse.build();
    }

    private static List<PodAffinityTerm> requiredAffinity(Pod pod) {
        return pod.spec().affinity().pod().map(PodAffinity::required).orElse(List.of());
    }

    private static List<PodAffinityTerm> requiredAntiAffinity(Pod pod) {
        return pod.spec().affinity().podAnti().map(PodAffinity::required).orElse(List.of());
    }

    private Neighbours changed(Neighbours before, Pod pod, Pod other, NodeInfo node, int amount) {
        List<String> wanted = new ArrayList<>();
        if (PodTerm.allSelect(before.affinity, other)) {
            for (PodTerm term : before.affinity) {
                wanted.add(term.topologyKey());
            }
        }
        List<String> unwanted = new ArrayList<>();
        for (PodTerm term : before.antiAffinity) {
            if (term.selects(other)) {
                unwanted.add(term.topologyKey());
            }
        }
        List<String> averse = new ArrayList<>();
        List<PodAffinityTerm> terms = requiredAntiAffinity(other);
        for (PodAffinityTerm term : PodTerm.problem(terms).isEmpty() ? terms : List.<PodAffinityTerm>of()) {
            if (PodTerm.selects(term, other, pod, before.namespaceLabels)) {
                averse.add(term.topologyKey());
            }
        }
        Snapshot snapshot = handle.snapshot();
        return new Neighbours(
                before.affinity,
                before.antiAffinity,
                before.isOwnNeighbour,
                before.namespaceLabels,
                before.wanted.plus(node, wanted, amount, snapshot),
                before.unwanted.plus(node, unwanted, amount, snapshot),
                before.averse.plus(node, averse, amount, snapshot));
    }

    private static boolean isNear(Neighbours neighbours, NodeInfo node) {
        DomainSums wanted = neighbours.wanted;
        if (!wanted.hasAllKeys(node)) {
            return false;
        }
        // The first of pods that must be near to each other has to go somewhere.
        return wanted.areAllPositive(node) || wanted.isEmpty() && neighbours.isOwnNeighbour;
    }

    private void weigh(Affinity affinity, TermsOfOthers.Sink sink) {
        if (affinity.pod().isPresent()) {
            if (args.hardPodAffinityWeight > 0) {
                sink.take(affinity.pod().get().required(), args.hardPodAffinityWeight);
            }
            sink.takeWeighted(affinity.pod().get().preferred(), 1);
        }
        if (affinity.podAnti().isPresent()) {
            sink.takeWeighted(affinity.podAnti().get().preferred(), -1);
        }
    }

    /** Makes the plugin. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public InterPodAffinity create(Args args, Handle handle) {
            return new InterPodAffinity(args, handle);
        }
    }
}
