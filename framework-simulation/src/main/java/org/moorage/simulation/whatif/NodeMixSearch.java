// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.simulation.whatif.NodeMix.Arrival;
import org.moorage.simulation.whatif.NodeMix.End;
import org.moorage.simulation.whatif.NodeMix.NodesOfType;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * A search for a cheap mix of node types with which all pending pods fit. The scheduler tries each mix by scheduling
 * the pods with its nodes. The cluster does not change, and the same query has the same result. Safe for use by several
 * threads.
 *
 * <p>Kube-scheduler prefers the emptiest nodes, so that pods often take the nodes that only others need.
 * {@link Arrival#IN_STEPS} avoids that: the types that the fewest pods fit come first. As with an autoscaler that adds
 * one type of nodes at a time, the pods that are still pending get the next type.
 *
 * <p>The first mixes are the best single type, and packings of the pods by requests alone, the type with the most pods
 * for its price first. Where the scheduler leaves pods pending, nodes are added for them. Then nodes of the best mix
 * are removed, and the pods that this leaves pending get the cheapest nodes that are known for them, for as long as
 * that lowers the cost. The result is never worse than the best single type, but it may not be the cheapest mix.
 *
 * <p>The lower bound shows how far the cost may be from that of the cheapest mix. A pod that fits on no existing node
 * takes a share of a new node, at least that of each resource that it requests, and costs at least that share of the
 * price of the cheapest type that it fits. Pods that may fit on existing nodes once other pods are scheduled count as
 * 0, such as pods with affinity, spread constraints, volume claims or a group. The bound assumes that Filter plugins
 * decide by the pod and the node for all other pods, as those of kube-scheduler do.
 */
public final class NodeMixSearch {
    private final KnownCluster cluster;
    private final int expendablePodsPriorityCutoff;
    private final IntConsumer progress;

    /**
     * A node type with its price.
     *
     * @param estimate how many nodes of the type alone the pods need
     * @param pricePerHour the price per hour of a node, at least 0
     */
    public record Offer(NodeEstimate estimate, double pricePerHour) {
        /** The fewest pending pods first, then the lowest cost, then the fewest nodes. */
        public static final Comparator<Offer> BEST_FIRST = Comparator.<Offer>comparingInt(
                        offer -> offer.estimate.left().size())
                .thenComparingDouble(Offer::costPerHour)
                .thenComparingInt(offer -> offer.estimate.nodes());

        public Offer {
            Objects.requireNonNull(estimate, "estimate");
            if (!(pricePerHour >= 0 && pricePerHour < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("pricePerHour: " + pricePerHour + " (expected: 0 or more)");
            }
        }

        /** Returns the cost per hour of the nodes of this type that the pods need. */
        public double costPerHour() {
            return estimate.nodes() * pricePerHour;
        }
    }

    /**
     * Searches a cluster.
     *
     * @param cluster the cluster as it is
     * @param expendablePodsPriorityCutoff the priority below which pods are expendable, so that no nodes are added for
     *     them
     * @param progress receives the count of tried mixes
     */
    public NodeMixSearch(KnownCluster cluster, int expendablePodsPriorityCutoff, IntConsumer progress) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.expendablePodsPriorityCutoff = expendablePodsPriorityCutoff;
        this.progress = Objects.requireNonNull(progress, "progress");
    }

    /**
     * Finds a cheap mix.
     *
     * @param offers the types, with what a {@link NodeEstimator} found for the same pods, at least one
     * @param waiting the pending pods
     * @param arrival how the nodes are added
     * @param maxNodes the maximum number of new nodes of all types together; the best single type may have more
     * @param maxTried the maximum number of mixes to try, at least 1
     * @throws IllegalArgumentException if there is no offer, or {@code maxTried} is less
     */
    public NodeMix find(List<Offer> offers, Collection<Pod> waiting, Arrival arrival, int maxNodes, int maxTried) {
        Objects.requireNonNull(offers, "offers");
        Objects.requireNonNull(waiting, "waiting");
        Objects.requireNonNull(arrival, "arrival");
        if (offers.isEmpty()) {
            throw new IllegalArgumentException("offers: none (expected: at least one)");
        }
        if (maxTried < 1) {
            throw new IllegalArgumentException("maxTried: " + maxTried + " (expected: 1 or more)");
        }
        try (ScaleUpTrial trial = new ScaleUpTrial(cluster, waiting, expendablePodsPriorityCutoff)) {
            return new Search(trial, offers, arrival, maxNodes, maxTried).find();
        }
    }

    /**
     * A mix that was tried.
     *
     * @param counts the number of nodes of each type
     * @param left the pods that it leaves pending
     */
    private record Tried(List<Integer> counts, double cost, RescheduledPods pods, List<RescheduledPod> left) {
        boolean isBetterThan(Tried other) {
            return left.size() != other.left.size()
                    ? left.size() < other.left.size()
                    : NodeMix.isLess(cost, other.cost);
        }

        List<Pod> leftPods() {
            return left.stream().map(RescheduledPod::pod).toList();
        }
    }

    /** One search. */
    private final class Search {
        private final ScaleUpTrial trial;
        private final List<Offer> offers;
        private final Arrival arrival;
        private final List<NodeTemplate> types = new ArrayList<>();
        private final int maxNodes;
        private final int maxTried;
        private final NodeMixModel model;
        private final NodeMixBound lowerBound;
        // The types, in the order in which their nodes are added.
        private final List<Integer> steps = new ArrayList<>();
        private final Map<List<Integer>, Tried> tried = new LinkedHashMap<>();
        private Tried best;

        Search(ScaleUpTrial trial, List<Offer> offers, Arrival arrival, int maxNodes, int maxTried) {
            this.trial = trial;
            this.offers = offers;
            this.arrival = arrival;
            this.maxNodes = maxNodes;
            this.maxTried = maxTried;
            Set<String> prefixes = new HashSet<>();
            List<Double> prices = new ArrayList<>();
            for (Offer offer : offers) {
                types.add(withOwnPrefix(offer.estimate.type(), prefixes));
                prices.add(offer.pricePerHour);
            }
            List<NodeEstimate> estimates = offers.stream().map(Offer::estimate).toList();
            model = new NodeMixModel(cluster, trial, types, estimates, prices);
            lowerBound = new NodeMixBound(cluster, trial, model);
            for (int type = 0; type < types.size(); type++) {
                steps.add(type);
            }
            steps.sort(Comparator.<Integer>comparingInt(model::fitting)
                    .thenComparingDouble(type -> offers.get(type).pricePerHour));
            best = simulate(singleType());
        }

        // Two files may describe nodes of the same name.
        private static NodeTemplate withOwnPrefix(NodeTemplate type, Set<String> prefixes) {
            String prefix = type.namePrefix();
            while (!prefixes.add(prefix)) {
                prefix += "more-";
            }
            return new NodeTemplate(type.name(), prefix, type.node(), type.beside(), type.daemonPods(), type.zones());
        }

        private List<Integer> singleType() {
            Offer cheapest = offers.stream().min(Offer.BEST_FIRST).orElseThrow();
            List<Integer> counts = none();
            counts.set(offers.indexOf(cheapest), cheapest.estimate.nodes());
            return counts;
        }

        private List<Integer> none() {
            return new ArrayList<>(Collections.nCopies(types.size(), 0));
        }

        NodeMix find() {
            for (List<Integer> packing : model.packings(trial.pods())) {
                followUp(packing);
            }
            while (!isCheapest() && improve()) {
                // The next step starts from the mix that was found.
            }
            End end = isCheapest() ? End.CHEAPEST : isSpent() ? End.LIMIT : End.NO_IMPROVEMENT;
            List<NodesOfType> nodes = new ArrayList<>();
            for (int type : steps) {
                if (best.counts.get(type) > 0) {
                    nodes.add(new NodesOfType(types.get(type), best.counts.get(type), offers.get(type).pricePerHour));
                }
            }
            return new NodeMix(arrival, nodes, best.pods, best.left, bound(), tried.size(), end);
        }

        private double bound() {
            return Math.min(best.cost, lowerBound.of(best.left.size()));
        }

        private boolean isCheapest() {
            return !NodeMix.isLess(bound(), best.cost);
        }

        private boolean isSpent() {
            return tried.size() >= maxTried;
        }

        private double cost(List<Integer> counts) {
            double cost = 0;
            for (int type = 0; type < counts.size(); type++) {
                cost += counts.get(type) * offers.get(type).pricePerHour;
            }
            return cost;
        }

        private Tried simulate(List<Integer> counts) {
            List<Collection<ClusterObject>> nodes = new ArrayList<>();
            for (int type : steps) {
                if (counts.get(type) > 0) {
                    nodes.add(types.get(type).newNodes(counts.get(type)));
                }
            }
            RescheduledPods pods = arrival == Arrival.IN_STEPS && nodes.size() > 1
                    ? trial.inSteps(nodes)
                    : trial.with(nodes.stream().flatMap(Collection::stream).toList());
            Tried result = new Tried(List.copyOf(counts), cost(counts), pods, trial.left(pods));
            tried.put(result.counts, result);
            progress.accept(tried.size());
            return result;
        }

        // Empty if it is not allowed.
        private Optional<Tried> attempt(List<Integer> counts) {
            Tried known = tried.get(counts);
            if (known == null) {
                boolean isAllowed =
                        counts.stream().mapToLong(Integer::longValue).sum() <= maxNodes && !isSpent() && !isCheapest();
                if (!isAllowed) {
                    return Optional.empty();
                }
                known = simulate(counts);
            }
            if (known.isBetterThan(best)) {
                best = known;
            }
            return Optional.of(known);
        }

        // Tries a mix, and then with nodes added for the pods that it leaves pending, while that helps. A mix that
        // leaves as many pods pending as the
        // best one has to cost less.
        private void followUp(List<Integer> counts) {
            Optional<Tried> next = attempt(counts);
            int left = Integer.MAX_VALUE;
            while (next.isPresent() && next.get().left.size() < left) {
                Tried mix = next.get();
                left = mix.left.size();
                next = model.cheapestFor(mix.leftPods(), limit(mix))
                        .map(more -> sum(mix.counts, more))
                        .flatMap(this::attempt);
            }
        }

        private double limit(Tried mix) {
            return best.left.size() > lowerBound.unfit() ? Double.POSITIVE_INFINITY : best.cost - mix.cost;
        }

        private static List<Integer> sum(List<Integer> counts, List<Integer> more) {
            List<Integer> sum = new ArrayList<>(counts);
            for (int type = 0; type < sum.size(); type++) {
                sum.set(type, sum.get(type) + more.get(type));
            }
            return sum;
        }

        // Whether a better mix was found.
        private boolean improve() {
            Tried start = best;
            for (List<Integer> fewer : withoutSome(start.counts)) {
                followUp(fewer);
                if (best.isBetterThan(start)) {
                    return true;
                }
            }
            for (List<Integer> other : withOneExchanged(start.counts)) {
                Optional<Tried> ignored = attempt(other);
                if (best.isBetterThan(start)) {
                    return true;
                }
            }
            return false;
        }

        // All nodes of a type, half of them, and so on to one, the types with the most expensive nodes first, and then
        // one node of each of two types.
        private Set<List<Integer>> withoutSome(List<Integer> counts) {
            Set<List<Integer>> mixes = new LinkedHashSet<>();
            List<Integer> used = used(counts);
            for (int type : used) {
                for (int removed = counts.get(type); removed > 0; removed /= 2) {
                    mixes.add(changed(counts, type, -removed));
                }
            }
            for (int first : used) {
                for (int second : used) {
                    boolean isPair = first != second || counts.get(first) > 1;
                    if (isPair && used.indexOf(first) <= used.indexOf(second)) {
                        mixes.add(changed(changed(counts, first, -1), second, -1));
                    }
                }
            }
            return mixes;
        }

        private Set<List<Integer>> withOneExchanged(List<Integer> counts) {
            Set<List<Integer>> mixes = new LinkedHashSet<>();
            for (int type : used(counts)) {
                for (int other = 0; other < types.size(); other++) {
                    double saved = offers.get(type).pricePerHour - offers.get(other).pricePerHour;
                    if (saved > 0 && model.fitting(other) > 0) {
                        mixes.add(changed(changed(counts, type, -1), other, 1));
                    }
                }
            }
            return mixes;
        }

        private List<Integer> used(List<Integer> counts) {
            List<Integer> used = new ArrayList<>();
            for (int type = 0; type < counts.size(); type++) {
                if (counts.get(type) > 0) {
                    used.add(type);
                }
            }
            used.sort(Comparator.comparingDouble(type -> -offers.get(type).pricePerHour));
            return used;
        }

        private static List<Integer> changed(List<Integer> counts, int type, int by) {
            List<Integer> changed = new ArrayList<>(counts);
            changed.set(type, changed.get(type) + by);
            return changed;
        }
    }
}
