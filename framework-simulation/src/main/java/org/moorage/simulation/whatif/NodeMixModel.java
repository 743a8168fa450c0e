// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.runtime.whatif.Transaction;

/**
 * Node types and pods by their numbers: the room of an empty node of each type, the requests of each pod, and the types that each pod fits by the
 * scheduler's own filters. Packs pods on nodes by these alone, and bounds the cost of any nodes for them. Effectively immutable.
 */
final class NodeMixModel {
    /** The first amount of each size is the number of pods. */
    private static final int PODS = 0;

    private static final String NO_PREEMPTION = "Never";
    // How finely the bound rounds shares of a node: a share of more than a half counts as 1, shares of more than 1 or 2
    // thirds as a half or 1, and so on.
    private static final int FINEST_ROUNDING = 6;
    private static final double ROUNDING_ERROR = 1e-9;
    /** The smallest part of a price that counts when the bound is rounded up. */
    private static final double SMALLEST_PRICE = 1e-6;
    // The looks at a size on a node that improving a packing takes at most.
    private static final long MOST_LOOKS = 20_000_000;

    private final KnownCluster cluster;
    private final List<NodeTemplate> types;
    private final double[] prices;
    private final List<ResourceName> resources;
    private final long[][] room;
    private final Map<String, Integer> sizeOf = new HashMap<>();
    private final List<Size> sizes = new ArrayList<>();
    private final List<double[]> charges = new ArrayList<>();
    // The price of the cheapest node that each pod fits, in order.
    private double[] cheapestNodes = new double[0];
    private int unfit;

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
        List<List<Boolean>> fits = fits(trial, estimates);
        for (int i = 0; i < trial.pods().size(); i++) {
            Pod pod = trial.pods().get(i);
            Size size = new Size(amounts(pod), fits.get(i));
            if (!sizes.contains(size)) {
                sizes.add(size);
            }
            sizeOf.put(pod.uid(), sizes.indexOf(size));
        }
        charge(trial, fits);
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

    private List<Long> amounts(Pod pod) {
        List<Long> amounts = new ArrayList<>(List.of(1L));
        resources.forEach(resource -> amounts.add(pod.requestsWithClaims().amount(resource)));
        return amounts;
    }

    private long[] roomOf(NodeTemplate type) {
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

    // By pod, and then by type.
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
            NodeTemplate empty = withoutPreemptible(types.get(type), trial.pods());
            try (EmptyNodes nodes = new EmptyNodes(trial, empty)) {
                for (int i = 0; i < trial.pods().size(); i++) {
                    Pod pod = trial.pods().get(i);
                    fits.get(i).add(placed.getOrDefault(pod.uid(), false) || nodes.fit(pod));
                }
            }
        }
        return fits;
    }

    // Preemption may remove pods of DaemonSets from new nodes.
    private static NodeTemplate withoutPreemptible(NodeTemplate type, List<Pod> pods) {
        int highest = Integer.MIN_VALUE;
        for (Pod pod : pods) {
            highest = mayPreempt(pod) ? Math.max(highest, pod.spec().priority()) : highest;
        }
        List<Pod> staying = new ArrayList<>();
        for (Pod pod : type.daemonPods()) {
            if (pod.spec().priority() >= highest) {
                staying.add(pod);
            }
        }
        return type.withDaemonPods(staying);
    }

    private static boolean mayPreempt(Pod pod) {
        return !pod.spec().preemptionPolicy().equals(NO_PREEMPTION);
    }

    /** Empty new nodes of a type, one in each of its zones, as the only ones to choose from. */
    private final class EmptyNodes implements AutoCloseable {
        private final Transaction transaction;
        private final Map<AlikePods, Boolean> known = new HashMap<>();

        EmptyNodes(ScaleUpTrial trial, NodeTemplate type) {
            transaction = trial.begin();
            List<String> names = new ArrayList<>();
            for (int number = 1; number <= type.kinds(); number++) {
                names.add(type.nodeName(number));
            }
            Transaction ignored = transaction.with(type.newNodes(type.kinds())).among(names);
        }

        boolean fit(Pod pod) {
            Optional<AlikePods> alike = AlikePods.of(pod);
            if (alike.isEmpty()) {
                return ask(pod);
            }
            return known.computeIfAbsent(alike.get(), any -> ask(pod));
        }

        private boolean ask(Pod pod) {
            try {
                return cluster.schedules(pod.spec().schedulerName())
                        && transaction.fits(pod).fits();
            } catch (RuntimeException failed) {
                // A pod for which a plugin fails is not scheduled.
                return false;
            }
        }

        @Override
        public void close() {
            transaction.close();
        }
    }

    /** Returns how many of the pods no nodes of the types help. */
    int unfit() {
        return unfit;
    }

    /** Returns how many of the pods fit on an empty node of a type. */
    int fitting(int type) {
        return (int) sizeOf.values().stream()
                .filter(size -> sizes.get(size).fits.get(type))
                .count();
    }

    // ---------------------------------------------------------------- packing

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
            // A type without a price, or pods without a share, count a little, so that none is passed over for ever.
            double perPrice = (worth + Double.MIN_NORMAL) / (prices[type] + ROUNDING_ERROR);
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
                    // What the scheduler's filters accept on an empty node fits, whatever the numbers are.
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

    // ------------------------------------------------------------ lower bound

    /**
     * Returns a cost per hour that no nodes of the types fall below that leave at most so many of the pods pending.
     *
     * <p>Pods on one node have shares of it that sum up to at most 1, for each resource and for averages of resources. The same holds for
     * rounded shares, by functions that bin packing calls dual feasible. So each pod is charged the least that its share of a node costs, and the pods
     * with the highest charges may be those that are left. A pod also needs one node at least, and only whole nodes are paid for: the bound is
     * rounded up to a multiple of the greatest common divisor of the prices.
     */
    double lowerBound(int left) {
        int dropped = Math.max(0, left - unfit);
        if (dropped >= cheapestNodes.length) {
            return 0;
        }
        double best = cheapestNodes[cheapestNodes.length - 1 - dropped];
        for (double[] sorted : charges) {
            double sum = 0;
            for (int i = 0; i < sorted.length - dropped; i++) {
                sum += sorted[i];
            }
            best = Math.max(best, sum);
        }
        double unit = priceUnit();
        return unit == 0 ? best : Math.ceil(best / unit - ROUNDING_ERROR) * unit;
    }

    // The greatest common divisor of the prices of types that pods fit; 0 if there is none.
    private double priceUnit() {
        long divisor = 0;
        for (int type = 0; type < prices.length; type++) {
            if (fitting(type) > 0) {
                double price = prices[type] / SMALLEST_PRICE;
                if (price > Integer.MAX_VALUE || Math.abs(price - Math.rint(price)) > SMALLEST_PRICE) {
                    return 0;
                }
                divisor = greatestDivisor(Math.round(price), divisor);
            }
        }
        return divisor * SMALLEST_PRICE;
    }

    private static long greatestDivisor(long first, long second) {
        return second == 0 ? first : greatestDivisor(second, first % second);
    }

    private void charge(ScaleUpTrial trial, List<List<Boolean>> fits) {
        List<Pod> charged = new ArrayList<>();
        List<List<Boolean>> typesOfPod = new ArrayList<>();
        boolean isBounded = true;
        int lowest = lowestPriority(trial);
        for (int i = 0; i < trial.pods().size(); i++) {
            Pod pod = trial.pods().get(i);
            if (Rescheduling.dependsOnOthers(pod, cluster)) {
                // It may preempt others on an existing node once it fits there, and leave room to spare.
                isBounded &= !mayPreempt(pod) || pod.spec().priority() <= lowest;
            } else if (fits.get(i).contains(true)) {
                charged.add(pod);
                typesOfPod.add(fits.get(i));
            } else {
                unfit++;
            }
        }
        if (!isBounded || charged.isEmpty()) {
            return;
        }
        Map<String, double[][]> roomByScheduler = new LinkedHashMap<>();
        for (Pod pod : charged) {
            roomByScheduler.computeIfAbsent(
                    pod.spec().schedulerName(), name -> countedRoom(name, trial, charged, typesOfPod));
        }
        cheapestNodes =
                typesOfPod.stream().mapToDouble(this::cheapestNode).sorted().toArray();
        for (double[] weights : weights()) {
            for (int rounding = 0; rounding <= FINEST_ROUNDING; rounding++) {
                double[] sorted = new double[charged.size()];
                for (int i = 0; i < sorted.length; i++) {
                    Pod pod = charged.get(i);
                    double[][] counted = Objects.requireNonNull(
                            roomByScheduler.get(pod.spec().schedulerName()));
                    sorted[i] = charge(amounts(pod), typesOfPod.get(i), counted, weights, rounding);
                }
                Arrays.sort(sorted);
                charges.add(sorted);
            }
        }
    }

    private double cheapestNode(List<Boolean> fits) {
        double cheapest = Double.POSITIVE_INFINITY;
        for (int type = 0; type < prices.length; type++) {
            cheapest = fits.get(type) ? Math.min(cheapest, prices[type]) : cheapest;
        }
        return cheapest;
    }

    private static int lowestPriority(ScaleUpTrial trial) {
        int lowest = Integer.MAX_VALUE;
        try (Transaction existing = trial.begin()) {
            for (String nodeName : existing.nodeNames()) {
                for (Pod pod : existing.podsOn(nodeName)) {
                    lowest = Math.min(lowest, pod.spec().priority());
                }
            }
        }
        return lowest;
    }

    // Each resource alone, and each two of them in equal parts.
    private List<double[]> weights() {
        List<double[]> weights = new ArrayList<>();
        for (int first = 0; first <= resources.size(); first++) {
            for (int second = first; second <= resources.size(); second++) {
                double[] both = new double[resources.size() + 1];
                both[first] += 0.5;
                both[second] += 0.5;
                weights.add(both);
            }
        }
        return weights;
    }

    private double charge(List<Long> amounts, List<Boolean> fits, double[][] counted, double[] weights, int rounding) {
        double least = Double.POSITIVE_INFINITY;
        for (int type = 0; type < prices.length; type++) {
            if (fits.get(type)) {
                double share = 0;
                for (int i = 0; i < weights.length; i++) {
                    double part = counted[type][i] > 0 ? amounts.get(i) / counted[type][i] : 0;
                    // More than all of a node cannot be needed of what filters accept.
                    share += part > 1 ? 0 : weights[i] * part;
                }
                least = Math.min(least, rounded(share, rounding) * prices[type]);
            }
        }
        return least;
    }

    private static double rounded(double share, int rounding) {
        return rounding == 0 ? share : Math.max(0, Math.ceil((rounding + 1) * share - ROUNDING_ERROR) - 1) / rounding;
    }

    // The room of an empty node of each type that the scheduler's filters hold against the requests of pods; 0 where
    // they do not.
    private double[][] countedRoom(
            String schedulerName, ScaleUpTrial trial, List<Pod> charged, List<List<Boolean>> typesOfPod) {
        double[][] counted = new double[types.size()][resources.size() + 1];
        for (int type = 0; type < types.size(); type++) {
            NodeTemplate empty = withoutPreemptible(types.get(type), trial.pods());
            long[] available = roomOf(empty);
            for (int i = 0; i < available.length; i++) {
                for (int p = 0; p < charged.size(); p++) {
                    Pod pod = charged.get(p);
                    long amount = amounts(pod).get(i);
                    if (amount > 0
                            && typesOfPod.get(p).get(type)
                            && pod.spec().schedulerName().equals(schedulerName)) {
                        try (EmptyNodes nodes = new EmptyNodes(trial, withRoom(empty, i, available[i], amount - 1))) {
                            counted[type][i] = nodes.fit(pod) ? 0 : available[i];
                        }
                        break;
                    }
                }
            }
        }
        return counted;
    }

    // The type with so much room for pods of a resource.
    private NodeTemplate withRoom(NodeTemplate type, int resource, long available, long wanted) {
        Map<String, Quantity> allocatable = new HashMap<>(type.node().allocatable());
        if (resource == PODS) {
            allocatable.put("pods", Quantity.of(type.node().allowedPods() - available + wanted));
        } else {
            ResourceName name = resources.get(resource - 1);
            long amount = type.node().allocatableResources().amount(name) - available + wanted;
            allocatable.put(
                    name.name(), name.equals(ResourceName.CPU) ? Quantity.ofMilli(amount) : Quantity.of(amount));
        }
        return new NodeTemplate(
                type.name(),
                type.namePrefix(),
                type.node().toBuilder().allocatable(allocatable).build(),
                type.beside(),
                type.daemonPods(),
                type.zones());
    }
}
