// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.OwnerReferences;

/**
 * Creates the claims of generic ephemeral volumes from the volumes' templates, as the ephemeral volume controller does.
 */
public final class EphemeralClaims {
    private final Set<ObjectKey> known = new HashSet<>();
    private final List<ObjectNode> templated = new ArrayList<>();

    /** Creates the claims of a cluster without objects; {@link #seen} adds them. */
    public EphemeralClaims() {}

    /** Adds a claim, or a pod with its uid. */
    public void seen(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isPersistentVolumeClaim()) {
            known.add(key);
        } else if (key.isPod()) {
            templated.addAll(of(object));
        }
    }

    /** Returns the claims of the ephemeral volumes of a pod, which must have a uid. */
    public static List<ObjectNode> of(ObjectNode pod) {
        List<ObjectNode> claims = new ArrayList<>(0);
        if (Fields.isAbsent(pod.path("metadata").path("deletionTimestamp"))) {
            for (JsonNode volume : pod.path("spec").path("volumes")) {
                JsonNode template = volume.path("ephemeral").path("volumeClaimTemplate");
                if (template.isObject()) {
                    claims.add(claim(pod, volume.path("name").asText(), template));
                }
            }
        }
        return claims;
    }

    /** Returns the missing claims. Called after all objects have been seen. */
    public List<ObjectNode> created() {
        templated.removeIf(claim -> !known.add(ObjectKey.of(claim)));
        return templated;
    }

    private static ObjectNode claim(ObjectNode pod, String volume, JsonNode template) {
        ObjectKey owner = ObjectKey.of(pod);
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("name", owner.name() + "-" + volume).put("namespace", owner.namespace());
        for (String field : List.of("labels", "annotations")) {
            if (template.path("metadata").path(field) instanceof ObjectNode values) {
                metadata.set(field, values.deepCopy());
            }
        }
        OwnerReferences.addController(metadata, pod);
        claim.set("spec", template.path("spec").deepCopy());
        return claim;
    }
}
