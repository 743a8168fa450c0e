// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;

/**
 * A service; which pods it is for is what scheduling reads.
 *
 * @param metadata its name and labels
 * @param selector labels that its pods have; empty if it has no pods of its own
 */
public record Service(ObjectMeta metadata, Map<String, String> selector) implements ClusterObject {
    public Service {
        selector = Map.copyOf(selector);
    }
}
