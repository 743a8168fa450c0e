// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.objects.SourcePosition;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.InputNotes;
import org.moorage.objects.tree.ObjectKey;

/**
 * Manifests that replace the objects of the same kind, namespace and name, as with {@code kubectl apply}. Fields that a
 * server, a controller or a scheduler has written stay: the identity, the owners, annotations of other names, the node
 * or volume, the status, and whole parts that the manifest does not have.
 */
final class ChangedObjects {
    private static final String ANNOTATIONS = "annotations";
    private static final List<String> KEPT_METADATA =
            List.of("uid", "creationTimestamp", "resourceVersion", "ownerReferences");
    /** Includes the replicas: the manifest of a workload that another client scales does not set them. */
    private static final List<String> KEPT_SPEC = List.of("nodeName", "volumeName", "replicas");

    private final Map<ObjectKey, Manifest> manifests = new LinkedHashMap<>();
    private final List<String> replaced = new ArrayList<>();

    /** A manifest, and where it is. */
    record Manifest(ObjectNode tree, SourcePosition position) {}

    /**
     * Reads manifests.
     *
     * @param sources files, folders, or {@code -} for stdin
     * @param notes receives the problems
     */
    static ChangedObjects read(List<String> sources, InputStream stdin, InputNotes notes) {
        ChangedObjects changed = new ChangedObjects();
        ClusterFiles.read(sources, stdin, notes, (tree, position) -> {
            if (ObjectKey.of(tree).name().isEmpty()) {
                notes.passOver(position);
            } else {
                changed.manifests.put(ObjectKey.of(tree), new Manifest(tree, position));
            }
        });
        return changed;
    }

    /**
     * Returns the manifest that replaces an object of the cluster; empty if none does. Each manifest is returned once.
     */
    Optional<Manifest> inPlaceOf(ObjectNode former) {
        if (manifests.isEmpty()) {
            return Optional.empty();
        }
        Optional<Manifest> manifest = Optional.ofNullable(manifests.remove(ObjectKey.of(former)));
        manifest.ifPresent(next -> {
            replaced.add(ObjectKey.of(former).title());
            keep(former, next.tree());
        });
        return manifest;
    }

    private static void keep(ObjectNode former, ObjectNode next) {
        for (Map.Entry<String, JsonNode> part : former.properties()) {
            Fields.of(next).whenAbsent(part.getKey(), part.getValue());
        }
        keep(former, next, "metadata", KEPT_METADATA);
        keep(former, next, "spec", KEPT_SPEC);
        if (former.path("metadata").path(ANNOTATIONS) instanceof ObjectNode annotations
                && next.path("metadata") instanceof ObjectNode metadata) {
            Fields kept = Fields.of(metadata).struct(ANNOTATIONS);
            annotations.properties().forEach(entry -> kept.whenAbsent(entry.getKey(), entry.getValue()));
        }
        // Manifests that are published as examples often have an empty status.
        if (next.path("status").isEmpty() && former.path("status").isObject()) {
            next.set("status", former.path("status"));
        }
    }

    private static void keep(ObjectNode former, ObjectNode next, String part, List<String> fields) {
        if (next.path(part) instanceof ObjectNode object) {
            for (String field : fields) {
                JsonNode value = former.path(part).path(field);
                if (!value.isMissingNode()) {
                    Fields.of(object).whenAbsent(field, value);
                }
            }
        }
    }

    /** Returns the manifests that replaced nothing. Called after all objects have been read. */
    List<Manifest> others() {
        return List.copyOf(manifests.values());
    }

    /** Adds a line about each of both. */
    void tell(InputNotes notes) {
        if (!replaced.isEmpty()) {
            notes.note((replaced.size() == 1 ? "1 object is" : replaced.size() + " objects are") + " replaced: "
                    + InputNotes.names(replaced));
        }
        List<String> added = manifests.keySet().stream().map(ObjectKey::title).toList();
        if (!added.isEmpty()) {
            notes.note((added.size() == 1 ? "1 object is" : added.size() + " objects are")
                    + " added, since the cluster has none of that kind and name: " + InputNotes.names(added));
        }
    }
}
