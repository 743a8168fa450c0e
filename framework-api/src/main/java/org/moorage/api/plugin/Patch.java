// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/**
 * A change of an object, told by those of its fields that become different. For example, what lets go of a claim's devices:
 *
 * <pre>{@code
 * Patch.strategic("{\"status\":{\"allocation\":null}}").withPart("status")
 * }</pre>
 *
 * <p>In both types an object is gone into field by field, and null takes a field away. A patch that names the object's {@code
 * metadata.uid} or {@code metadata.resourceVersion} is for that object or that version of it, and fails with a conflict on any
 * other.
 *
 * @param type how lists are changed
 * @param part the part of the object that the cluster takes on its own, such as {@code status}; empty for all but such
 *     parts
 * @param json the patch, as JSON text
 */
public record Patch(Type type, String part, String json) {
    /** How lists are changed. */
    public enum Type {
        /** A list takes the place of the one before: a JSON merge patch. For objects of any kind. */
        MERGE,
        /**
         * Elements are added to a list, or taken from it, where Kubernetes knows what tells them apart: a strategic merge
         * patch. For objects of Kubernetes' own kinds.
         */
        STRATEGIC
    }

    public Patch {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(part, "part");
        Objects.requireNonNull(json, "json");
    }

    /** A JSON merge patch of an object but for its parts that are written on their own. */
    public static Patch merge(String json) {
        return new Patch(Type.MERGE, "", json);
    }

    /** A strategic merge patch of an object but for its parts that are written on their own. */
    public static Patch strategic(String json) {
        return new Patch(Type.STRATEGIC, "", json);
    }

    /** The same patch of a part that is written on its own, such as {@code status}. */
    public Patch withPart(String newPart) {
        return new Patch(type, newPart, json);
    }
}
