// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;

/**
 * Sends changes of resource claims to the API server. Most are strategic merge patches, which add pods to and remove
 * them from {@code reservedFor} without replacing its other entries.
 */
final class ResourceClaimWrites implements ResourceClaimWriter {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String STATUS = "status";

    private final ObjectPatches patches;
    private final RequestMetrics metrics;

    ResourceClaimWrites(ObjectPatches patches, RequestMetrics metrics) {
        this.patches = patches;
        this.metrics = metrics;
    }

    @Override
    public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
        boolean isCreated = false;
        try {
            ResourceClaim created = patches.create(
                    ObjectKind.RESOURCE_CLAIM, pod.namespace(), ResourceClaimJson.forExtendedResources(pod, requests));
            isCreated = true;
            return created;
        } finally {
            metrics.claimCreated(isCreated);
        }
    }

    // A JSON merge patch, for the claim's resource version. For a strategic merge patch the server rewrites device
    // parameters, with fields reordered and numbers as floating point, and then rejects that as a change of the spec.
    @Override
    public ResourceClaim addFinalizer(ResourceClaim claim) {
        ObjectNode patch = patchOfVersion(claim);
        ArrayNode finalizers = patch.withObject("metadata").putArray("finalizers");
        claim.withFinalizer().finalizers().forEach(finalizers::add);
        return patches.merge(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name(), "", patch);
    }

    // Only for claims for extended resources, which have no parameters.
    @Override
    public ResourceClaim removeFinalizer(ResourceClaim claim) {
        ObjectNode patch = patch(claim);
        patch.withObject("metadata")
                .putArray("$deleteFromPrimitiveList/finalizers")
                .add(ResourceClaim.FINALIZER);
        return patches.mergeStrategically(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name(), "", patch);
    }

    @Override
    public ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer) {
        ObjectNode status = JSON.objectNode();
        status.set("allocation", ResourceClaimJson.allocation(allocation));
        status.putArray("reservedFor").add(json(consumer));
        return patchStatus(claim, patchOfVersion(claim), status);
    }

    @Override
    public ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        ObjectNode status = JSON.objectNode();
        status.putArray("reservedFor").add(json(consumer));
        return patchStatus(claim, patch(claim), status);
    }

    @Override
    public ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
        ObjectNode status = JSON.objectNode();
        status.putArray("reservedFor").addObject().put("$patch", "delete").put("uid", consumer.uid());
        return patchStatus(claim, patch(claim), status);
    }

    @Override
    public ResourceClaim deallocate(ResourceClaim claim) {
        ObjectNode status = JSON.objectNode();
        status.putNull("allocation").putNull("reservedFor").putNull("devices");
        return patchStatus(claim, patchOfVersion(claim), status);
    }

    // The server rejects the patch if the claim's resource version has changed.
    private static ObjectNode patchOfVersion(ResourceClaim claim) {
        ObjectNode patch = patch(claim);
        String version = claim.metadata().resourceVersion();
        if (!version.isEmpty()) {
            patch.withObject("metadata").put("resourceVersion", version);
        }
        return patch;
    }

    private static ObjectNode patch(ResourceClaim claim) {
        ObjectNode patch = JSON.objectNode();
        patch.putObject("metadata").put("uid", claim.metadata().uid());
        return patch;
    }

    private static ObjectNode json(ResourceClaim.Consumer consumer) {
        ObjectNode json = JSON.objectNode();
        if (!consumer.apiGroup().isEmpty()) {
            json.put("apiGroup", consumer.apiGroup());
        }
        return json.put("resource", consumer.resource())
                .put("name", consumer.name())
                .put("uid", consumer.uid());
    }

    private ResourceClaim patchStatus(ResourceClaim claim, ObjectNode patch, ObjectNode status) {
        patch.set(STATUS, status);
        return patches.mergeStrategically(ObjectKind.RESOURCE_CLAIM, claim.namespace(), claim.name(), STATUS, patch);
    }
}
