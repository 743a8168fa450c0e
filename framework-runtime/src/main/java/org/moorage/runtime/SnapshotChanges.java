// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.Collection;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cluster.FeatureView;

/**
 * Changes of nodes and of the pods on them that are only tried, see {@link Scheduler#evaluate(Pod, java.util.function.Consumer)}. For one
 * thread, until the consumer that was given it returns.
 */
public final class SnapshotChanges {
    private final TrialSnapshot trial;
    private final FeatureView view;

    SnapshotChanges(TrialSnapshot trial, FeatureView view) {
        this.trial = trial;
        this.view = view;
    }

    /**
     * Thinks of a pod as being on a node.
     *
     * @param pod the pod, which need not have a node yet
     * @throws IllegalArgumentException if there is no such node
     */
    public void assume(Pod pod, String nodeName) {
        trial.assume(view.of(pod), nodeName);
    }

    /**
     * Thinks of a pod as being gone.
     *
     * @throws IllegalArgumentException if it is not on that node
     */
    public void remove(Pod pod, String nodeName) {
        trial.remove(pod, nodeName);
    }

    /** Thinks of nodes as being there, or as being others. The pods on a node that is known stay. */
    public void putNodes(Collection<Node> nodes) {
        trial.putNodes(nodes);
    }

    /**
     * Thinks of a node as being gone, and the pods on it.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    public void removeNode(String name) {
        trial.removeNode(name);
    }
}
