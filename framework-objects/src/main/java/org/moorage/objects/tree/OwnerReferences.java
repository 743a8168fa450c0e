// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The owners of an object, as its metadata has them. */
public final class OwnerReferences {
    private OwnerReferences() {}

    /** Makes an object the controller of the one with this metadata. */
    public static void addController(ObjectNode metadata, ObjectNode owner) {
        metadata.withArray("ownerReferences")
                .addObject()
                .put("apiVersion", owner.path("apiVersion").asText())
                .put("kind", owner.path("kind").asText())
                .put("name", owner.path("metadata").path("name").asText())
                .put("uid", owner.path("metadata").path("uid").asText())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }
}
