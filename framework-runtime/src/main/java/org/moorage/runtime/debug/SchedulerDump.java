// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.debug;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.objects.GoDuration;

/**
 * The contents of a scheduler. Each part is consistent, but the parts are read one after another: a pod that moves in
 * between may be in two of them or in none.
 *
 * @param nodes the nodes of the cache, with their pods
 * @param queue the queue
 * @param nominatedPods the pods that are nominated to a node, by node name
 * @param waitingPods the pods that wait for a permit
 * @param podsInPreBind the pods in PreBind
 * @param uncertainBindings the pods whose binding is unknown until they are read from the API server
 * @param statusPatches the UIDs of the pods with a status patch that is running or queued
 * @param objects the numbers of known objects, by kind
 * @param podGroups the pod groups of the cache, with their members
 * @param compositePodGroups the composite pod groups of the cache, with their children
 */
public record SchedulerDump(
        List<CachedNode> nodes,
        Queue queue,
        Map<String, List<Pod>> nominatedPods,
        List<WaitingForPermit> waitingPods,
        List<Pod> podsInPreBind,
        List<Pod> uncertainBindings,
        List<String> statusPatches,
        Map<String, Integer> objects,
        Map<GroupKey, PodGroupState> podGroups,
        Map<GroupKey, CompositePodGroupState> compositePodGroups) {
    public SchedulerDump {
        nodes = List.copyOf(nodes);
        Map<String, List<Pod>> nominated = new HashMap<>();
        nominatedPods.forEach((nodeName, pods) -> nominated.put(nodeName, List.copyOf(pods)));
        nominatedPods = Map.copyOf(nominated);
        waitingPods = List.copyOf(waitingPods);
        podsInPreBind = List.copyOf(podsInPreBind);
        uncertainBindings = List.copyOf(uncertainBindings);
        statusPatches = List.copyOf(statusPatches);
        objects = Map.copyOf(objects);
        podGroups = Map.copyOf(podGroups);
        compositePodGroups = Map.copyOf(compositePodGroups);
    }

    /**
     * A node of the cache.
     *
     * @param name its name
     * @param node the node object; empty if only pods on it are known
     * @param requested the total requests of its pods, as text
     * @param pods its pods
     * @param assumed the names of those of its pods that the cluster has not confirmed
     */
    public record CachedNode(String name, Optional<Node> node, String requested, List<Pod> pods, List<String> assumed) {
        public CachedNode {
            pods = List.copyOf(pods);
            assumed = List.copyOf(assumed);
        }

        /** Returns whether only pods on it are known, and not the node itself. */
        public boolean isDeleted() {
            return node.isEmpty();
        }
    }

    /**
     * A pod that waits for a permit.
     *
     * @param pod the pod
     * @param timeLeft the remaining time until the timeout of each plugin, by plugin name
     */
    public record WaitingForPermit(Pod pod, Map<String, Duration> timeLeft) {
        public WaitingForPermit {
            timeLeft = Collections.unmodifiableMap(new TreeMap<>(timeLeft));
        }

        /** Returns text such as {@code default/worker-0 (GangScheduling: at most 4m30s)}. */
        @Override
        public String toString() {
            List<String> waits = new ArrayList<>();
            timeLeft.forEach((plugin, left) ->
                    waits.add(plugin + ": at most " + GoDuration.format(Duration.ofSeconds(left.toSeconds()))));
            return pod.key() + " (" + String.join(", ", waits) + ")";
        }
    }

    /**
     * The scheduling queue.
     *
     * @param pendingPods the queued pods
     * @param inFlightPods the pods that are being scheduled
     * @param inFlightEvents the numbers of events recorded for these, by label; each of the pods counts as one
     * @param groupsPods whether the members of pod groups are queued together
     */
    public record Queue(
            List<PendingPod> pendingPods,
            List<Pod> inFlightPods,
            Map<String, Integer> inFlightEvents,
            boolean groupsPods) {
        public Queue {
            pendingPods = List.copyOf(pendingPods);
            inFlightPods = List.copyOf(inFlightPods);
            inFlightEvents = Map.copyOf(inFlightEvents);
        }

        private long in(String part) {
            return pendingPods.stream()
                    .filter(pending -> pending.in().equals(part))
                    .count();
        }
    }

    /**
     * A pod of the queue.
     *
     * @param pod the pod
     * @param in its part of the queue: {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}; a
     *     member of a pod group also {@code incomplete} or {@code pending}
     * @param gatedBy the plugin that gates it, or that gates its whole group for another member; empty if none does
     * @param since the time in the queue since it was added or last tried; for a member of a pod group that of its
     *     group
     * @param attempts how often it was tried
     */
    public record PendingPod(Pod pod, String in, String gatedBy, Duration since, int attempts) {}

    /** Returns the dump in kube-scheduler's format, followed by the parts that kube-scheduler's lacks. */
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
                    .append(node.node()
                            .map(known -> known.allocatable().toString())
                            .orElse(""))
                    .append("\nScheduled Pods(number: ")
                    .append(node.pods().size())
                    .append("):\n");
            node.pods().forEach(pod -> append(text, pod, node.assumed().contains(pod.key()) ? ", assumed" : ""));
        }
        if (!podGroups.isEmpty() || !compositePodGroups.isEmpty()) {
            appendGroups(text.append("\nDump of pod groups\n"));
        }
        text.append("\nDump of scheduling queue\nactiveQ:")
                .append(queue.in("active"))
                .append("; backoffQ:")
                .append(queue.in("backoff"))
                .append("; unschedulableEntities:")
                .append(queue.in("unschedulable") + queue.in("gated"));
        if (queue.groupsPods()) {
            text.append("; pendingPodGroupMemberPods:")
                    .append(queue.in("pending"))
                    .append("; incompletePodGroupPods:")
                    .append(queue.in("incomplete"));
        }
        text.append('\n');
        queue.pendingPods().forEach(pending -> append(text, pending.pod(), ""));
        text.append("\nDump of pods being scheduled\ninFlightPods: ")
                .append(keys(queue.inFlightPods()))
                .append("\ninFlightEvents: ")
                .append(new TreeMap<>(queue.inFlightEvents()))
                .append("\nwaitingPods: ")
                .append(waitingPods)
                .append("\npodsInPreBind: ")
                .append(keys(podsInPreBind))
                .append("\nuncertainBindings: ")
                .append(keys(uncertainBindings))
                .append("\nstatusPatches: ")
                .append(statusPatches)
                .append("\nnominatedPods: ");
        Map<String, List<String>> nominated = new TreeMap<>();
        nominatedPods.forEach((nodeName, pods) -> nominated.put(nodeName, keys(pods)));
        return text.append(nominated)
                .append("\n\nDump of known objects\n")
                .append(new TreeMap<>(objects))
                .append('\n')
                .toString();
    }

    private void appendGroups(StringBuilder text) {
        Map<String, String> lines = new TreeMap<>();
        podGroups.forEach((key, state) -> lines.put(
                key.toString(),
                known(state.podGroup()) + ", unscheduled: " + keys(state.unscheduledPods()) + ", assumed: "
                        + keys(state.assumedPods()) + ", assigned: " + keys(state.assignedPods())));
        compositePodGroups.forEach((key, state) ->
                lines.put(key.toString(), known(state.compositePodGroup()) + ", children: " + state.children()));
        lines.forEach((key, line) -> text.append(key).append(line).append('\n'));
    }

    private static String known(Optional<? extends SchedulingGroup> group) {
        return group.isPresent() ? "" : ", not known";
    }

    private static List<String> keys(Collection<Pod> pods) {
        return pods.stream().map(Pod::key).toList();
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
