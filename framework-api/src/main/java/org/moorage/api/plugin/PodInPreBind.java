// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.model.Pod;

/** A pod whose {@link PreBindPlugin#preBind} is under way: it has a node, and nothing outside the scheduler says so yet. */
public interface PodInPreBind {
    /** The pod, with its chosen node. */
    Pod pod();

    /**
     * Calls the pod back: what waits in its PreBind ends, and instead of being bound it is tried again, as after a failure.
     *
     * @param message what the failure is called
     * @return whether the pod gives way; not if its PreBind is over and it is being bound
     */
    boolean cancel(String message);
}
