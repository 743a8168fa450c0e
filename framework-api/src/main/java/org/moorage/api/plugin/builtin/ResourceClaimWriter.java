// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.builtin;

import java.util.List;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.cluster.ClusterWriter;

/**
 * A writer of changes to resource claims, with the contract of {@link ClusterWriter}. Each method returns the claim
 * after the change.
 */
@Experimental
public interface ResourceClaimWriter {
    /**
     * Creates the claim for the extended resources of a pod. The pod owns it, and the API server generates its name.
     *
     * @return the claim as it was created
     */
    ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests);

    /**
     * Adds {@link ResourceClaim#FINALIZER}, which an allocated claim must have. If the claim has a version, fails with
     * a conflict on any other version.
     */
    ResourceClaim addFinalizer(ResourceClaim claim);

    /** Removes {@link ResourceClaim#FINALIZER} from a claim for extended resources. */
    ResourceClaim removeFinalizer(ResourceClaim claim);

    /**
     * Sets the allocation of a claim, and reserves it for its consumer. If the claim has a version, fails with a
     * conflict on any other version.
     */
    ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer);

    /** Adds a consumer to those that a claim is reserved for. */
    ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer);

    /** Removes a consumer from those that a claim is reserved for. */
    ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer);

    /**
     * Removes the allocation of a claim, with all reservations and the device status that drivers report. If the claim
     * has a version, fails with a conflict on any other version.
     */
    ResourceClaim deallocate(ResourceClaim claim);
}
