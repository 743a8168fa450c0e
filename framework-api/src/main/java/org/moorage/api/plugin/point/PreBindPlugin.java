// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;

/** A plugin that does the work that must precede binding, for example provisioning a volume. */
public interface PreBindPlugin extends Plugin {
    /**
     * Returns whether there is work to do. Called at the start of the binding cycle; must be quick and must not change
     * anything.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return whether there is work to do, and whether it may run in parallel with that of other plugins
     */
    PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName);

    /**
     * Prepares the binding. Called in the binding cycle after Permit, unless the pre-flight returned skip. May wait for
     * external components with {@link Handle.Binding#pause}, for a limited time.
     *
     * <p>If the feature {@link FeatureGates#NOMINATED_NODE_NAME_FOR_EXPECTATION} is off, there is no pre-flight: the
     * method is called for every pod, and plugins do not run in parallel.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return success, or a rejection; a rejection or an exception ends the binding
     */
    Status preBind(CycleState state, Pod pod, String nodeName);
}
