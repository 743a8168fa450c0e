// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaleup;

import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.whatif.NodeEstimate.End;
import org.moorage.simulation.whatif.NodeMix;

/**
 * The number of new nodes that the pending pods need.
 *
 * @param succeeded whether all pods fit with nodes of the first type
 * @param pendingBefore the number of pending pods, including displaced ones
 * @param scheduledBefore the number of them that fit on the existing nodes
 * @param displaced the number of them that are pending only because others preempt them
 * @param lost the number of preempted pods that no controller creates again
 * @param maxNodes the maximum number of new nodes of a type
 * @param onOwnNodes pods that may run on one node only and do not fit there
 * @param expendable expendable pods that do not fit; no nodes are added for them
 * @param types the types, the best first
 * @param mix the cheapest mix of the types that was found, if prices are given
 */
record ScaleUpAnswer(
        boolean succeeded,
        int pendingBefore,
        int scheduledBefore,
        int displaced,
        int lost,
        int maxNodes,
        List<PlacedPod> onOwnNodes,
        List<PlacedPod> expendable,
        List<NodeType> types,
        Optional<Mix> mix)
        implements Answer {
    /**
     * A type of nodes.
     *
     * @param type the name
     * @param nodes the number of new nodes; 0 if none help
     * @param scheduled the number of pods that fit with them only
     * @param pending the number of pods that do not fit with them either
     * @param end the reason why the search ended
     * @param everyNumberTried whether every number of nodes below was tried
     * @param daemonPods the number of DaemonSet pods on a new node
     * @param costPerHour the cost of the new nodes, if prices are given
     * @param tried the numbers of nodes that were tried
     * @param podsWithNodes the number of new nodes for which {@code pods} was computed
     * @param pods the pods that do not fit on the existing nodes
     */
    record NodeType(
            String type,
            int nodes,
            int scheduled,
            int pending,
            End end,
            boolean everyNumberTried,
            int daemonPods,
            Optional<Double> costPerHour,
            List<Trial> tried,
            int podsWithNodes,
            List<PlacedPod> pods) {}

    /**
     * A mix of types.
     *
     * @param arrival whether all nodes are added together, or type by type
     * @param nodes the new nodes by type, in the order in which they are added
     * @param costPerHour the cost per hour
     * @param pending the number of pods that do not fit
     * @param lowerBoundPerHour a lower bound of the cost per hour of all mixes of these types; absent if none is known
     * @param tried the number of mixes that were tried
     * @param end the reason why the search ended
     */
    record Mix(
            NodeMix.Arrival arrival,
            List<MixNodes> nodes,
            double costPerHour,
            int pending,
            Optional<Double> lowerBoundPerHour,
            int tried,
            NodeMix.End end) {
        static Mix of(NodeMix mix) {
            return new Mix(
                    mix.arrival(),
                    mix.nodes().stream()
                            .map(nodes -> new MixNodes(
                                    nodes.type().name(), nodes.count(), AmountFormat.rounded(nodes.costPerHour())))
                            .toList(),
                    AmountFormat.rounded(mix.costPerHour()),
                    mix.left().size(),
                    Optional.of(AmountFormat.rounded(mix.lowerBound())).filter(bound -> bound > 0),
                    mix.tried(),
                    mix.end());
        }
    }

    /**
     * The nodes of a type in a mix.
     *
     * @param type the name
     * @param nodes the number of nodes
     * @param costPerHour the cost per hour
     */
    record MixNodes(String type, int nodes, double costPerHour) {}

    /**
     * A number of new nodes that was tried.
     *
     * @param nodes the number of nodes
     * @param pending the number of pods that did not fit
     */
    record Trial(int nodes, int pending) {}
}
