// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PreBindPlugin;

/**
 * A pod whose {@link PreBindPlugin#preBind} is in progress: it has a node, which is not visible outside the scheduler
 * yet.
 */
public interface PodInPreBind {
    /** Returns the pod, with its chosen node. */
    Pod pod();

    /**
     * Cancels the binding: waits in PreBind end, and the pod is retried as after a failure.
     *
     * @param message the message of the failure
     * @return whether the binding is cancelled; false if PreBind is over and the pod is being bound
     */
    boolean cancel(String message);
}
