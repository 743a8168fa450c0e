// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;

/**
 * A replication controller; scheduling reads its selector.
 *
 * @param metadata its name and labels
 * @param selector labels that its pods have
 */
public record ReplicationController(ObjectMeta metadata, Map<String, String> selector) implements ClusterObject {
    public ReplicationController {
        selector = Map.copyOf(selector);
    }
}
