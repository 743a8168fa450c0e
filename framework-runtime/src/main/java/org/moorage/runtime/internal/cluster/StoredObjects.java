// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.Map;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;

/**
 * The objects of a cluster as a store had them at a moment, for other stores to begin with. They do not change.
 *
 * @param kinds what was known of each kind
 */
public record StoredObjects(Map<ObjectKind<?>, Kind> kinds) {
    /** Does not change any more. */
    public StoredObjects {
        kinds = Map.copyOf(kinds);
    }

    /**
     * The objects of a kind.
     *
     * @param byKey the objects, which are of the kind's type, by their keys
     * @param unavailable why they are not known; empty if they are
     */
    public record Kind(Map<String, ? extends ClusterObject> byKey, String unavailable) {}
}
