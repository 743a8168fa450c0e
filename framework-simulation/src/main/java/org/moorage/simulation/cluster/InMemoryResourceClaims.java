// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.ResourceClaimWriter;

/** Changes the resource claims of a cluster in memory. */
final class InMemoryResourceClaims implements ResourceClaimWriter {
    private final ObjectTables objects;

    @GuardedBy("objects")
    private int created;

    InMemoryResourceClaims(ObjectTables objects) {
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

    /** Deletes the claims that were created for a pod or group that is gone, and gives back what others gave it alone. */
    void release(ResourceClaim.Consumer gone, String namespace) {
        for (ResourceClaim claim : objects.all(ObjectKind.RESOURCE_CLAIM)) {
            if (!claim.namespace().equals(namespace)) {
                continue;
            }
            Optional<ResourceClaim> left = claim.without(gone);
            if (left.isEmpty()) {
                objects.remove(ObjectKind.RESOURCE_CLAIM, claim.key());
            } else if (!left.get().equals(claim)) {
                objects.update(left.get());
            }
        }
    }
}
