// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.StateKey;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.builtin.NodeAllocatableResourceClaims;

/** The Reserve, PreBind and Unreserve steps for the claims of a pod. */
final class ClaimReservations {
    // By the index of the claim.
    private static final StateKey<Map<Integer, DeviceAllocation>> RESERVED =
            StateKey.of(DynamicResources.NAME + "/reserved");
    private static final StateKey<List<ResourceClaim>> BOUND = StateKey.of(DynamicResources.NAME + "/bound");

    private final ClaimTracker tracker;
    private final ClaimBinder binder;
    private final DeviceFeatures features;

    ClaimReservations(ClaimTracker tracker, ClaimBinder binder, DeviceFeatures features) {
        this.tracker = tracker;
        this.binder = binder;
        this.features = features;
    }

    /**
     * Marks the allocations of the chosen node as in flight, so that no other pod gets the devices, except the other
     * pods of the group that is simulated.
     */
    void reserve(CycleState state, StateData data, Pod pod, String nodeName) {
        ClaimStore claims = data.claims();
        Optional<GroupClaims> group = GroupClaims.of(state);
        for (ResourceClaim claim : claims.all()) {
            boolean isHeld = group.isPresent() ? binder.canTakeOver(claim, pod) : binder.takeOver(claim, pod);
            if (!isHeld) {
                throw new PluginException("claim " + claim.key() + " is still being released after an earlier attempt");
            }
        }
        List<Integer> toAllocate = claims.toAllocate();
        if (toAllocate.isEmpty()) {
            return;
        }
        Optional<NodeAllocation> allocation = state.find(NodeAllocation.KEY, nodeName);
        if (allocation.isEmpty()) {
            if (toAllocate.size() == 1 && claims.isExtendedResourceClaim(toAllocate.get(0))) {
                // The node offers the extended resources itself.
                return;
            }
            throw new PluginException("claim allocation not found for node");
        }
        Map<Integer, DeviceAllocation> reserved = new HashMap<>();
        for (int i = 0; i < toAllocate.size(); i++) {
            int index = toAllocate.get(i);
            DeviceAllocation allocated = allocation.get().allocations().get(i);
            ResourceClaim claim = claims.all().get(index);
            if (claims.isExtendedResourceClaim(index)) {
                tracker.addInFlightAllocation(claim.withAllocation(allocated), pod, group);
            } else {
                Optional<ResourceClaim> written =
                        tracker.addUnlessAllocated(claim.withAllocation(allocated), pod, group);
                if (written.isPresent()
                        && data.member().isPresent()
                        && ClaimBinder.hasDevices(written.get(), allocated)) {
                    // Another pod of the group was bound in the meantime, which wrote this allocation.
                    continue;
                }
                // If another client has allocated the claim, PreBind fails.
            }
            reserved.put(index, allocated);
        }
        state.put(RESERVED, Map.copyOf(reserved));
    }

    /**
     * Writes the allocations and reservations to the cluster, and waits until the devices are ready. The allocations
     * are in flight until all of that has succeeded.
     */
    void bind(CycleState state, ClaimStore claims, Pod pod, String nodeName) {
        Map<Integer, DeviceAllocation> reserved = state.find(RESERVED).orElse(Map.of());
        List<ResourceClaim> current = new ArrayList<>(claims.all());
        for (int i = 0; i < current.size(); i++) {
            ResourceClaim claim = current.get(i);
            if (features.isReserved(claim, pod) && features.isReserved(latest(claim), pod)) {
                continue;
            }
            Optional<DeviceAllocation> allocation = Optional.ofNullable(reserved.get(i));
            if (!claims.isExtendedResourceClaim(i)) {
                current.set(i, binder.bind(claim, allocation, claims.consumer(i, pod), pod));
            } else if (allocation.isPresent()) {
                bindExtendedResourceClaim(state, current, allocation.get(), pod, nodeName);
            }
            state.put(BOUND, List.copyOf(current));
        }
        List<PodStatus.NodeAllocatableResourceClaimStatus> nodeResources = nodeResources(state, nodeName);
        if (!nodeResources.isEmpty()) {
            if (!pod.status().nodeAllocatableResourceClaimStatuses().equals(nodeResources)) {
                throw new PluginException("assumed pod status does not match calculated status to be patched");
            }
            binder.patchNodeAllocatableResourceClaimStatuses(pod, nodeResources);
        }
        for (ResourceClaim claim : current) {
            if (features.bindingConditions() && DeviceBindingState.hasBindingConditions(claim)) {
                binder.awaitBindingConditions(current, pod, nodeName);
                break;
            }
        }
        for (int index : reserved.keySet()) {
            tracker.endInFlightAllocation(claims.all().get(index).metadata().uid(), pod);
        }
    }

    private ResourceClaim latest(ResourceClaim claim) {
        return tracker.get(claim.namespace(), claim.name()).orElse(claim);
    }

    private void bindExtendedResourceClaim(
            CycleState state, List<ResourceClaim> current, DeviceAllocation allocation, Pod pod, String nodeName) {
        NodeAllocation ofNode = state.find(NodeAllocation.KEY, nodeName).orElseThrow();
        if (ofNode.mappings().isEmpty()) {
            return;
        }
        int last = current.size() - 1;
        ResourceClaim inMemory = current.get(last);
        ResourceClaim created = binder.create(ofNode.extendedResourceClaim().orElseThrow(), pod);
        // From here on the claim exists, and has to be deleted if the pod is not bound.
        current.set(last, created);
        state.put(BOUND, List.copyOf(current));
        ResourceClaim bound = binder.bind(created, Optional.of(allocation), ResourceClaim.Consumer.of(pod), pod);
        current.set(last, bound);
        tracker.endInFlightAllocation(inMemory.metadata().uid(), pod);
        binder.patchExtendedResourceClaimStatus(pod, bound, ofNode.mappings());
    }

    private static List<PodStatus.NodeAllocatableResourceClaimStatus> nodeResources(CycleState state, String nodeName) {
        return state.find(NodeAllocatableResourceClaims.KEY, nodeName).orElse(List.of());
    }

    /**
     * Reverts {@link #reserve} and {@link #bind}, as far as they got. A failed write, with any exception or error, does
     * not stop the others. During the simulation of a group nothing is written: the claims of an earlier attempt may be
     * of use when the pod is bound, at the end of the same cycle.
     *
     * @throws RuntimeException the first failure, with the others as suppressed exceptions
     */
    void unreserve(CycleState state, ClaimStore claims, Pod pod, String nodeName) {
        if (GroupClaims.of(state).isPresent()) {
            for (ResourceClaim claim : claims.all()) {
                tracker.removeInFlightAllocation(claim.metadata().uid(), pod);
            }
            return;
        }
        List<ResourceClaim> current = state.find(BOUND).orElse(claims.all());
        Map<Integer, DeviceAllocation> reserved = state.find(RESERVED).orElse(Map.of());
        Attempts attempts = new Attempts();
        for (int i = 0; i < current.size(); i++) {
            ResourceClaim claim = current.get(i);
            if (!claims.isExtendedResourceClaim(i)) {
                attempts.run(() -> binder.unbind(claim, pod));
                continue;
            }
            tracker.removeInFlightAllocation(claims.all().get(i).metadata().uid(), pod);
            if (!ExtendedResources.isInMemory(claim)) {
                // A write with an unknown outcome may have allocated it.
                ResourceClaim created = claim.allocation().isPresent() || !reserved.containsKey(i)
                        ? claim
                        : claim.withAllocation(reserved.get(i));
                attempts.run(() -> binder.delete(created, pod));
            }
        }
        if (!nodeResources(state, nodeName).isEmpty()) {
            attempts.run(() -> binder.patchNodeAllocatableResourceClaimStatuses(pod, List.of()));
        }
        attempts.throwFirst();
    }
}
