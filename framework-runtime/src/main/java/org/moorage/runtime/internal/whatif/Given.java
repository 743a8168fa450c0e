// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;

/**
 * Checks the collections that callers give to what-if questions. A selection of existing nodes or pods is a set:
 * duplicates count once. Objects to add and pods to place must be distinct, because two with one name would be two
 * answers to one question.
 */
public final class Given {
    private Given() {}

    /** Returns the names of nodes without duplicates, in their order. */
    static Set<String> names(Collection<String> nodeNames) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : Objects.requireNonNull(nodeNames, "nodeNames")) {
            names.add(Objects.requireNonNull(name, "nodeName"));
        }
        return Collections.unmodifiableSet(names);
    }

    /** Returns pods of the cluster without duplicates, in their order. */
    static List<Pod> selected(Collection<Pod> pods) {
        Objects.requireNonNull(pods, "pods").forEach(pod -> Objects.requireNonNull(pod, "pod"));
        return Pod.distinct(pods);
    }

    /**
     * Returns the objects, which must be distinct.
     *
     * @throws IllegalArgumentException if two have one kind, namespace and name, two pods have one UID, or a pod has
     *     none
     */
    public static <T extends ClusterObject> List<T> objects(Collection<? extends T> objects) {
        Map<ObjectKind<?>, Set<String>> keys = new HashMap<>();
        Map<String, Pod> podsByUid = new HashMap<>();
        for (T object : Objects.requireNonNull(objects, "objects")) {
            ObjectKind<?> kind = ObjectKind.of(Objects.requireNonNull(object, "object"));
            if (!keys.computeIfAbsent(kind, any -> new HashSet<>()).add(object.key())) {
                throw new IllegalArgumentException(
                        "objects: " + kind.kind() + " " + object.key() + " is given twice (expected: once)");
            }
            if (object instanceof Pod pod) {
                requireOwnUid(pod, podsByUid);
            }
        }
        return List.copyOf(objects);
    }

    // Pods are identified by their UIDs.
    private static void requireOwnUid(Pod pod, Map<String, Pod> podsByUid) {
        if (pod.uid().isEmpty()) {
            throw new IllegalArgumentException("pod " + pod.key()
                    + ": metadata.uid: empty (expected: a UID, such as ObjectDecoder and NewPods give)");
        }
        Pod other = podsByUid.putIfAbsent(pod.uid(), pod);
        if (other != null) {
            throw new IllegalArgumentException("pod " + pod.key() + ": metadata.uid: \"" + pod.uid()
                    + "\" is also the UID of pod " + other.key() + " (expected: a unique UID)");
        }
    }
}
