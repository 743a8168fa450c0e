// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;

/** Changes resource claims, as {@link ClusterWriter} does. Each method but for the first returns the claim after the change. */
public interface ResourceClaimWriter {
    /**
     * Creates the claim for the extended resources of a pod. The pod owns it, and the cluster gives it a name.
     *
     * @return the claim as it was created
     */
    ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests);

    /**
     * Adds {@link ResourceClaim#FINALIZER}, which an allocated claim must have. For the version of the claim that is passed, if it has
     * one.
     */
    ResourceClaim addFinalizer(ResourceClaim claim);

    /** Removes {@link ResourceClaim#FINALIZER} from a claim for extended resources. */
    ResourceClaim removeFinalizer(ResourceClaim claim);

    /** Sets the allocation of a claim, and reserves it for who is to use it. For the version of the claim that is passed, if it has one. */
    ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer);

    /** Reserves a claim for one more, beside those that it is reserved for already. */
    ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer);

    /** Removes one from those that a claim is reserved for. */
    ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer);

    /**
     * Removes the allocation of a claim, with all reservations and what drivers report of its devices. For the version of the
     * claim that is passed, if it has one.
     */
    ResourceClaim deallocate(ResourceClaim claim);
}
