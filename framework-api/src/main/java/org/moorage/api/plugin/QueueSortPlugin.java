// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/** Orders the pods that are ready to be scheduled. All profiles must use the same one, with the same arguments. */
public interface QueueSortPlugin extends Plugin {
    /**
     * Whether the first pod is to be tried before the second. Must be a strict order, and quick: it is called under the
     * queue's lock. Pods of which it fails to say so are tried in the order in which they came.
     */
    boolean less(QueuedPod first, QueuedPod second);
}
