// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;

/**
 * The older form of a {@link ReplicaSet}; which pods are its own is what scheduling reads.
 *
 * @param metadata its name and labels
 * @param selector labels that its pods have
 */
public record ReplicationController(ObjectMeta metadata, Map<String, String> selector) implements ClusterObject {
    public ReplicationController {
        selector = Map.copyOf(selector);
    }
}
