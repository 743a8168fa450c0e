// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that binds a pod to its node in the cluster. */
public interface BindPlugin extends Plugin {
    /**
     * Binds the pod. Called in the binding cycle in the order of the profile, until a plugin returns anything but skip.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success if the pod is bound, skip to leave it to the next plugin, or a rejection
     */
    Status bind(CycleState state, Pod pod, String nodeName);
}
