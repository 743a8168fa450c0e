// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A namespace; scheduling reads its labels.
 *
 * @param metadata its name and labels
 */
public record Namespace(ObjectMeta metadata) implements ClusterObject {}
