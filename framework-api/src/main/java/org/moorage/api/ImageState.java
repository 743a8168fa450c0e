// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/**
 * The state of a container image on a node.
 *
 * @param sizeBytes its size in bytes
 * @param nodes the number of nodes of the cluster that have it
 */
public record ImageState(long sizeBytes, int nodes) {
    /** The image is not on the node. */
    public static final ImageState ABSENT = new ImageState(0, 0);
}
