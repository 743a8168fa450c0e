// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.cluster;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.KeptJson;

/** See {@link ClusterSource#none}. */
record NoObjects(String reason) implements ClusterSource {
    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        for (ObjectKind<?> kind : kinds) {
            listener.replaced(kind, List.of());
            if (!kind.equals(ObjectKind.POD) && !kind.equals(ObjectKind.NODE)) {
                listener.unavailable(kind, reason);
            }
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        throw ClusterException.notSent(
                "read " + kind.kind() + " " + name + ": no cluster (expected: " + reason + ")", null);
    }

    @Override
    public void close() {
        // Nothing to release.
    }
}
