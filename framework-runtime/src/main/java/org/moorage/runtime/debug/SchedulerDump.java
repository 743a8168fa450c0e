// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.debug;

import java.util.List;
import java.util.Map;
import org.moorage.api.model.Pod;

/**
 * The nodes of a scheduler's cache and the pods of its queue at a moment.
 *
 * @param nodes the nodes
 * @param pendingPods how many pods are in each part of the queue, by its name
 * @param queuedPods the pods of the queue
 */
public record SchedulerDump(List<CachedNode> nodes, Map<String, Integer> pendingPods, List<Pod> queuedPods) {
    public SchedulerDump {
        nodes = List.copyOf(nodes);
        pendingPods = Map.copyOf(pendingPods);
        queuedPods = List.copyOf(queuedPods);
    }

    /**
     * A node of the cache.
     *
     * @param name its name
     * @param isDeleted whether only pods on it are known, and not the node itself
     * @param requested what its pods request, as text
     * @param allocatable what it has, as text
     * @param pods its pods
     * @param assumed the names of those of its pods that the cluster has not confirmed
     */
    public record CachedNode(
            String name,
            boolean isDeleted,
            String requested,
            String allocatable,
            List<Pod> pods,
            List<String> assumed) {
        public CachedNode {
            pods = List.copyOf(pods);
            assumed = List.copyOf(assumed);
        }
    }

    /** The dump in the form of kube-scheduler's. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Dump of cached NodeInfo\n");
        for (CachedNode node : nodes) {
            text.append("\nNode name: ")
                    .append(node.name())
                    .append("\nDeleted: ")
                    .append(node.isDeleted())
                    .append("\nRequested Resources: ")
                    .append(node.requested())
                    .append("\nAllocatable Resources: ")
                    .append(node.allocatable())
                    .append("\nScheduled Pods(number: ")
                    .append(node.pods().size())
                    .append("):\n");
            node.pods().forEach(pod -> append(text, pod, node.assumed().contains(pod.key()) ? ", assumed" : ""));
        }
        text.append("\nDump of scheduling queue\nactiveQ:")
                .append(pendingPods.getOrDefault("active", 0))
                .append("; backoffQ:")
                .append(pendingPods.getOrDefault("backoff", 0))
                .append("; unschedulablePods:")
                .append(pendingPods.getOrDefault("unschedulable", 0) + pendingPods.getOrDefault("gated", 0))
                .append('\n');
        queuedPods.forEach(pod -> append(text, pod, ""));
        return text.toString();
    }

    private static void append(StringBuilder text, Pod pod, String more) {
        text.append("name: ")
                .append(pod.name())
                .append(", namespace: ")
                .append(pod.namespace())
                .append(", uid: ")
                .append(pod.uid())
                .append(", nominated node: ")
                .append(pod.status().nominatedNodeName())
                .append(more)
                .append('\n');
    }
}
