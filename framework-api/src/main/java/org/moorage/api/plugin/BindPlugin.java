// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Tells the cluster on which node the pod runs. */
public interface BindPlugin extends Plugin {
    /**
     * Called in the binding cycle in the order of the profile, until a plugin answers with other than skip.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success when the pod is bound, skip to leave it to the next plugin, or a rejection
     */
    Status bind(CycleState state, Pod pod, String nodeName);
}
