// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;

/** Tries to make room for a pod that no node can run. */
public interface PostFilterPlugin extends Plugin {
    /**
     * Called in the order of the profile when no node is feasible, until one answers with success or with a rejection that
     * cannot be resolved.
     *
     * @param state the cycle's state
     * @param pod the pod that fits nowhere
     * @param statuses why not, node by node
     * @return success with the node that was made fit, or a rejection
     */
    PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses);
}
