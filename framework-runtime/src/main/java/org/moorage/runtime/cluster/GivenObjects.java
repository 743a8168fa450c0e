// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.KeptJson;

/** See {@link ClusterSource#of}. */
final class GivenObjects implements ClusterSource {
    private final Map<ObjectKind<?>, Map<String, ClusterObject>> objects = new LinkedHashMap<>();

    GivenObjects(Collection<? extends ClusterObject> given) {
        for (ClusterObject object : Objects.requireNonNull(given, "objects")) {
            Objects.requireNonNull(object, "object");
            objects.computeIfAbsent(ObjectKind.of(object), kind -> new LinkedHashMap<>())
                    .put(object.key(), object);
        }
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        // Nodes come first, since a pod only counts on a node that exists.
        list(ObjectKind.NODE, listener);
        for (ObjectKind<?> kind : kinds) {
            if (!kind.equals(ObjectKind.NODE)) {
                list(kind, listener);
            }
        }
    }

    @SuppressWarnings("unchecked") // objects are kept by their kinds
    private <T extends ClusterObject> void list(ObjectKind<T> kind, ClusterListener listener) {
        List<ClusterObject> known =
                new ArrayList<>(objects.getOrDefault(kind, Map.of()).values());
        objects.forEach((other, byKey) -> {
            if (!other.equals(kind) && other.toString().equals(kind.toString())) {
                byKey.values().forEach(object -> known.add(completed(kind, object)));
            }
        });
        listener.replaced(kind, (Collection<T>) List.copyOf(known));
    }

    // A custom resource from a file has neither the plural of its kind nor whether the kind is namespaced; the plugin
    // that asks for it knows both.
    @SuppressWarnings("unchecked") // a kind of the same name is one of other objects, too
    private static ClusterObject completed(ObjectKind<?> kind, ClusterObject object) {
        if (!(object instanceof OtherObject other)) {
            return object;
        }
        String namespace = other.metadata().namespace();
        String completed = !kind.namespaced() ? "" : namespace.isEmpty() ? "default" : namespace;
        return new OtherObject(
                (ObjectKind<OtherObject>) kind,
                other.metadata().toBuilder().namespace(completed).build(),
                other.json());
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        return Optional.ofNullable(objects.getOrDefault(kind, Map.of()).get(key))
                .map(kind.type()::cast);
    }

    @Override
    public void close() {
        // Nothing to release.
    }
}
