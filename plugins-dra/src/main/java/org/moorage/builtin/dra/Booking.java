// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.StateKey;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;

/** What becomes of the claims of a pod from the choice of its node on: noted, then written, or given back. */
final class Booking {
    private static final StateKey<Map<Integer, DeviceAllocation>> RESERVED =
            StateKey.of(DynamicResources.NAME + "/reserved");
    private static final StateKey<List<ResourceClaim>> BOUND = StateKey.of(DynamicResources.NAME + "/bound");

    private final ClaimTracker claims;
    private final ClaimBinder binder;
    private final DeviceFeatures features;

    Booking(ClaimTracker claims, ClaimBinder binder, DeviceFeatures features) {
        this.claims = claims;
        this.binder = binder;
        this.features = features;
    }

    /** Notes which devices the claims are about to be given, so that nobody else is. */
    void reserve(CycleState state, PodClaims pods, String nodeName) {
        List<Integer> places = pods.toAllocate();
        if (places.isEmpty()) {
            return;
        }
        Optional<PodClaims.Plan> plan = pods.plan(nodeName);
        if (plan.isEmpty()) {
            if (places.size() == 1 && pods.isForExtendedResources(places.get(0))) {
                // The node has the resources itself.
                return;
            }
            throw new IllegalStateException("claim allocation not found for node");
        }
        Map<Integer, DeviceAllocation> reserved = new HashMap<>();
        for (int i = 0; i < places.size(); i++) {
            int place = places.get(i);
            DeviceAllocation allocation = plan.get().allocations().get(i);
            ResourceClaim claim = pods.all().get(place);
            reserved.put(place, allocation);
            claims.reserve(claim.withAllocation(allocation));
        }
        state.put(RESERVED, Map.copyOf(reserved));
    }

    /** Writes to the cluster what was noted, and waits until the devices are ready. */
    void bind(CycleState state, PodClaims pods, Pod pod, String nodeName) {
        Map<Integer, DeviceAllocation> reserved = state.find(RESERVED).orElse(Map.of());
        List<ResourceClaim> current = new ArrayList<>(pods.all());
        for (int i = 0; i < current.size(); i++) {
            ResourceClaim claim = current.get(i);
            if (claim.isReservedFor(pod)) {
                continue;
            }
            Optional<DeviceAllocation> given = Optional.ofNullable(reserved.get(i));
            PodClaims.@Nullable Plan plan = pods.plan(nodeName).orElse(null);
            if (!pods.isForExtendedResources(i)) {
                current.set(i, binder.bind(claim, given, pod));
            } else if (given.isPresent() && plan != null && !plan.mappings().isEmpty()) {
                ResourceClaim made = binder.create(plan.extendedResourceClaim().orElseThrow(), pod);
                // From here on it exists, and has to be deleted if the pod does not get to the node.
                current.set(i, made);
                state.put(BOUND, List.copyOf(current));
                ResourceClaim bound = binder.bind(made, given, pod);
                current.set(i, bound);
                claims.settle(claim.metadata().uid());
                binder.publish(pod, bound, plan.mappings());
            }
            state.put(BOUND, List.copyOf(current));
        }
        List<PodStatus.NodeResourceClaim> nodeResources = pods.nodeResources(nodeName);
        if (!nodeResources.isEmpty()) {
            if (!pod.status().nodeResourceClaims().equals(nodeResources)) {
                throw new IllegalStateException("assumed pod status does not match calculated status to be patched");
            }
            binder.publish(pod, nodeResources);
        }
        for (ResourceClaim claim : current) {
            if (features.readiness() && Readiness.hasConditions(claim)) {
                binder.awaitDevices(current, pod, nodeName);
                break;
            }
        }
    }

    /** Takes the claims from a pod that does not get to its node. */
    void unreserve(CycleState state, PodClaims pods, Pod pod, String nodeName) {
        List<ResourceClaim> current = state.find(BOUND).orElse(pods.all());
        for (int i = 0; i < current.size(); i++) {
            if (!pods.isForExtendedResources(i)) {
                binder.unbind(current.get(i), pod);
                continue;
            }
            claims.settle(pods.all().get(i).metadata().uid());
            if (!ExtendedResources.isInMemory(current.get(i))) {
                binder.delete(current.get(i));
            }
        }
        if (!pods.nodeResources(nodeName).isEmpty()) {
            binder.publish(pod, List.of());
        }
    }
}
