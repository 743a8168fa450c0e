// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import org.moorage.objects.tree.Fields;

/** Validates the metadata of an object. */
final class MetadataValidation {
    private static final Set<String> STANDARD_FINALIZERS = Set.of("kubernetes", "orphan", "foregroundDeletion");

    private MetadataValidation() {}

    /**
     * Validates the metadata of an object that has a name.
     *
     * @param name the rules for names of its kind
     */
    static void check(Fields metadata, NameRules.Rules name, FieldErrors errors) {
        String prefix = metadata.text("generateName");
        if (!prefix.isEmpty()) {
            errors.invalid("metadata.generateName", prefix, name.broken(withoutDash(prefix)));
        }
        errors.invalid("metadata.name", metadata.text("name"), name.broken(metadata.text("name")));
        if (!metadata.isBlank("namespace")) {
            errors.invalid(
                    "metadata.namespace", metadata.text("namespace"), NameRules.label(metadata.text("namespace")));
        }
        LabelValidation.labels(metadata, "labels", "metadata.labels", errors);
        LabelValidation.annotations(metadata, "metadata.annotations", errors);
        owners(metadata, errors);
        finalizers(metadata.node().path("finalizers"), errors);
    }

    // More follows the dash.
    private static String withoutDash(String prefix) {
        return prefix.length() > 1 && prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 2) + "a" : prefix;
    }

    private static void owners(Fields metadata, FieldErrors errors) {
        List<Fields> owners = metadata.each("ownerReferences");
        String controller = "";
        for (int i = 0; i < owners.size(); i++) {
            Fields owner = owners.get(i);
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owner.isBlank(field)) {
                    errors.required("metadata.ownerReferences[" + i + "]." + field, "must not be empty");
                }
            }
            if (owner.node().path("controller").asBoolean()) {
                String name = owner.text("kind") + "/" + owner.text("name");
                if (controller.isEmpty()) {
                    controller = name;
                } else {
                    errors.invalid(
                            "metadata.ownerReferences",
                            metadata.node().path("ownerReferences"),
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                }
            }
        }
    }

    private static void finalizers(JsonNode finalizers, FieldErrors errors) {
        for (int i = 0; i < finalizers.size(); i++) {
            String path = "metadata.finalizers[" + i + "]";
            String name = finalizers.path(i).asText("");
            List<String> broken = NameRules.key(name);
            errors.invalid("metadata.finalizers", name, broken);
            if (broken.isEmpty() && !name.contains("/") && !STANDARD_FINALIZERS.contains(name)) {
                errors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }
}
