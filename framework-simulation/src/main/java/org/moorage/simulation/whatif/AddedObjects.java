// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.cluster.ClusterSource;

/** The objects of a cluster and the objects that a query has added to it. */
final class AddedObjects implements ClusterSource {
    private final ClusterSource cluster;
    private final Map<ObjectKind<?>, Map<String, ClusterObject>> added = new HashMap<>();

    AddedObjects(ClusterSource cluster) {
        this.cluster = cluster;
    }

    void add(Collection<? extends ClusterObject> objects) {
        for (ClusterObject object : objects) {
            added.computeIfAbsent(ObjectKind.of(object), any -> new HashMap<>()).put(object.key(), object);
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        return Optional.ofNullable(added.getOrDefault(kind, Map.of()).get(key))
                .map(kind.type()::cast)
                .or(() -> cluster.read(kind, namespace, name));
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        throw new UnsupportedOperationException("watch: objects that a question has added (expected: only reads)");
    }

    @Override
    public void close() {
        // The cluster is the caller's.
    }
}
