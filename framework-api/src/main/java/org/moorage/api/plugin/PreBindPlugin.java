// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Does what must be done before the pod is bound, for example provisions a volume. */
public interface PreBindPlugin extends Plugin {
    /**
     * Called at the start of the binding cycle. Must be quick and change nothing.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return whether there is work to do, and whether it may be done at the same time as that of other plugins
     */
    PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName);

    /**
     * Called in the binding cycle, when the pod is permitted, unless the pre-flight answered skip. May wait for the outside
     * world, within limits, with {@link Handle#pause}.
     *
     * <p>While the feature {@link FeatureGates#NOMINATED_NODE_NAME_FOR_EXPECTATION} is off there is no pre-flight: the method is
     * called for every pod, and plugins do not work at the same time.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success, or a rejection; either that or an exception ends the binding
     */
    Status preBind(CycleState state, Pod pod, String nodeName);
}
