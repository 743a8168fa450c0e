// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/**
 * An extension of a {@link PreFilterPlugin} that updates its state when preemption or nominated pods simulate adding a
 * pod to, or removing it from, a node. Required for plugins whose results depend on other pods.
 *
 * <p>Called with a fork of the cycle's state. The plugin puts a new value into it and does not modify the old one.
 */
public interface PreFilterExtensions extends Plugin {
    /**
     * Updates the state for a pod that is assumed on a node.
     *
     * @param state a fork of the state
     * @param pod the pod to schedule
     * @param added the assumed pod
     * @param node the node, with the assumed pod
     */
    void addPod(CycleState state, Pod pod, Pod added, NodeInfo node);

    /**
     * Updates the state for a simulated removal of a pod.
     *
     * @param state a fork of the state
     * @param pod the pod to schedule
     * @param removed the removed pod
     * @param node the node, without the removed pod
     */
    void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node);
}
