// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.decode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Decodes objects of the Kubernetes API into those that scheduling reads.
 *
 * <p>Unknown fields are ignored, and fields that are absent or null are empty. A value of the wrong type is an
 * {@link ObjectDecodeException}, and so is a list of objects: decode its items one by one. An object without a UID gets
 * one, which is derived from its kind, namespace and name: pods are told apart by their UIDs.
 *
 * <p>Pods of one template are equal in nearly all of their fields. Equal parts of the objects that one decoder returns
 * are one instance, so the objects of a cluster should come from one decoder. Safe for use by several threads.
 */
public final class ObjectDecoder {
    private final TreeDecoder trees = new TreeDecoder();

    /** Creates a decoder without shared values. */
    public ObjectDecoder() {}

    /**
     * Decodes an object from its text.
     *
     * @param json the object in JSON, as the API server gives it
     * @throws ObjectDecodeException if it is not that, names no kind, is a list, or a value in it has the wrong type
     */
    public ClusterObject decode(String json) {
        return decode(ObjectTrees.of(Objects.requireNonNull(json, "json")));
    }

    /** As {@link #decode(String)}, for a text in UTF-8. */
    public ClusterObject decode(byte[] json) {
        return decode(new String(Objects.requireNonNull(json, "json"), StandardCharsets.UTF_8));
    }

    /**
     * Decodes an object as other clients have it.
     *
     * @param fields the object's fields: texts, numbers, booleans, lists and maps of such values; values deeper than
     *     100 levels are omitted
     * @throws ObjectDecodeException if it names no kind, is a list, or a value in it has the wrong type
     * @throws IllegalArgumentException if there is a value of another type
     */
    public ClusterObject decode(Map<String, ?> fields) {
        return decode(ObjectTrees.of(Objects.requireNonNull(fields, "fields")));
    }

    private ClusterObject decode(ObjectNode object) {
        String kind = object.path("kind").asText("");
        if (isList(object, kind)) {
            throw new ObjectDecodeException(
                    kind + ": a list of objects (expected: one object; decode each of the items of a list)");
        }
        if (object.path("metadata") instanceof ObjectNode metadata
                && metadata.path("uid").asText("").isEmpty()) {
            metadata.put("uid", ObjectKey.of(object).derivedUid());
        }
        return trees.decode(object);
    }

    // A custom resource may be called a list, too, but then it has a name.
    private static boolean isList(ObjectNode object, String kind) {
        return kind.endsWith("List")
                && (kind.equals("List") || object.path("items").isArray())
                && object.path("metadata").path("name").asText("").isEmpty();
    }
}
