// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that reserves resources on the chosen node until the pod is bound. */
public interface ReservePlugin extends Plugin {
    /**
     * Reserves resources for the pod. Called after the node is chosen, in the order of the profile; the first rejection
     * or failure ends it.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success, or a rejection
     */
    Status reserve(CycleState state, Pod pod, String nodeName);

    /**
     * Releases what {@link #reserve} reserved. If the pod is not bound to the node, this is called for all Reserve
     * plugins in reverse order, including those whose reserve was not called. It must be idempotent.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the node that was chosen
     */
    void unreserve(CycleState state, Pod pod, String nodeName);
}
