// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Sets aside on the chosen node what the pod will use, until it is bound. */
public interface ReservePlugin extends Plugin {
    /**
     * Called when the node is chosen, in the order of the profile; the first rejection or failure ends it.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success, or a rejection
     */
    Status reserve(CycleState state, Pod pod, String nodeName);

    /**
     * Gives back what {@link #reserve} set aside. Called for all Reserve plugins in reverse order when the pod does not get
     * to the node after all, also for those whose reserve was not called; calling it twice must do no harm.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the node that was chosen
     */
    void unreserve(CycleState state, Pod pod, String nodeName);
}
