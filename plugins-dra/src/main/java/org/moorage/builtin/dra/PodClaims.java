// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;

/**
 * The claims of the pod of a cycle. Only what Filter finds out is added while the cycle goes on.
 */
final class PodClaims {
    static final PodClaims NONE = new PodClaims(List.of(), false, Map.of(), Map.of(), null);

    private final List<ResourceClaim> all;
    private final boolean lastIsForExtendedResources;
    private final Map<String, Long> extendedResources;
    private final Map<String, DeviceClass> classByResource;
    private final @Nullable Allocator allocator;
    private final Map<String, Plan> planByNode = new ConcurrentHashMap<>();
    private final Set<Integer> unavailable = ConcurrentHashMap.newKeySet();

    /**
     * What would be done on a node.
     *
     * @param allocations what each claim without devices would be given, in order
     * @param extendedResourceClaim the claim for the extended resources that devices would stand in for
     * @param mappings which container would have which of them
     * @param nodeResources what the claims would take of the node itself
     */
    record Plan(
            List<DeviceAllocation> allocations,
            Optional<ResourceClaim> extendedResourceClaim,
            List<PodStatus.ContainerExtendedResourceRequest> mappings,
            List<PodStatus.NodeResourceClaim> nodeResources) {}

    /**
     * The claims of a pod.
     *
     * @param all its own claims, and last the one for extended resources
     * @param lastIsForExtendedResources whether there is such a one
     * @param extendedResources what the pod requests beside cpu, memory and storage
     * @param classByResource the classes of the devices that may stand in for that
     * @param allocator finds devices; null if all claims have theirs
     */
    PodClaims(
            List<ResourceClaim> all,
            boolean lastIsForExtendedResources,
            Map<String, Long> extendedResources,
            Map<String, DeviceClass> classByResource,
            @Nullable Allocator allocator) {
        this.all = List.copyOf(all);
        this.lastIsForExtendedResources = lastIsForExtendedResources;
        this.extendedResources = extendedResources;
        this.classByResource = Map.copyOf(classByResource);
        this.allocator = allocator;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    List<ResourceClaim> all() {
        return all;
    }

    /** Whether the pod itself names a claim. */
    boolean hasOwn() {
        return all.size() > (lastIsForExtendedResources ? 1 : 0);
    }

    boolean isForExtendedResources(int index) {
        return lastIsForExtendedResources && index == all.size() - 1;
    }

    Optional<ResourceClaim> extendedResourceClaim() {
        return lastIsForExtendedResources ? Optional.of(all.get(all.size() - 1)) : Optional.empty();
    }

    Map<String, Long> extendedResources() {
        return extendedResources;
    }

    Map<String, DeviceClass> classByResource() {
        return classByResource;
    }

    @Nullable
    Allocator allocator() {
        return allocator;
    }

    /** The places of the claims that have no devices yet. */
    List<Integer> toAllocate() {
        List<Integer> places = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).allocation().isEmpty()) {
                places.add(i);
            }
        }
        return places;
    }

    void plan(String nodeName, Plan plan) {
        planByNode.put(nodeName, plan);
    }

    Optional<Plan> plan(String nodeName) {
        return Optional.ofNullable(planByNode.get(nodeName));
    }

    /** What the claims would take of a node itself. */
    List<PodStatus.NodeResourceClaim> nodeResources(String nodeName) {
        Plan plan = planByNode.get(nodeName);
        return plan == null ? List.of() : plan.nodeResources();
    }

    void unavailable(int index) {
        unavailable.add(index);
    }

    boolean isUnavailable(int index) {
        return unavailable.contains(index);
    }
}
