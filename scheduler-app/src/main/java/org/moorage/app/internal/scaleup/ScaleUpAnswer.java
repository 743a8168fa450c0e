// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scaleup;

import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.whatif.NodeEstimate.End;

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
        List<NodeType> types)
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
     * A number of new nodes that was tried.
     *
     * @param nodes the number of nodes
     * @param pending the number of pods that did not fit
     */
    record Trial(int nodes, int pending) {}
}
