// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/**
 * The pods, groups of pods and nodes at the end of a {@link Simulation}.
 *
 * @param pods the pods that were pending, at the beginning, after a recorded change or since they were created again,
 *     in the order in which they were first tried, and then those that were preempted
 * @param groups the groups of these pods, each group before those below it, and otherwise in the order of their first
 *     pods; none unless the feature GenericWorkload is on
 * @param nodes the nodes, with the pods on them
 */
public record SimulationResult(List<SimulatedPod> pods, List<SimulatedGroup> groups, List<NodePods> nodes) {
    public SimulationResult {
        pods = List.copyOf(pods);
        groups = List.copyOf(groups);
        nodes = List.copyOf(nodes);
    }

    /** A node, and the pods that run on it or wait for a permit to. */
    public record NodePods(Node node, List<Pod> pods) {
        public NodePods {
            Objects.requireNonNull(node, "node");
            pods = List.copyOf(pods);
        }
    }

    // Returns the result of a pod, which must have been pending.
    SimulatedPod pod(Pod pod) {
        for (SimulatedPod simulated : pods) {
            if (simulated.pod().uid().equals(pod.uid())) {
                return simulated;
            }
        }
        throw new IllegalArgumentException("pod: " + pod + " (expected: a pending pod of the simulation)");
    }

    /** Returns the result of a group; empty if no pod of it, or of a group below it, was pending. */
    public Optional<SimulatedGroup> group(GroupKey key) {
        return groups.stream().filter(group -> group.key().equals(key)).findFirst();
    }

    /** The number of pods in a state. */
    public int count(SimulatedPod.State state) {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += pod.state() == state ? 1 : 0;
        }
        return count;
    }
}
