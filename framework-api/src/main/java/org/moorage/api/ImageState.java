// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

/** An image that a node has. */
public final class ImageState {
    /** An image that the node does not have. */
    public static final ImageState ABSENT = new ImageState(0, 0);

    private final long sizeBytes;
    private final int nodes;

    private ImageState(long sizeBytes, int nodes) {
        this.sizeBytes = sizeBytes;
        this.nodes = nodes;
    }

    /** Returns the state of an image of that size that so many nodes have. */
    public static ImageState of(long sizeBytes, int nodes) {
        return new ImageState(sizeBytes, nodes);
    }

    /** Returns the size in bytes. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Returns the number of nodes that have the image. */
    public int nodes() {
        return nodes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ImageState that && sizeBytes == that.sizeBytes && nodes == that.nodes;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(sizeBytes) + nodes;
    }

    @Override
    public String toString() {
        return "ImageState[sizeBytes=" + sizeBytes + ", nodes=" + nodes + "]";
    }
}
