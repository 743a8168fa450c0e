// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.moorage.api.model.ObjectKind;

/** Identifies an object of a cluster. The API version is not part of it: an object is the same in each version. */
public record ObjectKey(String group, String kind, String namespace, String name) {

    /** Returns the key of an object. */
    public static ObjectKey of(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        return new ObjectKey(
                ObjectKind.groupOf(object.path("apiVersion").asText("")),
                object.path("kind").asText(""),
                metadata.path("namespace").asText(""),
                metadata.path("name").asText(""));
    }

    /** Returns whether the object is a pod. */
    public boolean isPod() {
        return group.isEmpty() && kind.equals("Pod");
    }

    /** Returns whether the object is a claim to a volume. */
    public boolean isPersistentVolumeClaim() {
        return group.isEmpty() && kind.equals("PersistentVolumeClaim");
    }

    /** Returns whether the object is of an API group that every API server serves. */
    public boolean isBuiltIn() {
        return BuiltInKinds.isGroup(group);
    }

    /** Returns whether the object is of a built-in kind without namespaces. */
    public boolean isClusterScoped() {
        return BuiltInKinds.find(group, kind).map(known -> !known.namespaced()).orElse(false);
    }

    /** Returns a uid for an object that has none: the same in each run. */
    public String derivedUid() {
        String path = String.join("/", group, kind, namespace, name);
        return UUID.nameUUIDFromBytes(path.getBytes(UTF_8)).toString();
    }

    /** Returns the object in messages: {@code Pod default/web-0}. */
    public String title() {
        String unqualified = name.isEmpty() ? "(unnamed)" : name;
        return kind + " " + (namespace.isEmpty() ? unqualified : namespace + "/" + unqualified);
    }
}
