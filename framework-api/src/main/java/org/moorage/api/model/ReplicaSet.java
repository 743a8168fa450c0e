// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Optional;

/**
 * A replica set; scheduling reads its selector.
 *
 * @param metadata its name and labels
 * @param selector selects its pods; empty if not set
 */
public record ReplicaSet(ObjectMeta metadata, Optional<LabelSelector> selector) implements ClusterObject {}
