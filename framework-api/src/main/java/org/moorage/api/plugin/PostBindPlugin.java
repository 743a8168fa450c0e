// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;

/** Is told of a pod that was bound. */
public interface PostBindPlugin extends Plugin {
    /**
     * Called when the pod is bound. Nothing can be refused any more.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the node
     */
    void postBind(CycleState state, Pod pod, String nodeName);
}
