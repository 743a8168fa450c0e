// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * Checks each change in the API server: a pod must fit on the node that it is bound to, and nothing is allocated twice.
 */
final class Audit implements SchedulerListener {
    private final ModelApiServer server;
    private ModelCluster cluster;
    private final Trace trace;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Node> nodeOfDecision = new HashMap<>();
    private final Map<String, String> lastMessages = new HashMap<>();
    private final Map<String, Boolean> wasBound = new HashMap<>();
    /**
     * The names of deleted groups. Reservations for a group end with it. An API server deletes no group before its
     * pods; the simulation sometimes does.
     */
    private final Set<String> goneGroups = new HashSet<>();

    private boolean wasRestarted;

    Audit(ModelApiServer server, ModelCluster cluster, Trace trace) {
        this.server = server;
        this.cluster = cluster;
        this.trace = trace;
        server.watch(this::changed);
    }

    List<String> problems() {
        return problems;
    }

    /** Continues with the scheduler that replaces a killed one. */
    void restarted(ModelCluster newCluster) {
        cluster = newCluster;
        nodeOfDecision.clear();
        wasRestarted = true;
    }

    /** Returns the message of the last attempt at the pod; empty if there was no attempt. */
    String lastMessage(Pod pod) {
        return lastMessages.getOrDefault(pod.uid(), "");
    }

    @Override
    public void decided(Decision decision) {
        trace.add(
                "decided:",
                decision.pod(),
                decision.pod().uid(),
                decision.outcome(),
                decision.nodeName(),
                decision.message());
        lastMessages.put(decision.pod().uid(), decision.message());
        if (decision.outcome() == Decision.Outcome.SCHEDULED) {
            cluster.told(ObjectKind.NODE, decision.nodeName())
                    .ifPresent(node -> nodeOfDecision.put(decision.pod().uid(), (Node) node));
        }
    }

    @Override
    public void bound(Pod pod, String nodeName, Decision decision) {
        trace.add("bound:", pod, pod.uid(), nodeName);
    }

    @Override
    public void bindingFailed(Pod pod, String nodeName, String message) {
        trace.add("binding failed:", pod, pod.uid(), nodeName, message);
    }

    @Override
    public void backgroundTaskFailed(String profileName, Throwable thrown) {
        trace.add("background task failed:", thrown);
    }

    private void changed(ModelApiServer.Change change) {
        if (change.object() instanceof Pod pod
                && change.type() == ModelApiServer.Type.MODIFIED
                && pod.isBound()
                && wasBound.put(pod.uid(), true) == null) {
            bound(pod);
        } else if (change.object() instanceof PodGroup group && change.type() == ModelApiServer.Type.DELETED) {
            goneGroups.add(group.name());
        }
    }

    private void bound(Pod pod) {
        if (server.bindings(pod.uid()) != 1) {
            problems.add("pod " + pod + ": bound " + server.bindings(pod.uid()) + " times (expected: once)");
        }
        for (String name : claimNames(pod)) {
            Optional<ResourceClaim> claim = server.find(ObjectKind.RESOURCE_CLAIM, pod.namespace() + "/" + name);
            // The scheduler is not responsible for claims that another client deletes in between.
            if (claim.isPresent()
                    && !claim.get().metadata().isDeleting()
                    && !goneGroups.contains(pod.spec().podGroupName())
                    && (claim.get().allocation().isEmpty() || !isReserved(claim.get(), pod))) {
                problems.add("pod " + pod + ": bound without its claim " + name);
            }
        }
        // A node that changed after the decision may be too small for the pod.
        Optional<Node> node = server.find(ObjectKind.NODE, pod.nodeName());
        Node decided = nodeOfDecision.get(pod.uid());
        if (node.isPresent()
                && decided != null
                && decided.metadata().uid().equals(node.get().metadata().uid())
                && decided.allocatable().equals(node.get().allocatable())) {
            fits(node.get(), pod);
        }
    }

    private void fits(Node node, Pod added) {
        long cpu = 0;
        long memory = 0;
        int pods = 0;
        List<HostPort> ports = new ArrayList<>();
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (pod.nodeName().equals(node.name()) && !pod.status().isTerminal()) {
                cpu += pod.requests().milliCpu();
                memory += pod.requests().memory();
                pods++;
                for (HostPort port : pod.spec().hostPorts()) {
                    if (ports.stream().anyMatch(port::conflicts)) {
                        problems.add("node " + node + ": host port " + port.port() + " twice, after " + added);
                    }
                    ports.add(port);
                }
            }
        }
        if (cpu > node.allocatableResources().milliCpu()
                || memory > node.allocatableResources().memory()
                || pods > node.allowedPods()) {
            problems.add(
                    "node " + node + ": " + cpu + "m cpu, " + memory + " bytes, " + pods + " pods (expected: at most "
                            + node.allocatableResources().milliCpu() + ", "
                            + node.allocatableResources().memory() + ", " + node.allowedPods() + "), after " + added);
        }
    }

    static List<String> claimNames(Pod pod) {
        List<String> names = new ArrayList<>();
        for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
            if (!entry.claimName().isEmpty()) {
                names.add(entry.claimName());
            }
        }
        for (PodStatus.ClaimStatus status : pod.status().resourceClaimStatuses()) {
            names.add(status.claimName());
        }
        return names;
    }

    /** Checks the invariants of an idle cluster. */
    void atRest() {
        Map<String, String> claimByDevice = new TreeMap<>();
        for (ResourceClaim claim : server.all(ObjectKind.RESOURCE_CLAIM)) {
            for (DeviceAllocation.Result result :
                    claim.allocation().map(DeviceAllocation::results).orElse(List.of())) {
                String device = result.pool() + "/" + result.device();
                String other = claimByDevice.put(device, claim.key());
                if (other != null) {
                    problems.add("device " + device + ": given to " + other + " and " + claim.key());
                }
            }
            reservedAtRest(claim);
        }
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (pod.isBound() && !pod.status().isTerminal()) {
                boundAtRest(pod);
            }
        }
    }

    // A killed scheduler could not release its reservations. A reservation for a group remains as long as the group
    // exists.
    private void reservedAtRest(ResourceClaim claim) {
        for (ResourceClaim.Consumer consumer : claim.reservedFor()) {
            boolean isUsed = consumer.resource().equals("podgroups")
                    ? server.all(ObjectKind.POD_GROUP).stream()
                            .anyMatch(group -> group.metadata().uid().equals(consumer.uid()))
                    : wasBound.containsKey(consumer.uid());
            if (!isUsed && !wasRestarted) {
                problems.add("claim " + claim.key() + ": reserved for " + consumer + ", which does not use it");
            }
        }
    }

    private void boundAtRest(Pod pod) {
        boolean isScheduled = pod.status()
                .condition(PodCondition.POD_SCHEDULED)
                .filter(condition -> condition.status().equals("True"))
                .isPresent();
        if (!isScheduled) {
            problems.add("bound pod " + pod + ": PodScheduled is not True: "
                    + pod.status().conditions());
        }
        if (!pod.status().nominatedNodeName().isEmpty()) {
            problems.add("bound pod " + pod + ": nominated to " + pod.status().nominatedNodeName());
        }
        for (String name : claimNames(pod)) {
            Optional<ResourceClaim> claim = server.find(ObjectKind.RESOURCE_CLAIM, pod.namespace() + "/" + name);
            if (claim.isPresent()
                    && claim.get().allocation().isPresent()
                    && !goneGroups.contains(pod.spec().podGroupName())
                    && !isReserved(claim.get(), pod)) {
                problems.add("bound pod " + pod + ": claim " + name + " is not reserved for it");
            }
        }
    }

    private static boolean isReserved(ResourceClaim claim, Pod pod) {
        return claim.isReservedFor(pod) || claim.isReservedForGroupOf(pod);
    }
}
