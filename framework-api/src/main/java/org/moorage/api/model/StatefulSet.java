// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Optional;

/**
 * A number of like pods, each with a name and volumes to keep; which pods are its own is what scheduling reads.
 *
 * @param metadata its name and labels
 * @param selector selects its pods; empty if it does not say
 */
public record StatefulSet(ObjectMeta metadata, Optional<LabelSelector> selector) implements ClusterObject {}
