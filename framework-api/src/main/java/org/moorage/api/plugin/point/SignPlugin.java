// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/**
 * A Filter or Score plugin whose result for a node depends only on that node and on a part of the pod. Its results are
 * cached and reused for equivalent pods until the node changes. A plugin that does not implement this is called for
 * every node.
 *
 * <p>A result may depend on the signature, the plugin's arguments and feature gates, and the node's
 * {@link org.moorage.api.NodeInfo}, except {@link org.moorage.api.NodeInfo#image}, which depends on other nodes. It
 * must not depend on other objects of the cluster, other nodes, the clock, random numbers, or what
 * {@link PreFilterPlugin} and {@link PreScorePlugin} computed from them.
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
}
