// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.EventType;

/**
 * A change of an object of a live cluster.
 *
 * @param kind its kind
 * @param type {@code ADDED}, {@code MODIFIED} or {@code DELETED}
 * @param namespace its namespace; empty if it has none
 * @param name its name
 * @param uid its UID
 * @param object the object, or its last state before it was deleted; empty if it was missing from a list, so that its
 *     last state is not known
 */
public record LiveChange(
        ObjectKind<?> kind,
        EventType type,
        String namespace,
        String name,
        String uid,
        Optional<? extends ClusterObject> object) {
    public LiveChange {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(type, "type");
    }
}
