// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * An object of a kind without a type in this model, for example a custom resource that a plugin watches.
 *
 * @param kind its kind
 * @param metadata its name, labels and the like
 * @param json the whole object as JSON text
 */
public record OtherObject(ObjectKind<OtherObject> kind, ObjectMeta metadata, String json) implements ClusterObject {
    /**
     * Returns the object's fields. Each call parses the text: a caller that reads fields for every node should keep the
     * result.
     *
     * @throws IllegalArgumentException if the text is not a JSON object
     */
    public ObjectFields fields() {
        return ObjectFields.of(json);
    }
}
