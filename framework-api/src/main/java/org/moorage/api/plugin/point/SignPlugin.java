// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/**
 * A Filter or Score plugin whose results for a node depend on that node, on a part of the pod, and on data of the plugin
 * whose changes it reports. Its results are cached and reused for equivalent pods until the node or the data changes. A
 * plugin that does not implement this is called for every node.
 *
 * <p>A result may depend on the signature, the plugin's arguments and feature gates, and the node's
 * {@link org.moorage.api.NodeInfo}, except {@link org.moorage.api.NodeInfo#image}, which depends on other nodes. For
 * anything else, such as other objects of the cluster, other nodes, measurements, or what {@link PreFilterPlugin} computed
 * from them, either it is a part of the signature, or the plugin reports its changes by {@link #nodeChanges}. A result
 * must not depend on the clock, random numbers or what {@link PreScorePlugin} computed from other nodes.
 *
 * <p>kube-scheduler's SignPod has the same purpose; there a signature is only used for whole nodes and for the next
 * pod.
 */
public interface SignPlugin extends Plugin {
    /**
     * Returns the pod's signature. Called once in each cycle, after PreFilter.
     *
     * @param pod the pod to schedule
     * @return the part of the pod that the results depend on, as an immutable value with a fast {@code equals}, for
     *     example {@code pod.spec()}; empty if the results for this pod depend on anything else
     */
    Optional<?> sign(Pod pod);

    /**
     * Returns the pod's signature in a cycle. Called instead of {@link #sign(Pod)}, which it calls by default. A plugin
     * overrides this if the signature includes what PreFilter computed.
     *
     * @param state the cycle's state, with the values that the plugin put there in PreFilter
     * @param pod the pod to schedule
     * @return the signature; empty if the results depend on anything else
     */
    default Optional<?> sign(CycleState state, Pod pod) {
        return sign(pod);
    }

    /**
     * Returns the changes of the plugin's data that affect its results. Called once, before the first cycle.
     *
     * @return always the same object; empty if the results depend on no such data
     */
    default Optional<NodeChanges> nodeChanges() {
        return Optional.empty();
    }
}
