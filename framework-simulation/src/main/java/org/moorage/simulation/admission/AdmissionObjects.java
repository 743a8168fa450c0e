// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.runtime.cluster.ClusterListener;

/** A listener that passes the objects that admission reads to {@link NewPods}. It does not keep their JSON. */
final class AdmissionObjects implements ClusterListener {
    /**
     * The kinds that admission reads. All are watched as JSON, also those that scheduling reads: its types lack fields
     * that admission needs.
     */
    static final Set<ObjectKind<?>> KINDS = Set.of(
            ObjectKind.other("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false),
            ObjectKind.other("scheduling.k8s.io/v1beta1", "PodGroup", "podgroups", true),
            ObjectKind.other("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", false),
            ObjectKind.other("storage.k8s.io/v1", "StorageClass", "storageclasses", false),
            ObjectKind.other("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", true),
            ObjectKind.other("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", true),
            ObjectKind.other("v1", "LimitRange", "limitranges", true),
            ObjectKind.other("v1", "Namespace", "namespaces", false),
            ObjectKind.other("v1", "PersistentVolumeClaim", "persistentvolumeclaims", true));

    private final NewPods newPods;
    /** The identities of the existing objects, by kind and key. */
    private final Map<ObjectKind<?>, Map<String, Map<String, ?>>> there = new ConcurrentHashMap<>();

    AdmissionObjects(NewPods newPods) {
        this.newPods = newPods;
    }

    @Override
    public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
        Set<String> missing = new HashSet<>(there(kind).keySet());
        for (T object : objects) {
            missing.remove(object.key());
            applied(kind, object);
        }
        missing.forEach(key -> gone(kind, key));
    }

    @Override
    public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
        there(kind).put(object.key(), identity(kind, object));
        try {
            newPods.seen(((OtherObject) object).json());
        } catch (ObjectDecodeException unreadable) {
            // Its last known state stays: one invalid object must not affect the others.
        }
    }

    @Override
    public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
        gone(kind, object.key());
    }

    private void gone(ObjectKind<?> kind, String key) {
        Map<String, ?> identity = there(kind).remove(key);
        if (identity != null) {
            newPods.gone(identity);
        }
    }

    private Map<String, Map<String, ?>> there(ObjectKind<?> kind) {
        return there.computeIfAbsent(kind, any -> new ConcurrentHashMap<>());
    }

    private static Map<String, ?> identity(ObjectKind<?> kind, ClusterObject object) {
        return Map.of(
                "apiVersion",
                kind.apiVersion(),
                "kind",
                kind.kind(),
                "metadata",
                Map.of("namespace", object.namespace(), "name", object.name()));
    }
}
