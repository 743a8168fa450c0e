// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;

/**
 * The kinds of custom resources. A definition or a plugin defines the plural and whether the kind is namespaced; the
 * resources themselves do not contain these.
 */
public final class CustomResources {
    /** The reason why no pods are created from a custom resource. */
    public static final String NO_CONTROLLER = "a custom resource, whose controller is not known here";

    private static final String DEFAULT_NAMESPACE = "default";

    private final TreeDecoder decoder;
    private final Map<String, ObjectKind<OtherObject>> kinds = new HashMap<>();

    public CustomResources(TreeDecoder decoder) {
        this.decoder = decoder;
    }

    /** Returns an independent copy, to which more kinds may be added. */
    public CustomResources copy() {
        CustomResources copy = new CustomResources(decoder);
        copy.kinds.putAll(kinds);
        return copy;
    }

    /** Takes note of a kind. */
    public void know(ObjectKind<OtherObject> kind) {
        kinds.put(kind.toString(), kind);
    }

    /** Takes note of an object if it defines a kind. */
    public void seen(ObjectNode object) {
        if (!object.path("kind").asText("").equals("CustomResourceDefinition")) {
            return;
        }
        JsonNode spec = object.path("spec");
        String group = spec.path("group").asText("");
        boolean namespaced = !spec.path("scope").asText("").equals("Cluster");
        for (JsonNode version : spec.path("versions")) {
            know(ObjectKind.other(
                    group + "/" + version.path("name").asText(""),
                    spec.path("names").path("kind").asText(""),
                    spec.path("names").path("plural").asText(""),
                    namespaced));
        }
    }

    /** Returns whether an object is a custom resource with a pod template that no controller has processed yet. */
    public static boolean isUnseenWorkload(ObjectNode object) {
        boolean isCustom = ObjectKey.of(object).group().contains(".")
                && !ObjectKey.of(object).isBuiltIn();
        return isCustom && object.path("status").isEmpty() && hasTemplate(object.path("spec"));
    }

    private static boolean hasTemplate(JsonNode value) {
        if (value.path("template").path("spec").path("containers").isArray()) {
            return true;
        }
        for (JsonNode part : value) {
            if (hasTemplate(part)) {
                return true;
            }
        }
        return false;
    }

    /** Sets the kind of the objects of known kinds, and a namespace if they need one. */
    public void complete(List<ClusterObject> objects) {
        objects.replaceAll(this::complete);
    }

    /** As {@link #complete(List)}, for one object. */
    public ClusterObject complete(ClusterObject object) {
        if (!(object instanceof OtherObject other)) {
            return object;
        }
        ObjectKind<OtherObject> kind = kinds.get(other.kind().toString());
        if (kind == null) {
            return object;
        }
        String namespace = other.metadata().namespace();
        boolean isInPlace = namespace.isEmpty() != kind.namespaced();
        return isInPlace ? new OtherObject(kind, other.metadata(), other.json()) : moved(other, kind);
    }

    private OtherObject moved(OtherObject object, ObjectKind<OtherObject> kind) {
        try {
            ObjectNode tree = ObjectStreams.object(object.json());
            ObjectNode metadata = tree.withObject("/metadata");
            if (kind.namespaced()) {
                metadata.put("namespace", DEFAULT_NAMESPACE);
            } else {
                metadata.remove("namespace");
            }
            return decoder.decode(kind, tree, Set.of());
        } catch (IOException e) {
            throw new IllegalStateException("json: " + object.json() + " (expected: a JSON object)", e);
        }
    }
}
