// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.EventType;

/**
 * What happened to an object of a cluster that runs.
 *
 * @param kind its kind
 * @param type {@code ADDED}, {@code MODIFIED} or {@code DELETED}
 * @param namespace its namespace; empty if it has none
 * @param name its name
 * @param uid its UID
 * @param object the object, or what it was when it was deleted; empty if a list no longer had it, so that nobody told what it was
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
