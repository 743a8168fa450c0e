// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * The attachment of a volume to a node.
 *
 * @param metadata its name and the like
 * @param attacher the CSI driver that attaches it
 * @param nodeName the node
 * @param volumeName the {@link PersistentVolume}; empty for an inline volume
 */
public record VolumeAttachment(ObjectMeta metadata, String attacher, String nodeName, String volumeName)
        implements ClusterObject {}
