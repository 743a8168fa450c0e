// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.Map;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/**
 * An immutable copy of the objects of a store, from which other stores can be created.
 *
 * @param kinds the objects of each kind
 */
public record StoredObjects(Map<ObjectKind<?>, Kind> kinds) {
    /** Copies the map. */
    public StoredObjects {
        kinds = Map.copyOf(kinds);
    }

    /**
     * The objects of a kind.
     *
     * @param byKey the objects, which are of the kind's type, by their keys
     * @param unavailable the reason why they are unavailable; empty if they are available
     */
    public record Kind(Map<String, ? extends ClusterObject> byKey, String unavailable) {}
}
