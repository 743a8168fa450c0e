// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The cheapest new nodes that were found for the pending pods, of one or several types. Immutable.
 *
 * @param arrival how the nodes are added
 * @param nodes the new nodes, in the order of the steps; empty if new nodes help no pod
 * @param pods the result of scheduling, with these nodes, the pods that do not fit on the existing nodes
 * @param left the pods that are still pending then, except for expendable pods
 * @param lowerBound a cost per hour that no mix of the types falls below that leaves as few pods pending, see
 *     {@link NodeMixSearch}; 0 if none is known
 * @param tried how many mixes were tried
 * @param end the reason why the search ended
 */
public record NodeMix(
        Arrival arrival,
        List<NodesOfType> nodes,
        RescheduledPods pods,
        List<RescheduledPod> left,
        double lowerBound,
        int tried,
        End end) {
    /** Costs that differ by less, relative to the larger one, are equal: the difference is an error of rounding. */
    private static final double PRECISION = 1e-9;

    public NodeMix {
        Objects.requireNonNull(arrival, "arrival");
        nodes = List.copyOf(nodes);
        Objects.requireNonNull(pods, "pods");
        left = List.copyOf(left);
        Objects.requireNonNull(end, "end");
    }

    /**
     * New nodes of one type.
     *
     * @param type the type
     * @param count how many nodes, at least one
     * @param pricePerHour the price per hour of one node
     */
    public record NodesOfType(NodeTemplate type, int count, double pricePerHour) {
        public NodesOfType {
            Objects.requireNonNull(type, "type");
        }

        /** Returns the cost per hour of these nodes. */
        public double costPerHour() {
            return count * pricePerHour;
        }
    }

    /** How new nodes are added. */
    public enum Arrival {
        /** All at the same time: each pod may be scheduled to any of them. */
        TOGETHER,
        /**
         * Type by type, each when the pods have been scheduled to the nodes before. So the nodes that only some pods
         * need are not taken by pods for which cheaper nodes are sufficient.
         */
        IN_STEPS
    }

    /** The reasons to end a search. */
    public enum End {
        /** No mix is cheaper: the cost is the lower bound. */
        CHEAPEST,
        /** Removing and exchanging nodes does not lower the cost; a cheaper mix may exist. */
        NO_IMPROVEMENT,
        /** The maximum number of mixes was tried; a cheaper mix may exist. */
        LIMIT
    }

    /** Returns the cost per hour. */
    public double costPerHour() {
        return nodes.stream().mapToDouble(NodesOfType::costPerHour).sum();
    }

    /** Returns the number of new nodes. */
    public int nodeCount() {
        return nodes.stream().mapToInt(NodesOfType::count).sum();
    }

    /**
     * Returns how much the cost exceeds the lower bound, as a share of the bound: 0.05 for 5 percent; empty if no bound
     * is known.
     */
    public OptionalDouble gap() {
        if (end == End.CHEAPEST) {
            return OptionalDouble.of(0);
        }
        return lowerBound > 0 ? OptionalDouble.of(costPerHour() / lowerBound - 1) : OptionalDouble.empty();
    }

    /** Returns whether a cost is less than another one, apart from errors of rounding. */
    static boolean isLess(double cost, double other) {
        return other - cost > PRECISION * Math.max(cost, other);
    }
}
