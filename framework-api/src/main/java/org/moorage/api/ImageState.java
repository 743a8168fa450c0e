// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/**
 * A container image that a node holds.
 *
 * @param sizeBytes its size in bytes
 * @param nodes how many nodes of the cluster hold it
 */
public record ImageState(long sizeBytes, int nodes) {
    /** The image is not on the node. */
    public static final ImageState ABSENT = new ImageState(0, 0);
}
