// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;

/**
 * Writes the resource claims of an in-memory cluster, and releases those of deleted pods, as the resource claim
 * controller does.
 */
final class ControlledResourceClaims implements ResourceClaimWriter {
    private final ObjectTable objects;

    @GuardedBy("objects")
    private int created;

    ControlledResourceClaims(ObjectTable objects) {
        this.objects = objects;
    }

    @Override
    public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
        synchronized (objects) {
            created++;
            ObjectMeta metadata = ObjectMeta.named(pod.name() + "-extended-resources-" + String.format("%05d", created))
                    .namespace(pod.namespace())
                    .uid("resourceclaims-" + created)
                    .build();
            return objects.update(ResourceClaim.forExtendedResources(metadata, pod, requests));
        }
    }

    @Override
    public ResourceClaim addFinalizer(ResourceClaim claim) {
        return update(claim, ResourceClaim::withFinalizer);
    }

    @Override
    public ResourceClaim removeFinalizer(ResourceClaim claim) {
        return update(claim, ResourceClaim::withoutFinalizer);
    }

    @Override
    public ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer) {
        synchronized (objects) {
            return objects.update(objects.unchanged(ObjectKind.RESOURCE_CLAIM, claim)
                    .withAllocation(allocation)
                    .withReservationFor(consumer));
        }
    }

    @Override
    public ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        return update(claim, current -> current.withReservationFor(consumer));
    }

    @Override
    public ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        return update(claim, current -> current.withoutReservationFor(consumer));
    }

    @Override
    public ResourceClaim deallocate(ResourceClaim claim) {
        synchronized (objects) {
            return objects.update(
                    objects.unchanged(ObjectKind.RESOURCE_CLAIM, claim).deallocated());
        }
    }

    private ResourceClaim update(ResourceClaim claim, UnaryOperator<ResourceClaim> change) {
        synchronized (objects) {
            return objects.update(change.apply(objects.current(ObjectKind.RESOURCE_CLAIM, claim)));
        }
    }

    /** Deletes the claims that were created for deleted pods, and releases the claims that were reserved for them. */
    void release(Collection<Pod> deleted) {
        Map<String, Set<ResourceClaim.Consumer>> byNamespace = new HashMap<>();
        for (Pod pod : deleted) {
            byNamespace
                    .computeIfAbsent(pod.namespace(), any -> new LinkedHashSet<>())
                    .add(ResourceClaim.Consumer.of(pod));
        }
        byNamespace.forEach((namespace, consumers) -> release(consumers, namespace));
    }

    /**
     * Deletes the claims that were created for deleted consumers of a namespace, and releases those that were reserved
     * for them.
     */
    void release(Set<ResourceClaim.Consumer> deleted, String namespace) {
        Map<String, ResourceClaim.Consumer> byUid = new HashMap<>();
        deleted.forEach(consumer -> byUid.put(consumer.uid(), consumer));
        for (ResourceClaim claim : objects.all(ObjectKind.RESOURCE_CLAIM)) {
            if (claim.namespace().equals(namespace)) {
                release(claim, byUid);
            }
        }
    }

    private void release(ResourceClaim claim, Map<String, ResourceClaim.Consumer> deleted) {
        boolean isOwned = claim.metadata()
                .controller()
                .filter(owner -> deleted.containsKey(owner.uid()))
                .isPresent();
        if (isOwned) {
            objects.remove(ObjectKind.RESOURCE_CLAIM, claim.key());
            return;
        }
        ResourceClaim left = claim;
        for (ResourceClaim.Consumer consumer : claim.reservedFor()) {
            if (deleted.containsKey(consumer.uid())) {
                left = left.without(consumer).orElseThrow();
            }
        }
        if (!left.equals(claim)) {
            objects.update(left);
        }
    }
}
