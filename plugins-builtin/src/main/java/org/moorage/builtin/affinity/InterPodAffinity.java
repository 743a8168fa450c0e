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
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PreFilterExtensions;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.builtin.labels.SelectorSyntax;

/**
 * Rejects nodes that do not satisfy the pod's required affinity and anti-affinity terms, or the required anti-affinity terms
 * of existing pods, and scores nodes by the preferred terms of both. Same decisions as kube-scheduler's InterPodAffinity.
 */
public final class InterPodAffinity
        implements PreFilterPlugin, PreFilterExtensions, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "InterPodAffinity";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY =
            PluginFactory.of(NAME, InterPodAffinity.class, Args.class, InterPodAffinity::new);

    private static final Status AFFINITY_NOT_MATCHED = Status.unresolvable("node(s) didn't match pod affinity rules");
    private static final Status ANTI_AFFINITY_NOT_MATCHED =
            Status.unschedulable("node(s) didn't match pod anti-affinity rules");
    private static final Status EXISTING_ANTI_AFFINITY_NOT_MATCHED =
            Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

    /**
     * The plugin's arguments.
     *
     * @param hardPodAffinityWeight the weight of existing pods' required affinity terms when scoring, from 0 to 100
     * @param ignorePreferredTermsOfExistingPods whether a pod without preferred terms is not scored by those of existing
     *     pods
     */
    public record Args(int hardPodAffinityWeight, boolean ignorePreferredTermsOfExistingPods) implements PluginArgs {
        /** Required terms weigh 1, and preferred terms of existing pods count. */
        public static final Args DEFAULTS = new Args(1, false);

        @Override
        public void validate(Problems problems) {
            if (hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100) {
                problems.at("hardPodAffinityWeight").invalid(hardPodAffinityWeight, "0 to 100");
            }
        }
    }

    private static final StateKey<InterPodAffinityState> AFFINITY_STATE = StateKey.of(NAME + "/affinityState");
    private static final StateKey<TopologyCounts> TOPOLOGY_SCORES = StateKey.of(NAME + "/topologyScores");

    private final Args args;
    private final Handle handle;
    private final ObjectLister<Namespace> namespaces;
    private final InterPodAffinityState.HostScope hostScope;

    InterPodAffinity(Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        namespaces = handle.cluster().lister(ObjectKind.NAMESPACE);
        hostScope = handle.featureGates().isEnabled(FeatureGates.INTER_POD_AFFINITY_HOSTNAME_FAST_PATH)
                ? InterPodAffinityState.HostScope.NODE
                : InterPodAffinityState.HostScope.NAME;
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
        if (pod.spec().affinity().hasPodAffinity()) {
            List<String> problems = problems(pod.spec().affinity());
            if (!problems.isEmpty()) {
                return PreFilterResult.rejected(
                        Status.unresolvable("parsing pod: " + SelectorSyntax.together(problems)));
            }
        }
        Optional<String> unavailable = namespaces.unavailable();
        if (unavailable.isPresent() && selectsNamespaces(pod, snapshot)) {
            return PreFilterResult.rejected(Status.unresolvable(unavailable.get()));
        }
        Optional<InterPodAffinityState> computed =
                InterPodAffinityState.of(pod, namespaceLabels(pod), namespaces, snapshot, hostScope);
        if (computed.isEmpty()) {
            return PreFilterResult.skip();
        }
        state.put(AFFINITY_STATE, computed.get());
        return PreFilterResult.allNodes();
    }

    @Override
    public void addPod(CycleState state, Pod pod, Pod added, NodeInfo node) {
        state.put(AFFINITY_STATE, state.get(AFFINITY_STATE).with(pod, added, node, 1, handle.snapshot()));
    }

    @Override
    public void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node) {
        state.put(AFFINITY_STATE, state.get(AFFINITY_STATE).with(pod, removed, node, -1, handle.snapshot()));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        InterPodAffinityState computed = state.get(AFFINITY_STATE);
        if (!computed.satisfiesAffinity(node)) {
            return AFFINITY_NOT_MATCHED;
        }
        if (!computed.satisfiesAntiAffinity(node)) {
            return ANTI_AFFINITY_NOT_MATCHED;
        }
        return computed.satisfiesExistingAntiAffinity(node) ? Status.success() : EXISTING_ANTI_AFFINITY_NOT_MATCHED;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        Snapshot snapshot = handle.snapshot();
        TopologyCounts.Builder scores = new TopologyCounts.Builder(snapshot::topology);
        PreferredTerms preferredTerms = new PreferredTerms(pod, namespaces, snapshot, scores);
        if (args.ignorePreferredTermsOfExistingPods && preferredTerms.isEmpty()) {
            return Status.skip();
        }
        preferredTerms.addExistingPods();
        ExistingPodTerms.add(pod, namespaceLabels(pod), snapshot, scores, this::scoredTerms);
        if (scores.isEmpty()) {
            return Status.skip();
        }
        state.put(TOPOLOGY_SCORES, scores.build());
        return Status.success();
    }

    /** Returns the sum of the weights of the terms that match in the topology domains of the node. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return state.get(TOPOLOGY_SCORES).total(node);
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
                // The value is mostly that of the previous node, and a division is slow.
                normalized[i] = i > 0 && scores.score(i) == scores.score(i - 1)
                        ? normalized[i - 1]
                        : (long) (NodeScores.MAX * ((scores.score(i) - lowest) / range));
            }
        }
        return scores.with(normalized);
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
                        InterPodAffinity::afterPodChange),
                // Another pod's anti-affinity may not have the new labels.
                EventRegistration.always(ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE_POD_LABEL)),
                EventRegistration.of(
                        ClusterEvent.of(EventResource.NODE, ActionType.ADD, ActionType.UPDATE_NODE_LABEL),
                        Node.class,
                        InterPodAffinity::afterNodeChange));
    }

    private static Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        Optional<Pod> before = change.before();
        Optional<Pod> after = change.after();
        boolean isUpdate = before.isPresent() && after.isPresent();
        if (before.isPresent() && !before.get().isBoundOrNominated()
                || after.isPresent() && !after.get().isBoundOrNominated()) {
            return Hint.SKIP;
        }
        if (hasInvalidTerm(pod)) {
            return Hint.QUEUE;
        }
        List<PodAffinityTerm> affinityTerms = pod.spec().affinity().requiredAffinityTerms();
        List<PodAffinityTerm> antiAffinityTerms = pod.spec().affinity().requiredAntiAffinityTerms();
        if (isUpdate) {
            boolean matchesNow =
                    !allMatch(affinityTerms, pod, before.get()) && allMatch(affinityTerms, pod, after.get());
            boolean matchesNoLonger = anyMatches(antiAffinityTerms, pod, before.get())
                    && !anyMatches(antiAffinityTerms, pod, after.get());
            return Hint.queueIf(matchesNow || matchesNoLonger);
        }
        if (after.isPresent()) {
            return Hint.queueIf(allMatch(affinityTerms, pod, after.get()));
        }
        Pod deleted = change.latest();
        List<PodAffinityTerm> termsOfDeleted = deleted.spec().affinity().requiredAntiAffinityTerms();
        return Hint.queueIf(anyMatches(antiAffinityTerms, pod, deleted)
                || AffinityTerm.problem(termsOfDeleted).isPresent()
                || anyMatches(termsOfDeleted, deleted, pod));
    }

    private static Hint afterNodeChange(Pod pod, ObjectChange<Node> change) {
        Map<String, String> after = change.latest().labels();
        if (hasInvalidTerm(pod)) {
            return Hint.QUEUE;
        }
        List<PodAffinityTerm> affinityTerms = pod.spec().affinity().requiredAffinityTerms();
        List<PodAffinityTerm> antiAffinityTerms = pod.spec().affinity().requiredAntiAffinityTerms();
        if (change.before().isEmpty()) {
            // A new node satisfies anti-affinity terms even without their topology keys.
            return Hint.queueIf(!antiAffinityTerms.isEmpty()
                    || affinityTerms.stream().anyMatch(term -> after.containsKey(term.topologyKey())));
        }
        Map<String, String> before = change.before().get().labels();
        for (PodAffinityTerm term : affinityTerms) {
            String value = after.get(term.topologyKey());
            if (value != null && !value.equals(before.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        for (PodAffinityTerm term : antiAffinityTerms) {
            String value = before.get(term.topologyKey());
            if (value != null && !value.equals(after.get(term.topologyKey()))) {
                return Hint.QUEUE;
            }
        }
        return Hint.SKIP;
    }

    // Whether namespace labels matter: for a required term of the pod, or for the anti-affinity term of another pod.
    private static boolean selectsNamespaces(Pod pod, Snapshot snapshot) {
        if (selectsNamespaces(pod.spec().affinity().requiredAffinityTerms())
                || selectsNamespaces(pod.spec().affinity().requiredAntiAffinityTerms())) {
            return true;
        }
        for (NodeInfo node : snapshot.nodesWithRequiredAntiAffinityPods()) {
            for (Pod existing : node.podsWithRequiredAntiAffinity()) {
                if (selectsNamespaces(existing.spec().affinity().requiredAntiAffinityTerms())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean selectsNamespaces(List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            if (term.namespaceSelector().isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static List<String> problems(Affinity affinity) {
        List<String> problems = new ArrayList<>();
        addProblem("requiredAffinityTerms", affinity.requiredAffinityTerms(), problems);
        addProblem("requiredAntiAffinityTerms", affinity.requiredAntiAffinityTerms(), problems);
        addProblem("preferredAffinityTerms", AffinityTerm.unweighted(affinity.preferredAffinityTerms()), problems);
        addProblem(
                "preferredAntiAffinityTerms", AffinityTerm.unweighted(affinity.preferredAntiAffinityTerms()), problems);
        return problems;
    }

    private static void addProblem(String field, List<PodAffinityTerm> terms, List<String> problems) {
        AffinityTerm.problem(terms).ifPresent(problem -> problems.add(field + ": " + problem));
    }

    private Map<String, String> namespaceLabels(Pod pod) {
        return namespaces
                .get("", pod.namespace())
                .map(namespace -> namespace.metadata().labels())
                .orElse(Map.of());
    }

    // The terms of an existing pod that count when the incoming pod is scored.
    private List<PodAffinityTerm.Weighted> scoredTerms(Affinity affinity) {
        List<PodAffinityTerm.Weighted> terms = new ArrayList<>();
        if (args.hardPodAffinityWeight > 0) {
            terms.addAll(AffinityTerm.weightedIfValid(affinity.requiredAffinityTerms(), args.hardPodAffinityWeight));
        }
        if (AffinityTerm.problem(AffinityTerm.unweighted(affinity.preferredAffinityTerms()))
                .isEmpty()) {
            terms.addAll(affinity.preferredAffinityTerms());
        }
        if (AffinityTerm.problem(AffinityTerm.unweighted(affinity.preferredAntiAffinityTerms()))
                .isEmpty()) {
            for (PodAffinityTerm.Weighted weighted : affinity.preferredAntiAffinityTerms()) {
                terms.add(new PodAffinityTerm.Weighted(-weighted.weight(), weighted.term()));
            }
        }
        return terms;
    }

    private static boolean hasInvalidTerm(Pod pod) {
        Affinity affinity = pod.spec().affinity();
        return AffinityTerm.problem(affinity.requiredAffinityTerms()).isPresent()
                || AffinityTerm.problem(affinity.requiredAntiAffinityTerms()).isPresent();
    }

    // The queueing hints of kube-scheduler do not look up the labels of namespaces either.
    private static boolean allMatch(List<PodAffinityTerm> terms, Pod owner, Pod pod) {
        for (PodAffinityTerm term : terms) {
            if (!AffinityTerm.matches(term, owner.namespace(), pod, Map.of())) {
                return false;
            }
        }
        return !terms.isEmpty();
    }

    private static boolean anyMatches(List<PodAffinityTerm> terms, Pod owner, Pod pod) {
        for (PodAffinityTerm term : terms) {
            if (AffinityTerm.matches(term, owner.namespace(), pod, Map.of())) {
                return true;
            }
        }
        return false;
    }
}
