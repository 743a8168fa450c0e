// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.model.Pod;

/**
 * Keeps what a {@link PreFilterPlugin} put into the state right while preemption or nominated pods have it tried whether the pod fits if
 * other pods are added to a node, or removed from it. Needed by plugins whose answer depends on the pods of the cluster.
 *
 * <p>Called with a fork of the cycle's state. The plugin puts a new value into it and leaves the old one as it is.
 */
public interface PreFilterExtensions extends Plugin {
    /**
     * A pod is thought to be on a node.
     *
     * @param state a fork of the state
     * @param pod the pod to schedule
     * @param added the pod that is thought to be there
     * @param node the node, with the pod
     */
    void addPod(CycleState state, Pod pod, Pod added, NodeInfo node);

    /**
     * A pod is thought to be gone.
     *
     * @param state a fork of the state
     * @param pod the pod to schedule
     * @param removed the pod that is thought to be gone
     * @param node the node, without the pod
     */
    void removePod(CycleState state, Pod pod, Pod removed, NodeInfo node);
}
