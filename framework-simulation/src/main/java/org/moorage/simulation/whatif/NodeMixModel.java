// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * Node types and pods by their numbers: the room of an empty node of each type, the requests of each pod, and the types
 * that each pod fits by the scheduler's own filters. Packs pods on nodes by these alone. Effectively immutable.
 */
final class NodeMixModel {
    /** The first amount of each size is the number of pods. */
    static final int PODS = 0;

    private static final double SMALLEST_PRICE = 1e-9;
    // The looks at a size on a node that improving a packing takes at most.
    private static final long MOST_LOOKS = 20_000_000;

    private final KnownCluster cluster;
    private final List<NodeTemplate> types;
    private final double[] prices;
    private final List<ResourceName> resources;
    private final long[][] room;
    private final Map<String, Integer> sizeOf = new HashMap<>();
    private final List<Size> sizes = new ArrayList<>();
    // By pod, and then by type.
    private final List<List<Boolean>> fits;

    /**
     * Equivalent pods as far as packing goes.
     *
     * @param amounts what one pod takes
     * @param fits whether it fits on an empty node of each type
     */
    private record Size(List<Long> amounts, List<Boolean> fits) {}

    /**
     * A node of a packing.
     *
     * @param free what is left of its room
     * @param pods the number of its pods of each size
     */
    private record Bin(int type, long[] free, int[] pods) {
        Bin copy() {
            return new Bin(type, free.clone(), pods.clone());
        }
    }

    /**
     * The types and pods of a search.
     *
     * @param trial has the pods
     * @param estimates what was found for each type alone
     */
    NodeMixModel(
            KnownCluster cluster,
            ScaleUpTrial trial,
            List<NodeTemplate> types,
            List<NodeEstimate> estimates,
            List<Double> prices) {
        this.cluster = cluster;
        this.types = types;
        this.prices = prices.stream().mapToDouble(price -> price).toArray();
        resources = resources(trial.pods());
        room = new long[types.size()][];
        for (int type = 0; type < types.size(); type++) {
            room[type] = roomOf(types.get(type));
        }
        fits = fits(trial, estimates);
        Map<Size, Integer> numbers = new HashMap<>();
        for (int i = 0; i < trial.pods().size(); i++) {
            Pod pod = trial.pods().get(i);
            Size size = new Size(amounts(pod), fits.get(i));
            sizeOf.put(pod.uid(), numbers.computeIfAbsent(size, any -> {
                sizes.add(size);
                return sizes.size() - 1;
            }));
        }
    }

    private static List<ResourceName> resources(List<Pod> pods) {
        Set<ResourceName> resources = new LinkedHashSet<>(List.of(ResourceName.CPU, ResourceName.MEMORY));
        for (Pod pod : pods) {
            Resources requests = pod.requestsWithClaims();
            for (int i = 0; i < requests.scalarCount(); i++) {
                resources.add(ResourceName.of(requests.scalarName(i)));
            }
            if (requests.ephemeralStorage() > 0) {
                resources.add(ResourceName.EPHEMERAL_STORAGE);
            }
        }
        return List.copyOf(resources);
    }

    /** Returns what a pod takes of a node: its place among the pods, and its requests of the resources. */
    List<Long> amounts(Pod pod) {
        List<Long> amounts = new ArrayList<>(List.of(1L));
        resources.forEach(resource -> amounts.add(pod.requestsWithClaims().amount(resource)));
        return amounts;
    }

    /** Returns the room of an empty node, in the order of {@link #amounts}. */
    long[] roomOf(NodeTemplate type) {
        Node node = type.newNode(1);
        long[] left = new long[resources.size() + 1];
        left[PODS] = node.allowedPods() - type.daemonPods().size();
        for (int i = 0; i < resources.size(); i++) {
            left[i + 1] = node.allocatableResources().amount(resources.get(i));
            for (Pod pod : type.daemonPods()) {
                left[i + 1] -= pod.requestsWithClaims().amount(resources.get(i));
            }
        }
        return left;
    }

    private List<List<Boolean>> fits(ScaleUpTrial trial, List<NodeEstimate> estimates) {
        List<List<Boolean>> fits = new ArrayList<>();
        trial.pods().forEach(pod -> fits.add(new ArrayList<>()));
        for (int type = 0; type < types.size(); type++) {
            NodeEstimate estimate = estimates.get(type);
            Map<String, Boolean> placed = new HashMap<>();
            estimate.pods()
                    .pods()
                    .forEach(pod -> placed.put(
                            pod.origin().uid(),
                            pod.nodeName()
                                    .filter(name ->
                                            name.startsWith(estimate.type().namePrefix()))
                                    .isPresent()));
            NodeTemplate empty = EmptyNodes.withoutPreemptible(types.get(type), trial.pods());
            try (EmptyNodes nodes = new EmptyNodes(cluster, trial, empty)) {
                for (int i = 0; i < trial.pods().size(); i++) {
                    Pod pod = trial.pods().get(i);
                    fits.get(i).add(placed.getOrDefault(pod.uid(), false) || nodes.fit(pod));
                }
            }
        }
        return fits;
    }

    /** Returns the types. */
    List<NodeTemplate> types() {
        return types;
    }

    /** Returns the price per hour of a node. */
    double price(int type) {
        return prices[type];
    }

    /** Returns the resources whose requests count. */
    List<ResourceName> resources() {
        return resources;
    }

    /** Returns whether a pod of the trial fits on an empty node of each type. */
    List<Boolean> fits(int pod) {
        return fits.get(pod);
    }

    /** Returns how many of the pods fit on an empty node of a type. */
    int fitting(int type) {
        return (int) sizeOf.values().stream()
                .filter(size -> sizes.get(size).fits.get(type))
                .count();
    }

    /** Returns packings of pods, as numbers of nodes of each type, the cheapest first. */
    List<List<Integer>> packings(Collection<Pod> pods) {
        Set<List<Integer>> packings = new LinkedHashSet<>();
        int[] counts = counts(pods);
        for (ToDoubleFunction<Size> value : values()) {
            List<Bin> bins = pack(counts.clone(), value, Double.POSITIVE_INFINITY);
            packings.add(nodes(bins));
            packings.add(nodes(improved(bins, value)));
        }
        packings.remove(nodes(List.of()));
        return packings.stream().sorted(Comparator.comparingDouble(this::cost)).toList();
    }

    /** Returns the cheapest packing of pods if it costs less than a limit and has a node. */
    Optional<List<Integer>> cheapestFor(Collection<Pod> pods, double limit) {
        return packings(pods).stream().findFirst().filter(nodes -> NodeMix.isLess(cost(nodes), limit));
    }

    private double cost(List<Integer> nodes) {
        double cost = 0;
        for (int type = 0; type < prices.length; type++) {
            cost += nodes.get(type) * prices[type];
        }
        return cost;
    }

    private double cost(Collection<Bin> bins) {
        return bins.stream().mapToDouble(bin -> prices[bin.type]).sum();
    }

    private List<Integer> nodes(Collection<Bin> bins) {
        Integer[] nodes = new Integer[types.size()];
        Arrays.fill(nodes, 0);
        bins.forEach(bin -> nodes[bin.type]++);
        return List.of(nodes);
    }

    private int[] counts(Collection<Pod> pods) {
        int[] counts = new int[sizes.size()];
        for (Pod pod : pods) {
            Integer size = sizeOf.get(pod.uid());
            if (size != null) {
                counts[size]++;
            }
        }
        return counts;
    }

    // How much it is worth to have a pod on a node: each the same, or the least that its share of a node costs.
    private List<ToDoubleFunction<Size>> values() {
        return List.of(size -> 1, this::cheapestShare);
    }

    private double cheapestShare(Size size) {
        double cheapest = Double.POSITIVE_INFINITY;
        for (int type = 0; type < prices.length; type++) {
            if (size.fits.get(type)) {
                double share = 0;
                for (int i = 0; i < size.amounts.size(); i++) {
                    share = room[type][i] > 0 ? Math.max(share, (double) size.amounts.get(i) / room[type][i]) : share;
                }
                cheapest = Math.min(cheapest, share * prices[type]);
            }
        }
        return cheapest == Double.POSITIVE_INFINITY ? 0 : cheapest;
    }

    // Adds the node with the highest value of pods for its price until all pods that fit anywhere have one.
    private List<Bin> pack(int[] counts, ToDoubleFunction<Size> value, double limit) {
        List<Integer> order = order(value);
        List<Bin> bins = new ArrayList<>();
        double cost = 0;
        while (cost < limit) {
            Optional<Bin> next = bestNode(counts, value, order);
            if (next.isEmpty()) {
                return bins;
            }
            bins.add(next.get());
            cost += prices[next.get().type];
            subtract(counts, next.get().pods);
        }
        return bins;
    }

    private List<Integer> order(ToDoubleFunction<Size> value) {
        List<Integer> order = new ArrayList<>();
        for (int size = 0; size < sizes.size(); size++) {
            order.add(size);
        }
        order.sort(Comparator.<Integer>comparingDouble(size -> -value.applyAsDouble(sizes.get(size)))
                .thenComparingDouble(size -> -cheapestShare(sizes.get(size))));
        return order;
    }

    private static void subtract(int[] counts, int[] pods) {
        for (int size = 0; size < counts.length; size++) {
            counts[size] -= pods[size];
        }
    }

    private Optional<Bin> bestNode(int[] counts, ToDoubleFunction<Size> value, List<Integer> order) {
        Optional<Bin> best = Optional.empty();
        double bestValue = 0;
        for (int type = 0; type < prices.length; type++) {
            Bin bin = new Bin(type, room[type].clone(), new int[sizes.size()]);
            int[] left = counts.clone();
            fill(bin, left, order);
            double worth = 0;
            int pods = 0;
            for (int size = 0; size < left.length; size++) {
                worth += bin.pods[size] * value.applyAsDouble(sizes.get(size));
                pods += bin.pods[size];
            }
            // A price or a value of 0 counts a little, so that the type is still chosen.
            double perPrice = (worth + Double.MIN_NORMAL) / (prices[type] + SMALLEST_PRICE);
            if (pods > 0 && perPrice > bestValue) {
                bestValue = perPrice;
                best = Optional.of(bin);
            }
        }
        return best;
    }

    private void fill(Bin bin, int[] counts, List<Integer> order) {
        for (int size : order) {
            Size pods = sizes.get(size);
            if (counts[size] > 0 && pods.fits.get(bin.type)) {
                long fitting = counts[size];
                for (int i = 0; i < bin.free.length; i++) {
                    long amount = pods.amounts.get(i);
                    // The scheduler's filters accept the pod on an empty node, so that larger requests do not count
                    // there.
                    boolean isCounted = amount > 0 && amount <= room[bin.type][i];
                    fitting = isCounted ? Math.min(fitting, bin.free[i] / amount) : fitting;
                }
                fitting = Math.max(0, fitting);
                for (int i = 0; i < bin.free.length; i++) {
                    bin.free[i] -= fitting * pods.amounts.get(i);
                }
                bin.pods[size] += (int) fitting;
                counts[size] -= (int) fitting;
            }
        }
    }

    // Removes one or two nodes, and packs their pods into the room of the others and on cheaper nodes, for as long as
    // there are such nodes.
    private List<Bin> improved(List<Bin> packed, ToDoubleFunction<Size> value) {
        List<Integer> order = order(value);
        List<Bin> bins = packed;
        long looks = 0;
        for (boolean changed = true; changed; ) {
            changed = false;
            Set<List<Object>> seen = new LinkedHashSet<>();
            for (int first = 0; first < bins.size() && !changed; first++) {
                for (int second = first; second < bins.size() && !changed; second++) {
                    looks += (long) sizes.size() * (bins.size() + types.size());
                    if (looks > MOST_LOOKS) {
                        return bins;
                    }
                    if (seen.add(List.of(signature(bins.get(first)), signature(bins.get(second)), first == second))) {
                        Optional<List<Bin>> better = without(bins, first, second, order, value);
                        changed = better.isPresent();
                        bins = better.orElse(bins);
                    }
                }
            }
        }
        return bins;
    }

    private static List<Object> signature(Bin bin) {
        return List.of(bin.type, Arrays.stream(bin.pods).boxed().toList());
    }

    private Optional<List<Bin>> without(
            List<Bin> bins, int first, int second, List<Integer> order, ToDoubleFunction<Size> value) {
        List<Bin> others = new ArrayList<>();
        int[] counts = new int[sizes.size()];
        double saved = 0;
        for (int i = 0; i < bins.size(); i++) {
            if (i == first || i == second) {
                saved += prices[bins.get(i).type];
                for (int size = 0; size < counts.length; size++) {
                    counts[size] += bins.get(i).pods[size];
                }
            } else {
                others.add(bins.get(i).copy());
            }
        }
        others.forEach(bin -> fill(bin, counts, order));
        List<Bin> added = pack(counts, value, saved);
        if (!NodeMix.isLess(cost(added), saved)) {
            return Optional.empty();
        }
        others.addAll(added);
        return Optional.of(others);
    }
}
