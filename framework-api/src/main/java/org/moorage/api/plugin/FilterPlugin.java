// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Decides whether a node can run the pod. */
public interface FilterPlugin extends Plugin {
    /**
     * Called for many nodes at once by several threads, after the profile's earlier plugins accepted the node. It must not
     * change the state's values, and should allocate nothing: keep rejections as constants.
     *
     * @param state what the plugin put there in PreFilter
     * @param pod the pod to schedule
     * @param node the node, with the pods that are on it
     * @return success, or a rejection of this node
     */
    Status filter(CycleState state, Pod pod, NodeInfo node);
}
