// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Optional;
import java.util.function.Function;
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
     * Returns a filter of many nodes for one pod, with the results of {@link #filter}. A plugin overrides this only for
     * speed, to look up once per pod what it otherwise looks up for each node:
     *
     * <pre>{@code
     * Request request = state.get(REQUEST);
     * return Optional.of(node -> request.fits(node) ? Status.success() : INSUFFICIENT);
     * }</pre>
     *
     * <p>Called at least once per scheduling cycle, and by each thread that filters nodes.
     *
     * @param state as for one node
     * @param pod the pod to schedule
     * @return the filter, by default empty: {@link #filter} is called for each node
     */
    default Optional<Function<NodeInfo, Status>> nodeFilter(CycleState state, Pod pod) {
        return Optional.empty();
    }
}
