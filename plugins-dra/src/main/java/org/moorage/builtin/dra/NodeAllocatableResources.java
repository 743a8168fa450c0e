// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
 * What the devices that would be allocated to a pod's claims take of the allocatable resources of their node.
 *
 * @param hasMappings whether one of the devices maps a node allocatable resource
 * @param claims what each claim takes, by the name of the claim; without claims that take nothing
 */
record NodeAllocatableResources(boolean hasMappings, List<PodStatus.NodeAllocatableResourceClaimStatus> claims) {
    private static final NodeAllocatableResources NONE = new NodeAllocatableResources(false, List.of());
    private static final String HUGE_PAGES = "hugepages-";

    /**
     * Why a pod cannot share allocated claims with the pods of a node, or empty: a claim that takes allocatable resources of a node
     * is for one pod of the node.
     */
    static Optional<Status> sharingProblem(List<ResourceClaim> claims, Pod pod, NodeInfo node) {
        for (ResourceClaim claim : claims) {
            if (claim.allocation().isPresent() && isAvailable(claim.allocation().get(), node)) {
                int users = 0;
                boolean isUsedByPod = false;
                List<Pod> podsOfNode = node.pods();
                for (int i = 0; i < podsOfNode.size(); i++) {
                    if (uses(podsOfNode.get(i), pod.namespace(), claim.name())) {
                        users++;
                        isUsedByPod |= podsOfNode.get(i).uid().equals(pod.uid());
                    }
                }
                if (users > 1) {
                    return Optional.of(Status.unresolvable(
                            "node allocatable resource claim " + claim.name() + " shared by multiple pods"));
                }
                if (users == 1 && !isUsedByPod) {
                    return Optional.of(Status.unresolvable(
                            "node allocatable resource claim " + claim.name() + " is already used by another pod"));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isAvailable(DeviceAllocation allocation, NodeInfo node) {
        return allocation.nodeSelector().isEmpty()
                || allocation.nodeSelector().get().matches(node.node());
    }

    private static boolean uses(Pod pod, String namespace, String claimName) {
        List<PodStatus.NodeAllocatableResourceClaimStatus> claims = pod.status().nodeAllocatableResourceClaimStatuses();
        if (claims.isEmpty() || !pod.namespace().equals(namespace)) {
            return false;
        }
        for (PodStatus.NodeAllocatableResourceClaimStatus claim : claims) {
            if (claim.claimName().equals(claimName)) {
                return true;
            }
        }
        return false;
    }

    /**
     * What the devices take.
     *
     * @param claims the claims of a pod
     * @param allocations the allocations of those that are not allocated yet, in order
     * @param pod the pod
     * @param slices the devices
     * @throws AllocationException if a device maps a capacity that the allocation does not say the consumed part of
     */
    static NodeAllocatableResources of(
            ClaimStore claims, List<DeviceAllocation> allocations, Pod pod, ResourceSliceIndex slices) {
        if (!hasMappings(allocations, slices)) {
            return NONE;
        }
        // A pod may name a claim twice.
        Map<String, Integer> indexByUid = new HashMap<>();
        for (int i = 0; i < allocations.size(); i++) {
            ResourceClaim claim = claims.all().get(claims.toAllocate().get(i));
            indexByUid.put(claim.metadata().uid(), i);
        }
        List<PodStatus.NodeAllocatableResourceClaimStatus> taken = new ArrayList<>();
        for (int i : indexByUid.values()) {
            ResourceClaim claim = claims.all().get(claims.toAllocate().get(i));
            Map<String, Quantity> resources = resources(claim, allocations.get(i), slices);
            if (!resources.isEmpty()) {
                taken.add(new PodStatus.NodeAllocatableResourceClaimStatus(
                        claim.name(), containers(pod, claim.name()), resources));
            }
        }
        taken.sort(Comparator.comparing(PodStatus.NodeAllocatableResourceClaimStatus::claimName));
        return new NodeAllocatableResources(true, List.copyOf(taken));
    }

    private static boolean hasMappings(List<DeviceAllocation> allocations, ResourceSliceIndex slices) {
        for (DeviceAllocation allocation : allocations) {
            for (DeviceAllocation.Result result : allocation.results()) {
                if (!mappings(result, slices).isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Map<String, Device.NodeAllocatableResourceMapping> mappings(
            DeviceAllocation.Result result, ResourceSliceIndex slices) {
        return slices.device(DeviceId.of(result))
                .map(Device::nodeAllocatableResourceMappings)
                .orElse(Map.of());
    }

    private static Map<String, Quantity> resources(
            ResourceClaim claim, DeviceAllocation allocation, ResourceSliceIndex slices) {
        Map<String, Quantity> total = new HashMap<>();
        for (DeviceAllocation.Result result : allocation.results()) {
            for (Map.Entry<String, Device.NodeAllocatableResourceMapping> entry :
                    new TreeMap<>(mappings(result, slices)).entrySet()) {
                amount(claim, result, entry.getKey(), entry.getValue())
                        .ifPresent(amount -> total.merge(entry.getKey(), amount, Quantity::plus));
            }
        }
        return total;
    }

    private static Optional<Quantity> amount(
            ResourceClaim claim,
            DeviceAllocation.Result result,
            String resource,
            Device.NodeAllocatableResourceMapping mapping) {
        if (mapping.capacityKey().isEmpty()) {
            return Optional.of(mapping.multiplier().orElse(Quantity.ZERO));
        }
        if (result.shareId().isEmpty()) {
            throw new AllocationException("claim " + claim.key() + ", device " + result.device()
                    + ": ConsumedCapacity is nil, but Capacity key '" + mapping.capacityKey()
                    + "' is set in NodeAllocatableResourceMappings for resource " + resource);
        }
        return Optional.ofNullable(result.consumedCapacity().get(mapping.capacityKey()))
                .map(consumed -> mapping.multiplier().map(consumed::times).orElse(consumed));
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
                        && PodResourceClaims.claimName(pod, entry).equals(claimName)) {
                    found.add(container.name());
                }
            }
        }
    }

    /** Whether the node has these resources left, together with what the pod itself requests. */
    Status check(Pod pod, NodeInfo node) {
        if (!hasMappings) {
            return Status.success();
        }
        for (PodStatus.NodeAllocatableResourceClaimStatus claim : claims) {
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
        InsufficientResources insufficient = new InsufficientResources(node);
        Resources requested = pod.spec().requestsWith(claims);
        insufficient.add(ResourceName.CPU, requested.milliCpu());
        insufficient.add(ResourceName.MEMORY, requested.memory());
        insufficient.add(ResourceName.EPHEMERAL_STORAGE, requested.ephemeralStorage());
        for (int i = 0; i < requested.scalarCount(); i++) {
            if (requested.scalarName(i).startsWith(HUGE_PAGES)) {
                insufficient.addNamed(ResourceName.of(requested.scalarName(i)), requested.scalarAmount(i));
            }
        }
        return insufficient.status();
    }

    /** The resources that a node does not have enough of. */
    private static final class InsufficientResources {
        private final NodeInfo node;
        private final List<String> reasons = new ArrayList<>(0);
        private boolean isUnresolvable;

        InsufficientResources(NodeInfo node) {
            this.node = node;
        }

        void add(ResourceName resource, long amount) {
            if (amount > 0) {
                addNamed(resource, amount);
            }
        }

        // Also for an amount of 0 a node does not have enough if its pods request more than it can allocate.
        void addNamed(ResourceName resource, long amount) {
            if (amount > node.allocatable(resource) - node.requested(resource)) {
                reasons.add("Insufficient " + resource.name());
                isUnresolvable |= amount > node.allocatable(resource);
            }
        }

        Status status() {
            if (reasons.isEmpty()) {
                return Status.success();
            }
            String[] all = reasons.toArray(new String[0]);
            return isUnresolvable ? Status.unresolvable(all) : Status.unschedulable(all);
        }
    }
}
