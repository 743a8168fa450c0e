// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.outage;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.NodePrices.TypeCost;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.disruption.DisruptionSummary;
import org.moorage.app.internal.disruption.PodDisruption;
import org.moorage.app.internal.report.Answer;

/**
 * The result of the failure of nodes.
 *
 * @param nodes the lost nodes
 * @param succeeded whether every pod is rescheduled
 * @param pods the pods on these nodes, by node and name
 * @param preempted the pods on other nodes that are preempted
 * @param pendingBefore the pods that were pending before and do not fit without the outage either
 * @param ofStatefulSets the pods that a StatefulSet creates again only once the Node object is deleted
 * @param withVolume the pending pods with a volume that none of the other nodes can access
 * @param zones the nodes, pods and resources of each zone before and after
 * @param cost the cost of the nodes, if prices are given
 * @param summary the number of pods by outcome
 */
record OutageAnswer(
        List<String> nodes,
        boolean succeeded,
        List<PodDisruption> pods,
        List<PodDisruption> preempted,
        List<PlacedPod> pendingBefore,
        List<Pod> ofStatefulSets,
        List<Pod> withVolume,
        List<ZoneChange> zones,
        Optional<Cost> cost,
        DisruptionSummary summary)
        implements Answer {
    /**
     * A zone before and after the outage.
     *
     * @param zone the zone; empty for nodes without one
     * @param before the zone before
     * @param after the zone after
     */
    record ZoneChange(String zone, ZoneUse before, ZoneUse after) {}

    /**
     * The nodes and pods of a zone.
     *
     * @param nodes the number of nodes
     * @param pods the number of pods on them
     * @param resources the use of each resource
     */
    record ZoneUse(int nodes, int pods, Map<ResourceName, ResourceUse> resources) {}

    /**
     * The cost of the nodes.
     *
     * @param beforePerHour the cost of all nodes per hour before
     * @param afterPerHour the cost of the other nodes per hour
     * @param lost the cost of the lost nodes by type
     */
    record Cost(double beforePerHour, double afterPerHour, List<TypeCost> lost) {}
}
