// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaledown;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.answer.NodePrices.TypeCost;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;

/**
 * The nodes that can be removed.
 *
 * @param nodes the nodes that were checked
 * @param together the largest set of nodes found that can be removed together
 * @param summary the result in figures
 */
record ScaleDownAnswer(List<CheckedNode> nodes, List<String> together, Summary summary) implements Answer {
    /**
     * A node.
     *
     * @param node the name
     * @param utilization the requested share of its cpu or memory, whichever is more
     * @param pods the number of its pods that have to be rescheduled
     * @param removable whether it can be removed individually
     * @param together whether it is in the set that can be removed together
     * @param costPerHour its price, if prices are given
     * @param rescheduledTo the new nodes of its pods, by pod
     * @param obstacles the reasons why it cannot be removed
     */
    record CheckedNode(
            String node,
            double utilization,
            int pods,
            boolean removable,
            boolean together,
            Optional<Double> costPerHour,
            Map<String, String> rescheduledTo,
            List<Obstacle> obstacles) {}

    /**
     * Figures.
     *
     * @param nodes the number of nodes that were checked
     * @param removable the number of nodes that can be removed individually
     * @param together the number of nodes that can be removed together
     * @param rounds the number of rounds in which these are drained
     * @param drain the pods of these nodes by outcome
     * @param costPerHour the cost of the checked nodes, if prices are given
     * @param savedPerHour the cost of the nodes that can be removed together
     * @param saved the same by type
     */
    record Summary(
            int nodes,
            int removable,
            int together,
            int rounds,
            DisruptionSummary drain,
            Optional<Double> costPerHour,
            Optional<Double> savedPerHour,
            Optional<List<TypeCost>> saved) {}
}
