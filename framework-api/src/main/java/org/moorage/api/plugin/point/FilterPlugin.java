// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that decides whether a node can run a pod. */
public interface FilterPlugin extends Plugin {
    /**
     * Returns whether a node can run the pod. Called concurrently by several threads for different nodes, after the
     * profile's earlier plugins accepted the node. It must not change the state's values, and should allocate nothing:
     * keep rejections as constants.
     *
     * @param state the state, with the values that the plugin put there in PreFilter
     * @param pod the pod to schedule
     * @param node the node, with its pods
     * @return success, or a rejection of this node
     */
    Status filter(CycleState state, Pod pod, NodeInfo node);

    /**
     * Filters a range of nodes, each as {@link #filter(CycleState, Pod, NodeInfo)} does. A plugin overrides this only
     * for speed, for example to look up values of the state once.
     *
     * @param state as for one node
     * @param pod the pod to schedule
     * @param nodes the nodes
     * @param from the index of the first node
     * @param to the index after the last one
     * @param statuses the statuses by node index. A status other than success is from an earlier plugin and must stay.
     *     Success is replaced if this plugin rejects the node
     */
    default void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, Status[] statuses) {
        for (int i = from; i < to; i++) {
            if (statuses[i].isSuccess()) {
                statuses[i] = filter(state, pod, nodes.get(i));
            }
        }
    }
}
