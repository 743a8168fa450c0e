// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ResourceClaim;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectDecoder;

/** Applies to resource claims the strategic merge patches that schedulers send: of their finalizers and their status. */
public final class ClaimPatch {
    private static final String REMOVED_FINALIZERS = "$deleteFromPrimitiveList/finalizers";
    private static final String DIRECTIVE = "$patch";

    private ClaimPatch() {}

    /**
     * The claim after a patch.
     *
     * @param claim the claim
     * @param patch the patch
     * @param decoder makes the values in the patch
     * @throws ObjectDecodeException if a value in the patch is not what its type demands
     */
    public static ResourceClaim apply(ResourceClaim claim, ObjectNode patch, ObjectDecoder decoder) {
        JsonNode metadata = patch.path("metadata");
        List<String> finalizers = new ArrayList<>(claim.finalizers());
        metadata.path(REMOVED_FINALIZERS).forEach(removed -> finalizers.remove(removed.asText()));
        for (JsonNode added : metadata.path("finalizers")) {
            if (!finalizers.contains(added.asText())) {
                finalizers.add(added.asText());
            }
        }
        JsonNode status = patch.path("status");
        ResourceClaim values = decoder.decode(ObjectKind.RESOURCE_CLAIM, withoutRemovals(patch), false);
        Optional<DeviceAllocation> allocation = status.has("allocation") ? values.allocation() : claim.allocation();
        List<ResourceClaim.Consumer> users = new ArrayList<>(claim.reservedFor());
        if (status.path("reservedFor").isNull()) {
            users.clear();
        }
        for (JsonNode user : status.path("reservedFor")) {
            users.removeIf(known -> known.uid().equals(user.path("uid").asText()));
        }
        users.addAll(values.reservedFor());
        return claim.withFinalizers(finalizers)
                .withStatus(allocation, users, status.has("devices") ? values.devices() : claim.devices());
    }

    private static ObjectNode withoutRemovals(ObjectNode patch) {
        ObjectNode copy = patch.deepCopy();
        if (copy.path("status").path("reservedFor") instanceof ArrayNode users) {
            for (int i = users.size() - 1; i >= 0; i--) {
                if (users.get(i).has(DIRECTIVE)) {
                    users.remove(i);
                }
            }
        }
        return copy;
    }
}
