// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The result of the failure of nodes. Immutable.
 *
 * @param nodes the nodes that are lost, in the order in which they were named
 * @param pods the pods that were on them, each once, by node and then by name
 * @param preempted the pods on other nodes that have to leave for those that were lost
 * @param waitedBefore the pods that were pending before and would not have fit anyway, and where they are now
 * @param ofStatefulSets those of the pods that a StatefulSet creates again no sooner than the Node object is gone
 * @param withVolume those of the pending pods with a volume that none of the other nodes can access
 * @param zones the room of each zone before and after
 */
public record NodeLossResult(
        List<String> nodes,
        List<DisruptedPod> pods,
        List<DisruptedPod> preempted,
        List<RescheduledPod> waitedBefore,
        List<DisruptedPod> ofStatefulSets,
        List<DisruptedPod> withVolume,
        List<ZoneRoom> zones) {
    public NodeLossResult {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        preempted = List.copyOf(preempted);
        waitedBefore = List.copyOf(waitedBefore);
        ofStatefulSets = List.copyOf(ofStatefulSets);
        withVolume = List.copyOf(withVolume);
        zones = List.copyOf(zones);
    }

    /** Returns whether every pod with a controller is scheduled. */
    public boolean isComplete() {
        return pods.stream().allMatch(DisruptedPod::isSettled)
                && preempted.stream().allMatch(DisruptedPod::isSettled);
    }
}
