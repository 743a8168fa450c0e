// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Decides whether a node can run the pod. */
public interface FilterPlugin extends Plugin {
    /**
     * Called for many nodes at once by several threads, after the profile's earlier plugins accepted the node. It must not
     * change the state's values, and should allocate nothing: keep rejections as constants.
     *
     * @param state what the plugin put there in PreFilter
     * @param pod the pod to schedule
     * @param node the node, with the pods that are on it
     * @return success, or a rejection of this node
     */
    Status filter(CycleState state, Pod pod, NodeInfo node);

    /**
     * Decides about some nodes, each as {@link #filter(CycleState, Pod, NodeInfo)} would. A plugin overrides this only to be faster, for
     * example because it then looks up once what it needs of the state.
     *
     * @param state as for one node
     * @param pod the pod to schedule
     * @param nodes the nodes
     * @param from the index of the first node
     * @param to the index after the last one
     * @param statuses by the index of the node; one that is no success is of an earlier plugin and stays, the others are replaced where this
     *     plugin rejects the node
     */
    default void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, Status[] statuses) {
        for (int i = from; i < to; i++) {
            if (statuses[i].isSuccess()) {
                statuses[i] = filter(state, pod, nodes.get(i));
            }
        }
    }
}
