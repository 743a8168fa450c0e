// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.objects.tree.Fields;

/** The storage classes that are marked as default. Safe for use by several threads. */
final class StorageClasses {
    private static final String CLASS = "storageClassName";
    private static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
    private static final List<String> IS_DEFAULT =
            List.of("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class");

    private record Default(String name, String creationTimestamp) {}

    // The API server takes the newest of several default classes; of equally old ones, the first by name.
    private static final Comparator<Default> FIRST =
            Comparator.comparing(Default::creationTimestamp).reversed().thenComparing(Default::name);

    private final Map<String, Default> defaults = new ConcurrentHashMap<>();

    void seen(ObjectNode storageClass, String name) {
        JsonNode metadata = storageClass.path("metadata");
        if (isDefault(metadata)) {
            defaults.put(
                    name, new Default(name, metadata.path("creationTimestamp").asText("")));
        } else {
            defaults.remove(name);
        }
    }

    void gone(String name) {
        defaults.remove(name);
    }

    private static boolean isDefault(JsonNode metadata) {
        for (String annotation : IS_DEFAULT) {
            if (metadata.path("annotations").path(annotation).asText().equals("true")) {
                return true;
            }
        }
        return false;
    }

    /** Sets the default class of a claim that does not name one. */
    void addDefault(Fields claim) {
        boolean hasBetaClass = claim.node().path("metadata").path("annotations").has(BETA_CLASS);
        if (!hasBetaClass) {
            defaults.values().stream()
                    .min(FIRST)
                    .ifPresent(first -> claim.struct("spec").whenAbsent(CLASS, first.name()));
        }
    }
}
