// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Affinity;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodAffinity;
import org.moorage.api.model.PodAffinityTerm;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.api.model.Taint;
import org.moorage.api.model.Toleration;
import org.moorage.api.model.TolerationOperators;
import org.moorage.api.model.TopologySpreadConstraint;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Questions;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.whatif.FittingChange.Kind;

/**
 * A search for changes that would make an unschedulable pod fit. It considers only nodes with a single obstacle,
 * derives the change from the pod and the node, and evaluates the pod again with each change, so that plugins decide
 * whether it helps.
 */
public final class FittingChanges {
    private static final int MOST_OF_A_KIND = 4;
    private static final int MORE_SKEW = 32;
    private static final String DO_NOT_SCHEDULE = "DoNotSchedule";
    private static final TolerationOperators OPERATORS = TolerationOperators.COMPARISON;

    private final Transaction cluster;
    private final Function<String, Optional<Node>> nodes;
    private final Function<String, List<Pod>> podsOn;
    private final Predicate<Pod> canLeave;
    private final Evaluation evaluation;
    private final Pod pod;
    private final PodSpec spec;
    private final List<ResourceName> requested;
    private final List<FittingChange> found = new ArrayList<>();
    private Duration atMost = ChronoUnit.FOREVER.getDuration();
    private long began;
    private boolean isComplete = true;

    // Nodes by the only thing that is wrong with them.
    private final Map<Set<ResourceName>, List<Shortage>> shortages = new HashMap<>();
    private final List<Shortage> lacking = new ArrayList<>();
    private final Map<List<Taint>, List<Node>> untolerated = new HashMap<>();
    private final Map<Deselection, List<Node>> deselecting = new HashMap<>();
    private final List<Node> cordoned = new ArrayList<>();
    private final List<Node> others = new ArrayList<>();

    /**
     * The resources that a node lacks.
     *
     * @param amounts by resource, in the units of {@link Resources}
     * @param pods how many pods must leave for the number of pods alone
     */
    private record Shortage(Node node, Map<ResourceName, Long> amounts, long pods) {}

    /**
     * The entries of the node selector that a node does not match, and whether the required node affinity excludes it.
     */
    private record Deselection(List<String> entries, boolean byAffinity) {}

    /** Pods that would leave a node. */
    private record Leaving(Node node, List<Pod> pods) {}

    /**
     * Creates a search.
     *
     * @param cluster the cluster in its present state; each change is reverted
     * @param nodes the nodes by name
     * @param podsOn the pods on a node and those that wait for a permit to be bound to it
     * @param canLeave whether such a pod may be removed from the simulated cluster
     * @param evaluation the plugins' evaluation of the pod in the present state
     */
    public FittingChanges(
            Transaction cluster,
            Function<String, Optional<Node>> nodes,
            Function<String, List<Pod>> podsOn,
            Predicate<Pod> canLeave,
            Evaluation evaluation) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.nodes = Objects.requireNonNull(nodes, "nodes");
        this.podsOn = Objects.requireNonNull(podsOn, "podsOn");
        this.canLeave = Objects.requireNonNull(canLeave, "canLeave");
        this.evaluation = Objects.requireNonNull(evaluation, "evaluation");
        pod = evaluation.pod();
        spec = pod.spec();
        requested = resources(pod.requests());
    }

    /**
     * Creates a search. The pods on a node are those of the cluster, and each may be removed from the simulated
     * cluster.
     *
     * @param cluster the cluster in its present state; each change is reverted
     * @param nodes the cluster's nodes
     * @param evaluation the plugins' evaluation of the pod in the present state
     */
    public FittingChanges(Transaction cluster, Collection<Node> nodes, Evaluation evaluation) {
        this(cluster, byName(nodes), Objects.requireNonNull(cluster, "cluster")::podsOn, any -> true, evaluation);
    }

    private static Function<String, Optional<Node>> byName(Collection<Node> nodes) {
        Map<String, Node> nodeByName = new HashMap<>();
        Objects.requireNonNull(nodes, "nodes").forEach(node -> nodeByName.put(node.name(), node));
        return name -> Optional.ofNullable(nodeByName.get(name));
    }

    private static List<ResourceName> resources(Resources requests) {
        List<ResourceName> names = new ArrayList<>();
        for (ResourceName name : List.of(ResourceName.CPU, ResourceName.MEMORY, ResourceName.EPHEMERAL_STORAGE)) {
            if (requests.amount(name) > 0) {
                names.add(name);
            }
        }
        for (int i = 0; i < requests.scalarCount(); i++) {
            if (requests.scalarAmount(i) > 0) {
                names.add(ResourceName.of(requests.scalarName(i)));
            }
        }
        return names;
    }

    /**
     * Sets a time limit, after which no further change is tried; a trial in progress is completed. The number of
     * possible changes depends on the pod, which may be untrusted.
     */
    public FittingChanges within(Duration longest) {
        atMost = Objects.requireNonNull(longest, "longest");
        return this;
    }

    /** Returns whether all changes were tried within the time limit. */
    public boolean isComplete() {
        return isComplete;
    }

    /** Empty if the pod fits. If it was rejected before any node was looked at, only plugins propose changes. */
    public List<FittingChange> all() {
        began = System.nanoTime();
        if (evaluation.feasible().isEmpty()) {
            find();
        }
        return List.copyOf(found);
    }

    private void find() {
        evaluation.objections().forEach((name, objections) -> {
            Set<String> plugins = new TreeSet<>();
            objections.forEach(objection -> plugins.add(objection.plugin()));
            nodes.apply(name).ifPresent(node -> sort(node, plugins.size()));
        });
        // A plugin that reads the JSON of the pod would not see the change.
        if (pod.json().isEmpty()) {
            lowerRequests();
            tolerate();
            select();
            if (!others.isEmpty()) {
                spread();
                dropPodAffinity();
            }
        }
        uncordon();
        leave();
        remedies();
    }

    private void remedies() {
        int tried = 0;
        for (RemedyPlugin.Remedy remedy : cluster.remedies(pod)) {
            if (tried++ == MOST_OF_A_KIND) {
                return;
            }
            List<String> feasible;
            try {
                feasible = feasible(changed -> with(changed, remedy.objects()));
            } catch (IllegalArgumentException malformed) {
                // The objects of a plugin cannot be added.
                continue;
            }
            add(Kind.OBJECTS, List.of(remedy.change()), feasible);
        }
    }

    private static Transaction with(Transaction cluster, List<ClusterObject> objects) {
        List<Pod> pending = new ArrayList<>();
        List<ClusterObject> others = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod added && !added.isBound()) {
                pending.add(added);
            } else {
                others.add(object);
            }
        }
        return cluster.with(others).withPending(pending);
    }

    private void sort(Node node, int plugins) {
        Shortage shortage = shortage(node);
        boolean isShort = !shortage.amounts.isEmpty() || shortage.pods > 0;
        boolean isCordoned =
                node.unschedulable() && OPERATORS.hasUntoleratedTaint(spec.tolerations(), List.of(Drain.UNSCHEDULABLE));
        List<Taint> taints = new ArrayList<>();
        for (Taint taint : node.taints()) {
            if (!(isCordoned && taint.key().equals(Drain.UNSCHEDULABLE.key()))
                    && OPERATORS.hasUntoleratedTaint(spec.tolerations(), List.of(taint))) {
                taints.add(taint);
            }
        }
        boolean isDeselected = !spec.selects(node);
        int causes = (isShort ? 1 : 0) + (isCordoned ? 1 : 0) + (taints.isEmpty() ? 0 : 1) + (isDeselected ? 1 : 0);
        // A cordoned node also has a taint, to which another plugin objects.
        if (causes > 1 || plugins > (isCordoned ? 2 : 1)) {
            return;
        }
        if (isShort) {
            shortages
                    .computeIfAbsent(shortage.amounts.keySet(), any -> new ArrayList<>())
                    .add(shortage);
            lacking.add(shortage);
        } else if (isCordoned) {
            cordoned.add(node);
        } else if (!taints.isEmpty()) {
            untolerated.computeIfAbsent(taints, any -> new ArrayList<>()).add(node);
        } else if (isDeselected) {
            deselecting
                    .computeIfAbsent(deselection(node), any -> new ArrayList<>())
                    .add(node);
        } else {
            others.add(node);
        }
    }

    private List<Pod> podsOn(Node node) {
        return podsOn.apply(node.name());
    }

    private Shortage shortage(Node node) {
        List<Pod> pods = new ArrayList<>(podsOn(node));
        pods.addAll(nominated(node));
        Map<ResourceName, Long> amounts = new TreeMap<>(Comparator.comparing(ResourceName::name));
        for (ResourceName resource : requested) {
            long missing = pod.requests().amount(resource)
                    - node.allocatableResources().amount(resource);
            for (Pod other : pods) {
                missing += other.requestsWithClaims().amount(resource);
            }
            if (missing > 0) {
                amounts.put(resource, missing);
            }
        }
        return new Shortage(node, amounts, Math.max(0, pods.size() + 1 - node.allowedPods()));
    }

    // The pods without a node for which room is kept free from this one. They cannot be evicted.
    private List<Pod> nominated(Node node) {
        return cluster.nominatedPods(node.name()).stream()
                .filter(other -> other.spec().priority() >= spec.priority()
                        && !other.uid().equals(pod.uid()))
                .toList();
    }

    private Deselection deselection(Node node) {
        List<String> entries = new ArrayList<>();
        new TreeMap<>(spec.nodeSelector()).forEach((key, value) -> {
            if (!value.equals(node.labels().get(key))) {
                entries.add(key + "=" + value);
            }
        });
        Optional<NodeSelector> required = spec.affinity().nodeAffinity().required();
        return new Deselection(entries, required.isPresent() && !required.get().matches(node));
    }

    private boolean isLate() {
        boolean isLate = Duration.ofNanos(System.nanoTime() - began).compareTo(atMost) >= 0;
        isComplete &= !isLate;
        return isLate;
    }

    private List<String> feasible(PodSpec.Builder changed) {
        return isLate() ? List.of() : feasible(cluster, pod.withSpec(changed.build()));
    }

    private List<String> feasible(UnaryOperator<Transaction> change) {
        if (isLate()) {
            return List.of();
        }
        try (Transaction changed = cluster.begin()) {
            return feasible(change.apply(changed), pod);
        }
    }

    private static List<String> feasible(Questions asked, Pod pod) {
        return asked.fits(pod).feasible().stream().sorted().toList();
    }

    private void add(Kind kind, List<String> details, List<String> nodes) {
        if (!nodes.isEmpty()) {
            found.add(new FittingChange(kind, details, nodes));
        }
    }

    // The groups with the most nodes.
    private static <K, N> List<K> largest(Map<K, List<N>> groups) {
        List<K> keys = new ArrayList<>(groups.keySet());
        Comparator<K> mostNodes = Comparator.comparingInt(
                key -> -groups.getOrDefault(key, List.of()).size());
        keys.sort(mostNodes.thenComparing(Object::toString));
        return keys.subList(0, Math.min(MOST_OF_A_KIND, keys.size()));
    }

    private void lowerRequests() {
        shortages.keySet().removeIf(Set::isEmpty);
        for (Set<ResourceName> key : largest(shortages)) {
            Shortage least = null;
            double leastPart = 1;
            for (Shortage shortage : shortages.getOrDefault(key, List.of())) {
                double part = part(shortage);
                if (part < leastPart && shortage.pods == 0) {
                    least = shortage;
                    leastPart = part;
                }
            }
            if (least != null) {
                LowerRequests lower = new LowerRequests(least.amounts);
                add(Kind.LOWER_REQUESTS, lower.texts(), feasible(lower.of(spec)));
            }
        }
    }

    // The largest missing share of a request; 1 if nothing of it is free.
    private double part(Shortage shortage) {
        double largest = 0;
        for (Map.Entry<ResourceName, Long> entry : shortage.amounts.entrySet()) {
            long request = pod.requests().amount(entry.getKey());
            largest = Math.max(largest, Math.min(1, (double) entry.getValue() / request));
        }
        return largest;
    }

    private void tolerate() {
        for (List<Taint> taints : largest(untolerated)) {
            List<Toleration> tolerations = new ArrayList<>(spec.tolerations());
            List<String> details = new ArrayList<>();
            for (Taint taint : taints) {
                tolerations.add(new Toleration(taint.key(), "Equal", taint.value(), taint.effect()));
                details.add(taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect());
            }
            add(Kind.TOLERATIONS, details, feasible(spec.toBuilder().tolerations(tolerations)));
        }
    }

    private void select() {
        for (Deselection deselection : largest(deselecting)) {
            Map<String, String> selector = new HashMap<>(spec.nodeSelector());
            for (String entry : deselection.entries) {
                selector.remove(entry.substring(0, entry.indexOf('=')));
            }
            PodSpec.Builder changed = spec.toBuilder().nodeSelector(selector);
            if (deselection.byAffinity) {
                Affinity affinity = spec.affinity();
                changed.affinity(new Affinity(
                        new NodeAffinity(
                                Optional.empty(), affinity.nodeAffinity().preferred()),
                        affinity.podAffinity(),
                        affinity.podAntiAffinity()));
            }
            add(
                    deselection.byAffinity ? Kind.NODE_AFFINITY : Kind.NODE_SELECTOR,
                    deselection.entries,
                    feasible(changed));
        }
    }

    private void spread() {
        List<TopologySpreadConstraint> constraints = spec.topologySpreadConstraints();
        for (int i = 0; i < constraints.size() && !isLate(); i++) {
            TopologySpreadConstraint constraint = constraints.get(i);
            if (!constraint.whenUnsatisfiable().equals(DO_NOT_SCHEDULE)) {
                continue;
            }
            int least = leastSkew(constraints, i);
            if (least > 0) {
                add(
                        Kind.TOPOLOGY_SPREAD,
                        List.of(constraint.topologyKey() + ": maxSkew " + least + " instead of "
                                + constraint.maxSkew()),
                        feasible(spec.toBuilder().topologySpreadConstraints(withSkew(constraints, i, least))));
            }
        }
    }

    // 0 if no skew helps that is not much larger.
    private int leastSkew(List<TopologySpreadConstraint> constraints, int index) {
        int tooSmall = constraints.get(index).maxSkew();
        int enough = tooSmall + MORE_SKEW;
        if (feasible(spec.toBuilder().topologySpreadConstraints(withSkew(constraints, index, enough)))
                .isEmpty()) {
            return 0;
        }
        while (enough - tooSmall > 1) {
            int middle = (tooSmall + enough) / 2;
            boolean fits = !feasible(spec.toBuilder().topologySpreadConstraints(withSkew(constraints, index, middle)))
                    .isEmpty();
            enough = fits ? middle : enough;
            tooSmall = fits ? tooSmall : middle;
        }
        return enough;
    }

    private static List<TopologySpreadConstraint> withSkew(
            List<TopologySpreadConstraint> constraints, int index, int maxSkew) {
        TopologySpreadConstraint before = constraints.get(index);
        List<TopologySpreadConstraint> changed = new ArrayList<>(constraints);
        changed.set(
                index,
                new TopologySpreadConstraint(
                        maxSkew,
                        before.topologyKey(),
                        before.whenUnsatisfiable(),
                        before.labelSelector(),
                        before.minDomains(),
                        before.nodeAffinityPolicy(),
                        before.nodeTaintsPolicy(),
                        before.matchLabelKeys()));
        return changed;
    }

    private void dropPodAffinity() {
        Affinity affinity = spec.affinity();
        List<PodAffinityTerm> terms = affinity.requiredAffinityTerms();
        for (int i = 0; i < terms.size() && !isLate(); i++) {
            Optional<PodAffinity> left =
                    Optional.of(new PodAffinity(without(terms, i), affinity.preferredAffinityTerms()));
            Affinity changed = new Affinity(affinity.nodeAffinity(), left, affinity.podAntiAffinity());
            add(
                    Kind.POD_AFFINITY,
                    List.of(terms.get(i).topologyKey()),
                    feasible(spec.toBuilder().affinity(changed)));
        }
        List<PodAffinityTerm> antiTerms = affinity.requiredAntiAffinityTerms();
        for (int i = 0; i < antiTerms.size() && !isLate(); i++) {
            Optional<PodAffinity> left =
                    Optional.of(new PodAffinity(without(antiTerms, i), affinity.preferredAntiAffinityTerms()));
            Affinity changed = new Affinity(affinity.nodeAffinity(), affinity.podAffinity(), left);
            add(
                    Kind.POD_ANTI_AFFINITY,
                    List.of(antiTerms.get(i).topologyKey()),
                    feasible(spec.toBuilder().affinity(changed)));
        }
    }

    private static List<PodAffinityTerm> without(List<PodAffinityTerm> terms, int index) {
        List<PodAffinityTerm> left = new ArrayList<>(terms);
        left.remove(index);
        return left;
    }

    private void uncordon() {
        int tried = 0;
        for (Node node : cordoned) {
            if (tried++ == MOST_OF_A_KIND || node.json().isPresent()) {
                return;
            }
            List<Taint> taints = new ArrayList<>(node.taints());
            taints.removeIf(taint -> taint.key().equals(Drain.UNSCHEDULABLE.key()));
            Node uncordoned =
                    node.toBuilder().unschedulable(false).taints(taints).build();
            add(Kind.UNCORDON, List.of(node.name()), feasible(changed -> changed.with(uncordoned)));
        }
    }

    private void leave() {
        List<Leaving> candidates = new ArrayList<>();
        for (Shortage shortage : lacking) {
            leaving(shortage).ifPresent(candidates::add);
        }
        for (Node node : others) {
            List<Pod> conflicting = conflicting(node);
            if (!conflicting.isEmpty()) {
                candidates.add(new Leaving(node, conflicting));
            }
        }
        candidates.sort(Comparator.<Leaving>comparingInt(leaving -> leaving.pods.size())
                .thenComparing(leaving -> leaving.node.name()));
        for (Leaving leaving : candidates.subList(0, Math.min(MOST_OF_A_KIND, candidates.size()))) {
            List<String> feasible = feasible(changed -> changed.evict(leaving.pods));
            if (!feasible.isEmpty()) {
                List<String> keys = new ArrayList<>();
                leaving.pods.forEach(other -> keys.add(other.key()));
                add(Kind.FEWER_PODS, keys, feasible);
                return;
            }
        }
    }

    // The pods that free the most of what is missing, as few as that takes; empty if the node is too small even without
    // pods.
    private Optional<Leaving> leaving(Shortage shortage) {
        Map<ResourceName, Long> missing = new HashMap<>(shortage.amounts);
        long count = shortage.pods;
        List<Pod> left = bound(shortage.node);
        Set<Pod> leaving = new LinkedHashSet<>();
        while (count > leaving.size() || !missing.isEmpty()) {
            Pod next = mostFreeing(left, missing);
            if (next == null) {
                return Optional.empty();
            }
            left.remove(next);
            leaving.add(next);
            missing.replaceAll(
                    (resource, amount) -> amount - next.requestsWithClaims().amount(resource));
            missing.values().removeIf(amount -> amount <= 0);
        }
        return Optional.of(new Leaving(shortage.node, List.copyOf(leaving)));
    }

    private static @Nullable Pod mostFreeing(List<Pod> pods, Map<ResourceName, Long> missing) {
        Pod most = null;
        double mostFreed = 0;
        for (Pod pod : pods) {
            double freed = missing.isEmpty() ? 1 : 0;
            for (Map.Entry<ResourceName, Long> entry : missing.entrySet()) {
                double share = (double) pod.requestsWithClaims().amount(entry.getKey()) / entry.getValue();
                freed += Math.min(1, share);
            }
            boolean isLessImportant =
                    most != null && pod.spec().priority() < most.spec().priority();
            if (freed > mostFreed || freed == mostFreed && isLessImportant) {
                most = pod;
                mostFreed = freed;
            }
        }
        return most;
    }

    private List<Pod> bound(Node node) {
        List<Pod> bound = new ArrayList<>();
        for (Pod other : podsOn(node)) {
            if (canLeave.test(other)) {
                bound.add(other);
            }
        }
        return bound;
    }

    private List<Pod> conflicting(Node node) {
        List<Pod> conflicting = new ArrayList<>();
        for (Pod other : bound(node)) {
            for (HostPort port : other.spec().hostPorts()) {
                if (spec.hostPorts().stream().anyMatch(port::conflicts)) {
                    conflicting.add(other);
                    break;
                }
            }
        }
        return conflicting;
    }
}
