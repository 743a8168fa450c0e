// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that is notified after a pod is bound. */
public interface PostBindPlugin extends Plugin {
    /**
     * Called after the pod is bound; it can no longer be rejected.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the node
     */
    void postBind(CycleState state, Pod pod, String nodeName);
}
