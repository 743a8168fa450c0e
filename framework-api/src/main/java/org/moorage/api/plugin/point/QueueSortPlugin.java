// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.plugin.Plugin;

/**
 * A plugin that orders the pods in the scheduling queue. All profiles must use the same one, with the same arguments.
 */
public interface QueueSortPlugin extends Plugin {
    /**
     * Returns whether the first pod is scheduled before the second. Must be a strict order, and quick: it is called
     * under the queue's lock. If it throws for two pods, they are tried in the order in which they arrived.
     */
    boolean less(QueuedPod first, QueuedPod second);
}
