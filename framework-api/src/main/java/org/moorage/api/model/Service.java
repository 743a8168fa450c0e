// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;

/**
 * A service; scheduling reads its selector.
 *
 * @param metadata its name and labels
 * @param selector labels that its pods have; empty if not set
 */
public record Service(ObjectMeta metadata, Map<String, String> selector) implements ClusterObject {
    public Service {
        selector = Map.copyOf(selector);
    }
}
