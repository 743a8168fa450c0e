// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.report.Answer;

/**
 * The differences between two snapshots of a cluster.
 *
 * @param succeeded whether the snapshots have the same nodes and pods
 * @param addedNodes the nodes of the second snapshot only
 * @param removedNodes the nodes of the first snapshot only
 * @param changedNodes the nodes whose resources, labels, taints or schedulability differ
 * @param zones the nodes, pods and resources of each zone in both snapshots
 * @param newlyPending the pods that are pending in the second snapshot only
 * @param stillPending the pods that are pending in both
 * @param noLongerPending the pods that are pending in the first snapshot only
 * @param newPods the pods of the second snapshot only
 * @param gonePods the pods of the first snapshot only
 * @param movedPods the pods that are on different nodes
 * @param workloads the workloads whose pods changed
 */
record SnapshotsAnswer(
        boolean succeeded,
        List<Node> addedNodes,
        List<Node> removedNodes,
        List<ChangedNode> changedNodes,
        List<ZoneChange> zones,
        List<PendingPod> newlyPending,
        List<PendingPod> stillPending,
        List<PendingPod> noLongerPending,
        List<Pod> newPods,
        List<Pod> gonePods,
        List<MovedPod> movedPods,
        List<ChangedWorkload> workloads)
        implements Answer {
    /**
     * A node that changed.
     *
     * @param node the name
     * @param changes the changes, such as {@code cordoned} and {@code cpu: 4 -> 8}
     */
    record ChangedNode(String node, List<String> changes) {}

    /**
     * A zone in both snapshots.
     *
     * @param zone the zone; empty for nodes without one
     * @param before the zone in the first snapshot
     * @param after the zone in the second snapshot
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
     * A pending pod.
     *
     * @param pod namespace and name
     * @param message the message of its condition; empty if it has none
     * @param otherNode its node in the other snapshot
     */
    record PendingPod(Pod pod, String message, Optional<String> otherNode) {}

    /**
     * A pod on another node.
     *
     * @param pod namespace and name
     * @param before its node in the first snapshot
     * @param after its node in the second snapshot
     */
    record MovedPod(Pod pod, String before, String after) {}

    /**
     * A workload whose pods changed.
     *
     * @param kind the kind, such as {@code Deployment}; {@code Pod} for a pod without a controller
     * @param workload namespace and name
     * @param before the number of its pods in the first snapshot
     * @param after the number of its pods in the second snapshot
     * @param newPods the number of its pods in the second snapshot only
     * @param gonePods the number of its pods in the first snapshot only
     * @param movedPods the number of its pods on different nodes
     */
    record ChangedWorkload(
            String kind, String workload, int before, int after, int newPods, int gonePods, int movedPods) {}
}
