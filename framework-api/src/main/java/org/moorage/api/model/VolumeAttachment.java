// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

/**
 * A volume that is to be attached to a node, or is.
 *
 * @param metadata its name and the like
 * @param attacher the driver that attaches it
 * @param nodeName the node
 * @param volumeName the {@link PersistentVolume}; empty if it is none
 */
public record VolumeAttachment(ObjectMeta metadata, String attacher, String nodeName, String volumeName)
        implements ClusterObject {}
