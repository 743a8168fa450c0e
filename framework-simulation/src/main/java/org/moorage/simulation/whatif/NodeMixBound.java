// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceName;
import org.moorage.runtime.whatif.Transaction;

/** A lower bound on the cost of new nodes for pods, by what the pods request. Effectively immutable. */
final class NodeMixBound {
    // How finely the bound rounds shares of a node: a share of more than a half counts as 1, shares of more than 1 or 2
    // thirds as a half or 1, and so on.
    private static final int FINEST_ROUNDING = 6;
    private static final double ROUNDING_ERROR = 1e-9;
    /** The smallest part of a price that counts when the bound is rounded up. */
    private static final double SMALLEST_PRICE = 1e-6;

    private final KnownCluster cluster;
    private final ScaleUpTrial trial;
    private final NodeMixModel model;
    // For each way to charge, what each pod is charged at least, in order.
    private final List<double[]> charges = new ArrayList<>();
    // The price of the cheapest node that each pod fits, in order.
    private double[] cheapestNodes = new double[0];
    private int unfit;

    /** A bound for the pods of a trial. */
    NodeMixBound(KnownCluster cluster, ScaleUpTrial trial, NodeMixModel model) {
        this.cluster = cluster;
        this.trial = trial;
        this.model = model;
        charge();
    }

    /** Returns how many of the pods no nodes of the types help. */
    int unfit() {
        return unfit;
    }

    /**
     * Returns a cost per hour that no nodes of the types fall below that leave at most so many of the pods pending.
     *
     * <p>Pods on one node have shares of it that sum up to at most 1, for each resource and for averages of resources.
     * The same holds for rounded shares, by functions that bin packing calls dual feasible. So each pod is charged the
     * least that its share of a node costs, and the pods with the highest charges may be those that are left. A pod
     * also needs one node at least, and only whole nodes are paid for: the bound is rounded up to a multiple of the
     * greatest common divisor of the prices.
     */
    double of(int left) {
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
        for (int type = 0; type < model.types().size(); type++) {
            if (model.fitting(type) > 0) {
                double price = model.price(type) / SMALLEST_PRICE;
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

    private void charge() {
        List<Pod> charged = new ArrayList<>();
        List<List<Boolean>> typesOfPod = new ArrayList<>();
        boolean isBounded = true;
        int lowest = lowestPriority();
        for (int i = 0; i < trial.pods().size(); i++) {
            Pod pod = trial.pods().get(i);
            if (Rescheduling.dependsOnOthers(pod, cluster)) {
                // It may preempt others on an existing node once it fits there, and leave room to spare.
                isBounded &= !EmptyNodes.mayPreempt(pod) || pod.spec().priority() <= lowest;
            } else if (model.fits(i).contains(true)) {
                charged.add(pod);
                typesOfPod.add(model.fits(i));
            } else {
                unfit++;
            }
        }
        if (!isBounded || charged.isEmpty()) {
            return;
        }
        Map<String, double[][]> roomByScheduler = new LinkedHashMap<>();
        for (Pod pod : charged) {
            roomByScheduler.computeIfAbsent(pod.spec().schedulerName(), name -> countedRoom(name, charged, typesOfPod));
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
                    sorted[i] = charge(model.amounts(pod), typesOfPod.get(i), counted, weights, rounding);
                }
                Arrays.sort(sorted);
                charges.add(sorted);
            }
        }
    }

    private double cheapestNode(List<Boolean> fits) {
        double cheapest = Double.POSITIVE_INFINITY;
        for (int type = 0; type < model.types().size(); type++) {
            cheapest = fits.get(type) ? Math.min(cheapest, model.price(type)) : cheapest;
        }
        return cheapest;
    }

    private int lowestPriority() {
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
        for (int first = 0; first <= model.resources().size(); first++) {
            for (int second = first; second <= model.resources().size(); second++) {
                double[] both = new double[model.resources().size() + 1];
                both[first] += 0.5;
                both[second] += 0.5;
                weights.add(both);
            }
        }
        return weights;
    }

    private double charge(List<Long> amounts, List<Boolean> fits, double[][] counted, double[] weights, int rounding) {
        double least = Double.POSITIVE_INFINITY;
        for (int type = 0; type < model.types().size(); type++) {
            if (fits.get(type)) {
                double share = 0;
                for (int i = 0; i < weights.length; i++) {
                    double part = counted[type][i] > 0 ? amounts.get(i) / counted[type][i] : 0;
                    // More than all of a node cannot be needed of what filters accept.
                    share += part > 1 ? 0 : weights[i] * part;
                }
                least = Math.min(least, rounded(share, rounding) * model.price(type));
            }
        }
        return least;
    }

    private static double rounded(double share, int rounding) {
        return rounding == 0 ? share : Math.max(0, Math.ceil((rounding + 1) * share - ROUNDING_ERROR) - 1) / rounding;
    }

    // The room of an empty node of each type that the scheduler's filters hold against the requests of pods; 0 where
    // they do not.
    private double[][] countedRoom(String schedulerName, List<Pod> charged, List<List<Boolean>> typesOfPod) {
        double[][] counted = new double[model.types().size()][model.resources().size() + 1];
        for (int type = 0; type < model.types().size(); type++) {
            NodeTemplate empty = EmptyNodes.withoutPreemptible(model.types().get(type), trial.pods());
            long[] available = model.roomOf(empty);
            for (int i = 0; i < available.length; i++) {
                for (int p = 0; p < charged.size(); p++) {
                    Pod pod = charged.get(p);
                    long amount = model.amounts(pod).get(i);
                    if (amount > 0
                            && typesOfPod.get(p).get(type)
                            && pod.spec().schedulerName().equals(schedulerName)) {
                        try (EmptyNodes nodes =
                                new EmptyNodes(cluster, trial, withRoom(empty, i, available[i], amount - 1))) {
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
        if (resource == NodeMixModel.PODS) {
            allocatable.put("pods", Quantity.of(type.node().allowedPods() - available + wanted));
        } else {
            ResourceName name = model.resources().get(resource - 1);
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
