// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Quantity;
import org.moorage.sigs.NumaRequests.Request;
import org.moorage.sigs.NumaRequests.Resource;

/** Scores nodes by the cells that a guaranteed pod would use. */
final class NumaScore {
    private static final int PERCENT = 100;
    // A combination of cells is searched for among so many; enough for any 3 of 64 cells, or all of 16.
    private static final int MOST_COMBINATIONS = 100_000;

    private final Strategy strategy;
    private final List<Weight> weights;

    /** The scoring strategy. */
    enum Strategy {
        LEAST_ALLOCATED,
        MOST_ALLOCATED,
        BALANCED_ALLOCATION,
        LEAST_NUMA_NODES
    }

    /**
     * The weight of a resource.
     *
     * @param name the name of the resource
     * @param weight its weight; one below 1 counts as 1
     */
    record Weight(String name, long weight) {}

    NumaScore(Strategy strategy, List<Weight> weights) {
        this.strategy = strategy;
        this.weights = List.copyOf(weights);
    }

    /** Returns the score of a node, from 0 to 100. */
    long of(NumaRequests pod, NodeTopology topology) {
        boolean isPodScope = topology.config().scope() == NodeTopology.Scope.POD;
        if (strategy == Strategy.LEAST_NUMA_NODES) {
            return isPodScope ? leastCellsOfPod(pod, topology) : leastCellsOfContainers(pod, topology);
        }
        if (topology.config().policy() != NodeTopology.Policy.SINGLE_NUMA_NODE) {
            return 0;
        }
        return isPodScope ? lowestOfCells(pod.ofPod(), topology) : meanOfContainers(pod, topology);
    }

    private long meanOfContainers(NumaRequests pod, NodeTopology topology) {
        double sum = 0;
        for (int i = 0; i < pod.initContainers().size(); i++) {
            sum += lowestOfCells(pod.initContainers().get(i), topology);
        }
        for (int i = 0; i < pod.containers().size(); i++) {
            sum += lowestOfCells(pod.containers().get(i), topology);
        }
        return (long) (sum / (pod.initContainers().size() + pod.containers().size()));
    }

    // A score of 0 gives way to any other, so that cells that do not fit have no say.
    private long lowestOfCells(Request request, NodeTopology topology) {
        long lowest = 0;
        for (int cell = 0; cell < topology.cells(); cell++) {
            long score = ofCell(request, topology, cell);
            if (lowest == 0 || score != 0 && score < lowest) {
                lowest = score;
            }
        }
        return lowest;
    }

    private long ofCell(Request request, NodeTopology topology, int cell) {
        if (request.resources().isEmpty()) {
            return 0;
        }
        return strategy == Strategy.BALANCED_ALLOCATION
                ? balance(request, topology, cell)
                : weightedShare(request, topology, cell);
    }

    private long weightedShare(Request request, NodeTopology topology, int cell) {
        long sum = 0;
        long weightSum = 0;
        for (int i = 0; i < request.resources().size(); i++) {
            Resource resource = request.resources().get(i);
            long weight = weight(resource.name());
            sum += weight * share(resource, available(resource, topology, cell));
            weightSum += weight;
        }
        return sum / weightSum;
    }

    // In whole units, as scheduler-plugins counts: half a core is one.
    private long share(Resource resource, @Nullable Quantity available) {
        if (available == null || available.isZero() || resource.amount().compareTo(available) > 0) {
            return 0;
        }
        long capacity = available.value();
        long requested = resource.amount().value();
        return strategy == Strategy.LEAST_ALLOCATED
                ? (capacity - requested) * PERCENT / capacity
                : requested * PERCENT / capacity;
    }

    private long weight(String name) {
        for (int i = 0; i < weights.size(); i++) {
            if (weights.get(i).name().equals(name)) {
                return Math.max(1, weights.get(i).weight());
            }
        }
        return 1;
    }

    // 100 minus the sample variance of the used fractions. The second sum corrects the error of rounding of the first.
    private static long balance(Request request, NodeTopology topology, int cell) {
        int count = request.resources().size();
        double sum = 0;
        for (int i = 0; i < count; i++) {
            double fraction = fraction(request.resources().get(i), topology, cell);
            if (fraction > 1) {
                return 0;
            }
            sum += fraction;
        }
        if (count == 1) {
            return NodeScores.MAX;
        }
        double mean = sum / count;
        double squares = 0;
        double compensation = 0;
        for (int i = 0; i < count; i++) {
            double difference = fraction(request.resources().get(i), topology, cell) - mean;
            squares += difference * difference;
            compensation += difference;
        }
        double variance = (squares - compensation * compensation / count) / (count - 1);
        return (long) ((1 - variance) * NodeScores.MAX);
    }

    private static double fraction(Resource resource, NodeTopology topology, int cell) {
        Quantity available = available(resource, topology, cell);
        return available == null || available.value() == 0
                ? 1
                : (double) resource.amount().value() / available.value();
    }

    private static @Nullable Quantity available(Resource resource, NodeTopology topology, int cell) {
        int index = topology.resource(resource.name());
        return index == NodeTopology.NONE ? null : topology.available(index, cell);
    }

    private static long leastCellsOfPod(NumaRequests pod, NodeTopology topology) {
        if (hasNoCells(pod.ofPod(), topology)) {
            return NodeScores.MAX;
        }
        Combination found = new Search(pod.ofPod(), topology, topology.amounts()).run();
        return found == null ? 0 : byCells(found.numbers().length, found.isOptimal(), topology);
    }

    private static long leastCellsOfContainers(NumaRequests pod, NodeTopology topology) {
        @Nullable Quantity[][] left = topology.copyOfAmounts();
        int most = 0;
        boolean isOptimal = true;
        int initContainers = pod.initContainers().size();
        for (int i = 0; i < initContainers + pod.containers().size(); i++) {
            Request request = i < initContainers
                    ? pod.initContainers().get(i)
                    : pod.containers().get(i - initContainers);
            if (hasNoCells(request, topology)) {
                continue;
            }
            Combination found = new Search(request, topology, left).run();
            if (found == null) {
                return 0;
            }
            isOptimal &= found.isOptimal();
            most = Math.max(most, found.numbers().length);
            drain(request, found.numbers(), topology, left);
        }
        return most == 0 ? NodeScores.MAX : byCells(most, isOptimal, topology);
    }

    // More cells than the topology manager supports score 0.
    private static long byCells(int cells, boolean isOptimal, NodeTopology topology) {
        long perCell = NodeScores.MAX / topology.config().maxNumaNodes();
        return Math.max(0, NodeScores.MAX - cells * perCell + (isOptimal ? perCell / 2 : 0));
    }

    private static boolean hasNoCells(Request request, NodeTopology topology) {
        for (int i = 0; i < request.resources().size(); i++) {
            if (topology.resource(request.resources().get(i).name()) != NodeTopology.NONE) {
                return false;
            }
        }
        return true;
    }

    // Takes the request from the cells in ascending order of their numbers, where scheduler-plugins uses the number as
    // the index in the list of cells. A number without such a cell is skipped.
    private static void drain(
            Request request, int[] ascendingNumbers, NodeTopology topology, @Nullable Quantity[][] left) {
        for (Resource resource : request.resources()) {
            int index = topology.resource(resource.name());
            Quantity wanted = resource.amount();
            for (int i = 0; i < ascendingNumbers.length && index != NodeTopology.NONE && !wanted.isZero(); i++) {
                int cell = ascendingNumbers[i];
                Quantity before = cell < topology.cells() ? left[index][cell] : null;
                if (before != null) {
                    Quantity taken = wanted.compareTo(before) < 0 ? wanted : before;
                    wanted = wanted.minus(taken);
                    left[index][cell] = before.minus(taken);
                }
            }
        }
    }

    /**
     * A set of cells that together have what is requested.
     *
     * @param numbers the distinct numbers of the cells, ascending
     * @param isOptimal whether no set of so many cells has a lower average distance
     */
    private record Combination(int[] numbers, boolean isOptimal) {
        static Combination of(int[] cells, int size, boolean isOptimal, NodeTopology topology) {
            long numbers = 0;
            for (int i = 0; i < size; i++) {
                numbers |= 1L << topology.number(cells[i]);
            }
            int[] ascending = new int[Long.bitCount(numbers)];
            for (int i = 0; i < ascending.length; i++) {
                ascending[i] = Long.numberOfTrailingZeros(numbers);
                numbers &= numbers - 1;
            }
            return new Combination(ascending, isOptimal);
        }
    }

    /** The search for the smallest set of cells, by size and then by average distance. */
    private static final class Search {
        private final Request request;
        private final NodeTopology topology;
        private final @Nullable Quantity[][] left;
        private final int[] cells;
        private int tried;

        Search(Request request, NodeTopology topology, @Nullable Quantity[][] left) {
            this.request = request;
            this.topology = topology;
            this.left = left;
            cells = new int[topology.cells()];
        }

        /** Returns the first of the best sets; null if there is none, or if the search is too long. */
        @Nullable
        Combination run() {
            for (int size = 1; size <= cells.length && tried < MOST_COMBINATIONS; size++) {
                Combination found = ofSize(size);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private @Nullable Combination ofSize(int size) {
            float least = leastDistance(size);
            int[] best = null;
            float bestDistance = Float.POSITIVE_INFINITY;
            boolean isNext = first(size);
            while (isNext && tried++ < MOST_COMBINATIONS) {
                if (hasRequested(size)) {
                    float distance = topology.averageDistance(cells, size);
                    if (distance == least) {
                        return Combination.of(cells, size, true, topology);
                    }
                    // Distances above 255 are as bad as none at all.
                    if (distance < bestDistance && distance < 256) {
                        bestDistance = distance;
                        best = cells.clone();
                    }
                }
                isNext = next(size);
            }
            return best == null ? null : Combination.of(best, size, false, topology);
        }

        // It depends on the node alone, so it is kept for all pods.
        private float leastDistance(int size) {
            float known = topology.leastDistance(size);
            if (!Float.isNaN(known)) {
                return known;
            }
            float least = 255;
            int combinations = 0;
            for (boolean isNext = first(size); isNext && combinations++ < MOST_COMBINATIONS; isNext = next(size)) {
                least = Math.min(least, topology.averageDistance(cells, size));
            }
            topology.keepLeastDistance(size, least);
            return least;
        }

        private boolean first(int size) {
            for (int i = 0; i < size; i++) {
                cells[i] = i;
            }
            return true;
        }

        // Moves on to the next combination, in lexicographic order.
        private boolean next(int size) {
            int i = size - 1;
            while (i >= 0 && cells[i] == cells.length - size + i) {
                i--;
            }
            if (i < 0) {
                return false;
            }
            cells[i]++;
            for (int j = i + 1; j < size; j++) {
                cells[j] = cells[j - 1] + 1;
            }
            return true;
        }

        private boolean hasRequested(int size) {
            for (int i = 0; i < request.resources().size(); i++) {
                if (!hasRequested(request.resources().get(i), size)) {
                    return false;
                }
            }
            return true;
        }

        private boolean hasRequested(Resource resource, int size) {
            int index = topology.resource(resource.name());
            if (index == NodeTopology.NONE) {
                return false;
            }
            Quantity sum = Quantity.ZERO;
            for (int i = 0; i < size; i++) {
                Quantity available = left[index][cells[i]];
                if (available == null) {
                    return false;
                }
                sum = size == 1 ? available : sum.plus(available);
            }
            return resource.isZero() || sum.compareTo(resource.amount()) >= 0;
        }
    }
}
