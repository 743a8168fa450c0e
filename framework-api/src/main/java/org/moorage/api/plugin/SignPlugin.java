// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Optional;
import org.moorage.api.model.Pod;

/**
 * A Filter or Score plugin whose answer for a node depends on that node and on a part of the pod alone. Its answers are kept and
 * used for later pods that are alike, until the node changes. A plugin that does not implement this is asked about every node.
 *
 * <p>What an answer may depend on: the signature, the arguments and feature gates of the plugin, and of the node what its
 * {@link org.moorage.api.NodeInfo} says, except {@link org.moorage.api.NodeInfo#image}, which depends on other nodes. Not on other objects of the
 * cluster, other nodes, the clock, chance, or what {@link PreFilterPlugin} and {@link PreScorePlugin} found out about them.
 *
 * <p>kube-scheduler's SignPod has the same purpose; there a signature counts for whole nodes only, and only for the next pod.
 */
public interface SignPlugin extends Plugin {
    /**
     * Called once in each cycle, after PreFilter.
     *
     * @param pod the pod to schedule
     * @return the part of the pod that the answers depend on, an immutable value with a quick {@code equals}, for example {@code pod.spec()};
     *     empty if for this pod they depend on more than that
     */
    Optional<?> sign(Pod pod);
}
