// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Container;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * What the devices that a pod's claims would be given take of their node.
 *
 * @param areMapped whether one of the devices takes anything at all, if only in other circumstances
 * @param claims how much which claim takes, by name; only those that take anything
 */
record NodeResources(boolean areMapped, List<PodStatus.NodeResourceClaim> claims) {
    private static final NodeResources NONE = new NodeResources(false, List.of());
    private static final String HUGE_PAGES = "hugepages-";

    /**
     * What is in the way of a pod's use of claims that have their devices already: on one node, only one pod can have a claim
     * that takes something of it. Empty if nothing is.
     */
    static Optional<Status> conflict(List<ResourceClaim> claims, Pod pod, NodeInfo node) {
        for (ResourceClaim claim : claims) {
            if (claim.allocation().isPresent() && reaches(claim.allocation().get(), node)) {
                int users = 0;
                boolean isOwn = false;
                List<Pod> there = node.pods();
                for (int i = 0; i < there.size(); i++) {
                    if (uses(there.get(i), pod.namespace(), claim.name())) {
                        users++;
                        isOwn |= there.get(i).uid().equals(pod.uid());
                    }
                }
                if (users > 1) {
                    return Optional.of(Status.unresolvable(
                            "node allocatable resource claim " + claim.name() + " shared by multiple pods"));
                }
                if (users == 1 && !isOwn) {
                    return Optional.of(Status.unresolvable(
                            "node allocatable resource claim " + claim.name() + " is already used by another pod"));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean reaches(DeviceAllocation allocation, NodeInfo node) {
        return allocation.nodeSelector().isEmpty()
                || allocation.nodeSelector().get().matches(node.node());
    }

    private static boolean uses(Pod pod, String namespace, String claimName) {
        List<PodStatus.NodeResourceClaim> claims = pod.status().nodeResourceClaims();
        if (claims.isEmpty() || !pod.namespace().equals(namespace)) {
            return false;
        }
        for (PodStatus.NodeResourceClaim claim : claims) {
            if (claim.claimName().equals(claimName)) {
                return true;
            }
        }
        return false;
    }

    /**
     * What the devices would take.
     *
     * @param pods the claims of a pod
     * @param allocations what those that have no devices yet would be given, in order
     * @param pod the pod
     * @param catalog knows the devices
     * @throws AllocationException if a device takes some of a capacity that claims are not given in parts
     */
    static NodeResources of(PodClaims pods, List<DeviceAllocation> allocations, Pod pod, Catalog catalog) {
        if (!areMapped(allocations, catalog)) {
            return NONE;
        }
        Map<String, DeviceAllocation> byUid = new LinkedHashMap<>();
        Map<String, ResourceClaim> claimByUid = new HashMap<>();
        List<Integer> places = pods.toAllocate();
        for (int i = 0; i < places.size(); i++) {
            ResourceClaim claim = pods.all().get(places.get(i));
            byUid.put(claim.metadata().uid(), allocations.get(i));
            claimByUid.put(claim.metadata().uid(), claim);
        }
        List<PodStatus.NodeResourceClaim> claims = new ArrayList<>();
        for (Map.Entry<String, DeviceAllocation> entry : byUid.entrySet()) {
            ResourceClaim claim =
                    claimByUid.getOrDefault(entry.getKey(), pods.all().get(0));
            Map<String, Quantity> resources = resources(claim, entry.getValue(), catalog);
            if (!resources.isEmpty()) {
                claims.add(new PodStatus.NodeResourceClaim(claim.name(), containers(pod, claim.name()), resources));
            }
        }
        claims.sort(Comparator.comparing(PodStatus.NodeResourceClaim::claimName));
        return new NodeResources(true, List.copyOf(claims));
    }

    private static boolean areMapped(List<DeviceAllocation> allocations, Catalog catalog) {
        for (DeviceAllocation allocation : allocations) {
            for (DeviceAllocation.Result result : allocation.results()) {
                if (!mapped(result, catalog).isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Map<String, Device.NodeResource> mapped(DeviceAllocation.Result result, Catalog catalog) {
        return catalog.device(DeviceId.of(result)).map(Device::nodeResources).orElse(Map.of());
    }

    private static Map<String, Quantity> resources(ResourceClaim claim, DeviceAllocation allocation, Catalog catalog) {
        Map<String, Quantity> total = new HashMap<>();
        for (DeviceAllocation.Result result : allocation.results()) {
            for (Map.Entry<String, Device.NodeResource> entry : new TreeMap<>(mapped(result, catalog)).entrySet()) {
                amount(claim, result, entry.getKey(), entry.getValue())
                        .ifPresent(amount -> total.merge(entry.getKey(), amount, Quantity::plus));
            }
        }
        return total;
    }

    private static Optional<Quantity> amount(
            ResourceClaim claim, DeviceAllocation.Result result, String resource, Device.NodeResource taken) {
        if (taken.capacityKey().isEmpty()) {
            return Optional.of(taken.multiplier().orElse(Quantity.ZERO));
        }
        if (result.shareId().isEmpty()) {
            throw new AllocationException("claim " + claim.key() + ", device " + result.device()
                    + ": ConsumedCapacity is nil, but Capacity key '" + taken.capacityKey()
                    + "' is set in NodeAllocatableResourceMappings for resource " + resource);
        }
        return Optional.ofNullable(result.consumedCapacity().get(taken.capacityKey()))
                .map(consumed -> taken.multiplier().map(consumed::times).orElse(consumed));
    }

    private static List<String> containers(Pod pod, String claimName) {
        List<String> found = new ArrayList<>();
        for (Container container : pod.spec().initContainers()) {
            addIfUsing(container, pod, claimName, found);
        }
        for (Container container : pod.spec().containers()) {
            addIfUsing(container, pod, claimName, found);
        }
        return found;
    }

    private static void addIfUsing(Container container, Pod pod, String claimName, List<String> found) {
        for (String name : container.claims()) {
            for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
                if (entry.name().equals(name)
                        && NamedClaims.claimName(pod, entry).equals(claimName)) {
                    found.add(container.name());
                }
            }
        }
    }

    /** Whether the node has room for that beside what the pod requests itself. */
    Status check(Pod pod, NodeInfo node) {
        if (!areMapped) {
            return Status.success();
        }
        for (PodStatus.NodeResourceClaim claim : claims) {
            if (claim.containers().isEmpty()) {
                return Status.unresolvable("claim " + claim.claimName()
                        + ": node-allocatable resource claim not referenced by any container within the pod");
            }
        }
        Optional<String> exceeded = pod.spec().firstExceededBy(claims);
        if (exceeded.isPresent()) {
            return Status.unresolvable("pod level request for " + exceeded.get()
                    + " is insufficient to cover the aggregated container and node-allocatable DRA requests");
        }
        Shortage shortage = new Shortage(node);
        Resources wanted = pod.spec().requestsWith(claims);
        shortage.add(ResourceName.CPU, wanted.milliCpu());
        shortage.add(ResourceName.MEMORY, wanted.memory());
        shortage.add(ResourceName.EPHEMERAL_STORAGE, wanted.ephemeralStorage());
        for (int i = 0; i < wanted.scalarCount(); i++) {
            if (wanted.scalarName(i).startsWith(HUGE_PAGES)) {
                shortage.addNamed(ResourceName.of(wanted.scalarName(i)), wanted.scalarAmount(i));
            }
        }
        return shortage.status();
    }

    /** What a node has too little of. */
    private static final class Shortage {
        private final NodeInfo node;
        private final List<String> reasons = new ArrayList<>(0);
        private boolean isLasting;

        Shortage(NodeInfo node) {
            this.node = node;
        }

        void add(ResourceName resource, long wanted) {
            if (wanted > 0) {
                addNamed(resource, wanted);
            }
        }

        // Huge pages that are named are lacking on a node that has given away too many, even if none are wanted.
        void addNamed(ResourceName resource, long wanted) {
            if (wanted > node.allocatable(resource) - node.requested(resource)) {
                reasons.add("Insufficient " + resource.name());
                isLasting |= wanted > node.allocatable(resource);
            }
        }

        Status status() {
            if (reasons.isEmpty()) {
                return Status.success();
            }
            String[] all = reasons.toArray(new String[0]);
            return isLasting ? Status.unresolvable(all) : Status.unschedulable(all);
        }
    }
}
