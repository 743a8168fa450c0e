// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulationResult;

/**
 * The nodes and pods of a cluster at a moment, as a page shows them.
 *
 * @param nodes the nodes
 * @param pods the pods that take room on a node, or are to; not those that have ended
 */
public record ClusterView(List<Node> nodes, List<PodView> pods) {
    /** The state of a pod that has been on its node before anything was simulated. */
    public static final String BOUND = "bound";

    private static final String LOST = "lost";
    private static final String IN_FLIGHT = "inFlight";

    public ClusterView {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
    }

    /**
     * A pod.
     *
     * @param pod the pod
     * @param nodeName the node that it takes room on; empty if there is none
     * @param state its state: {@link #BOUND}, the name of a {@link SimulatedPod.State}, or a part of the scheduling
     *     queue
     * @param message why it has no node, or what it waits for; may be empty
     * @param queued how it waits in the scheduling queue; empty if it is not there, or there is none
     */
    public record PodView(Pod pod, String nodeName, String state, String message, Optional<Queued> queued) {
        public PodView {
            Objects.requireNonNull(pod, "pod");
            Objects.requireNonNull(nodeName, "nodeName");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(message, "message");
            Objects.requireNonNull(queued, "queued");
        }

        PodView(Pod pod, String nodeName, String state, String message) {
            this(pod, nodeName, state, message, Optional.empty());
        }
    }

    /**
     * How a pod waits in the scheduling queue.
     *
     * @param since how long it has been there since it came or was tried last
     * @param attempts how often it was tried
     */
    public record Queued(Duration since, int attempts) {}

    /** Returns a view of a cluster from its objects, without a scheduler. */
    public static ClusterView of(Collection<? extends ClusterObject> objects) {
        List<Node> nodes = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ClusterObject object : objects) {
            if (object instanceof Node node) {
                nodes.add(node);
                names.add(node.name());
            }
        }
        List<PodView> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod && !pod.status().isTerminal()) {
                pods.add(pod.isBound() ? onNode(pod, names) : waiting(pod));
            }
        }
        return new ClusterView(nodes, pods);
    }

    private static PodView onNode(Pod pod, Set<String> nodes) {
        return nodes.contains(pod.nodeName())
                ? new PodView(pod, pod.nodeName(), BOUND, "")
                : new PodView(pod, "", LOST, "node " + pod.nodeName() + " is not in the cluster");
    }

    private static PodView waiting(Pod pod) {
        String message = message(pod);
        String state = pod.metadata().isDeleting()
                ? "deleting"
                : !pod.spec().schedulingGates().isEmpty() ? "gated" : message.isEmpty() ? "pending" : "unschedulable";
        return new PodView(pod, "", state, message);
    }

    // Returns the message that a scheduler wrote to the pod's status.
    private static String message(Pod pod) {
        for (PodCondition condition : pod.status().conditions()) {
            if (condition.type().equals(PodCondition.POD_SCHEDULED)
                    && condition.status().equals("False")) {
                return condition.message();
            }
        }
        List<String> gates = pod.spec().schedulingGates();
        return gates.isEmpty() ? "" : "waiting for scheduling gates: " + gates;
    }

    /** The cluster at the end of a simulation. */
    public static ClusterView of(SimulationResult result) {
        List<PodView> pods = new ArrayList<>();
        Set<String> pending = new HashSet<>();
        for (SimulatedPod pod : result.pods()) {
            String plugin = pod.plugin().isEmpty() ? "" : pod.plugin() + ": ";
            pods.add(new PodView(pod.pod(), pod.nodeName(), AnswerJson.name(pod.state()), plugin + pod.message()));
            pending.add(pod.pod().uid());
        }
        List<Node> nodes = new ArrayList<>();
        for (SimulationResult.NodePods node : result.nodes()) {
            nodes.add(node.node());
            for (Pod pod : node.pods()) {
                if (!pending.contains(pod.uid())) {
                    pods.add(new PodView(pod, node.node().name(), BOUND, ""));
                }
            }
        }
        return new ClusterView(nodes, pods);
    }

    /** The cluster that a running scheduler knows, with its queue. */
    public static ClusterView of(SchedulerDump dump) {
        List<Node> nodes = new ArrayList<>();
        List<PodView> pods = new ArrayList<>();
        // The parts of a dump are of several moments, so that a pod may be in two of them.
        Set<String> seen = new HashSet<>();
        Set<String> atPermit = new HashSet<>();
        dump.waitingPods().forEach(waiting -> atPermit.add(waiting.pod().uid()));
        for (SchedulerDump.CachedNode cached : dump.nodes()) {
            cached.node().ifPresent(nodes::add);
            for (Pod pod : cached.pods()) {
                if (seen.add(pod.uid())) {
                    boolean isLost = cached.isDeleted();
                    pods.add(new PodView(
                            pod,
                            isLost ? "" : cached.name(),
                            isLost ? LOST : atPermit.contains(pod.uid()) ? "waiting" : BOUND,
                            isLost ? "node " + cached.name() + " is not in the cluster" : ""));
                }
            }
        }
        for (SchedulerDump.PendingPod pending : dump.queue().pendingPods()) {
            if (seen.add(pending.pod().uid())) {
                String gate = pending.gatedBy().isEmpty() ? "" : pending.gatedBy() + ": ";
                pods.add(new PodView(
                        pending.pod(),
                        "",
                        // A pending member of a group is being tried.
                        pending.in().equals("pending") ? IN_FLIGHT : pending.in(),
                        gate + message(pending.pod()),
                        Optional.of(new Queued(pending.since(), pending.attempts()))));
            }
        }
        for (Pod pod : dump.queue().inFlightPods()) {
            if (seen.add(pod.uid())) {
                pods.add(new PodView(pod, "", IN_FLIGHT, message(pod)));
            }
        }
        return new ClusterView(nodes, pods);
    }
}
