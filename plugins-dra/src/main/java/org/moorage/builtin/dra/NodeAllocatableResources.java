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
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus.NodeAllocatableResourceClaimStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * The node-allocatable resources that the devices of a pod's claims represent, or consume in addition. An instance
 * serves one scheduling cycle. Safe for use by several threads.
 */
final class NodeAllocatableResources {
    private final Pod pod;
    private final ClaimStore claims;
    private final ResourceSliceIndex slices;
    // By the index of the claim.
    private final Map<Integer, Status> sharingProblems = new HashMap<>();

    NodeAllocatableResources(Pod pod, ClaimStore claims, ResourceSliceIndex slices, DeviceFeatures features) {
        this.pod = pod;
        this.claims = claims;
        this.slices = slices;
        for (int i = 0; i < claims.all().size(); i++) {
            ResourceClaim claim = claims.all().get(i);
            boolean isOfOthers = claims.pendingAllocation(i).isPresent()
                    || !claim.reservedFor().isEmpty() && !features.isReserved(claim, pod);
            if (isOfOthers
                    && claims.allocation(i).filter(this::standsForResources).isPresent()) {
                sharingProblems.put(
                        i,
                        Status.unresolvable("node allocatable resource claim " + claim.name()
                                + " has a mapped device and cannot be shared across pods"));
            }
        }
    }

    private boolean standsForResources(DeviceAllocation allocation) {
        for (DeviceAllocation.Result result : allocation.results()) {
            Optional<Device> device = slices.device(DeviceId.of(result));
            if (device.isPresent()) {
                for (Device.NodeAllocatableResource resource :
                        device.get().nodeAllocatableResources().values()) {
                    if (resource.mapping().isPresent()) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Returns why the pod cannot share an allocated claim with the pods that use it; empty if it can. */
    Optional<Status> sharingProblem(int claim) {
        return Optional.ofNullable(sharingProblems.get(claim));
    }

    /**
     * The resources that the claims take of a node.
     *
     * @param status whether the node has these resources left, together with the pod's own requests
     * @param claims the resources that each claim takes, by claim name; without claims that take nothing
     */
    record Taken(Status status, List<NodeAllocatableResourceClaimStatus> claims) {
        private static final Taken NOTHING = new Taken(Status.success(), List.of());
    }

    /**
     * Returns the resources that the claims take of a node.
     *
     * @param allocations the allocations of the claims that are not allocated yet, in order
     * @throws AllocationException if a device is missing, or represents a capacity whose consumed part is unknown
     */
    Taken on(NodeInfo node, List<DeviceAllocation> allocations) {
        // By uid, since a pod may name a claim twice.
        Map<String, ClaimOnNode> taking = new LinkedHashMap<>();
        int next = 0;
        for (ResourceClaim claim : claims.all()) {
            DeviceAllocation allocation =
                    claim.allocation().isPresent() ? claim.allocation().get() : allocations.get(next++);
            ClaimOnNode onNode = new ClaimOnNode(claim, allocation, node.node());
            if (onNode.takesSomething()) {
                taking.put(claim.metadata().uid(), onNode);
            }
        }
        if (taking.isEmpty()) {
            return Taken.NOTHING;
        }
        List<NodeAllocatableResourceClaimStatus> taken = new ArrayList<>(taking.size());
        for (ClaimOnNode claim : taking.values()) {
            NodeAllocatableResourceClaimStatus ofClaim = claim.taken();
            if (!ofClaim.mapping().isEmpty() || !ofClaim.overhead().isEmpty()) {
                taken.add(ofClaim);
            }
        }
        taken.sort(Comparator.comparing(NodeAllocatableResourceClaimStatus::claimName));
        Status status = PodLevelBudget.problem(pod, taken)
                .orElseGet(() -> InsufficientResources.of(pod.spec().requestsWith(taken), node));
        return new Taken(status, List.copyOf(taken));
    }

    /** A claim with the devices that it has, or would have, on a node. */
    private final class ClaimOnNode {
        private final ResourceClaim claim;
        private final DeviceAllocation allocation;
        private final Node node;
        private final Map<String, Quantity> mapping = new HashMap<>();
        private final Map<String, Device.NodeAllocatableOverhead> overhead = new HashMap<>();

        ClaimOnNode(ResourceClaim claim, DeviceAllocation allocation, Node node) {
            this.claim = claim;
            this.allocation = allocation;
            this.node = node;
        }

        boolean takesSomething() {
            for (DeviceAllocation.Result result : allocation.results()) {
                Optional<Device> device = slices.device(DeviceId.of(result), node);
                if (device.isPresent()
                        && !device.get().nodeAllocatableResources().isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        NodeAllocatableResourceClaimStatus taken() {
            for (DeviceAllocation.Result result : allocation.results()) {
                Device device = slices.device(DeviceId.of(result), node)
                        .orElseThrow(() -> new AllocationException(
                                title(result) + ", driver " + result.driver() + ": device " + result.device()
                                        + " not found in pool " + result.pool() + " for driver " + result.driver()));
                // By name, so that of several errors it is always the same.
                new TreeMap<>(device.nodeAllocatableResources()).forEach((resource, taking) -> {
                    taking.mapping()
                            .flatMap(found -> amount(resource, found, result))
                            .ifPresent(amount -> mapping.merge(resource, amount, Quantity::plus));
                    taking.overhead()
                            .filter(found -> found.perPod().isPresent()
                                    || found.perContainer().isPresent())
                            .ifPresent(found -> overhead.merge(resource, found, NodeAllocatableResources::sum));
                });
            }
            return new NodeAllocatableResourceClaimStatus(claim.name(), containers(), mapping, overhead);
        }

        private String title(DeviceAllocation.Result result) {
            return "claim " + claim.key() + ", device " + result.device();
        }

        private Optional<Quantity> amount(
                String resource, Device.NodeAllocatableMapping found, DeviceAllocation.Result result) {
            if (found.capacityKey().isEmpty()) {
                return found.deviceMultiplier();
            }
            if (result.consumedCapacity().isEmpty()) {
                throw new AllocationException(title(result) + ": ConsumedCapacity is nil, but Capacity key '"
                        + found.capacityKey() + "' is set in NodeAllocatableResources for resource " + resource);
            }
            return Optional.ofNullable(result.consumedCapacity().get(found.capacityKey()))
                    .map(consumed ->
                            found.capacityMultiplier().map(consumed::times).orElse(consumed));
        }

        private List<String> containers() {
            List<String> found = new ArrayList<>();
            pod.spec().initContainers().forEach(container -> addIfUsing(container, found));
            pod.spec().containers().forEach(container -> addIfUsing(container, found));
            return found;
        }

        private void addIfUsing(Container container, List<String> found) {
            for (String name : container.claims()) {
                for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
                    if (entry.name().equals(name)
                            && PodResourceClaims.claimName(pod, entry).equals(claim.name())) {
                        found.add(container.name());
                    }
                }
            }
        }
    }

    private static Device.NodeAllocatableOverhead sum(
            Device.NodeAllocatableOverhead one, Device.NodeAllocatableOverhead other) {
        return new Device.NodeAllocatableOverhead(
                sum(one.perPod(), other.perPod()), sum(one.perContainer(), other.perContainer()));
    }

    private static Optional<Quantity> sum(Optional<Quantity> one, Optional<Quantity> other) {
        return one.isPresent() && other.isPresent() ? Optional.of(one.get().plus(other.get())) : one.or(() -> other);
    }

    /** The resources that a node does not have enough of. */
    private static final class InsufficientResources {
        private final NodeInfo node;
        private final List<String> reasons = new ArrayList<>(0);
        private boolean isUnresolvable;

        private InsufficientResources(NodeInfo node) {
            this.node = node;
        }

        static Status of(Resources requested, NodeInfo node) {
            InsufficientResources insufficient = new InsufficientResources(node);
            insufficient.add(ResourceName.CPU, requested.milliCpu());
            insufficient.add(ResourceName.MEMORY, requested.memory());
            insufficient.add(ResourceName.EPHEMERAL_STORAGE, requested.ephemeralStorage());
            for (int i = 0; i < requested.scalarCount(); i++) {
                if (ResourceName.isHugePages(requested.scalarName(i))) {
                    insufficient.addNamed(ResourceName.of(requested.scalarName(i)), requested.scalarAmount(i));
                }
            }
            return insufficient.status();
        }

        private void add(ResourceName resource, long amount) {
            if (amount > 0) {
                addNamed(resource, amount);
            }
        }

        // Also for an amount of 0 a node does not have enough if its pods request more than it can allocate.
        private void addNamed(ResourceName resource, long amount) {
            if (amount > node.allocatable(resource) - node.requested(resource)) {
                reasons.add("Insufficient " + resource.name());
                isUnresolvable |= amount > node.allocatable(resource);
            }
        }

        private Status status() {
            if (reasons.isEmpty()) {
                return Status.success();
            }
            String[] all = reasons.toArray(new String[0]);
            return isUnresolvable ? Status.unresolvable(all) : Status.unschedulable(all);
        }
    }
}
