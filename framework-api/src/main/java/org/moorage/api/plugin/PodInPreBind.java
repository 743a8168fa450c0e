// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.model.Pod;

/** A pod whose {@link PreBindPlugin#preBind} is under way: it has a node, and nothing outside the scheduler says so yet. */
public interface PodInPreBind {
    /** The pod, with its chosen node. */
    Pod pod();

    /**
     * Cancels the binding: what waits in PreBind ends, and the pod is tried again as after a failure.
     *
     * @param message the message of the failure
     * @return whether the binding is cancelled; false if PreBind is over and the pod is being bound
     */
    boolean cancel(String message);
}
