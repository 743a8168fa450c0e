// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * A node with its pods, including assumed pods, and the sums of their requests.
 *
 * <p>Immutable during a scheduling cycle. The methods allocate nothing and are thread-safe.
 */
public interface NodeInfo {
    /** Returns the node. */
    Node node();

    /** Returns the node's name. */
    default String name() {
        return node().name();
    }

    /**
     * Returns the node's index in its {@link Snapshot}, from 0. It is the same in a
     * {@link org.moorage.api.plugin.Trial}.
     */
    int index();

    /** Returns the pods on the node, in no particular order. */
    List<Pod> pods();

    /** Returns the pods on the node that have pod affinity or anti-affinity, required or preferred. */
    List<Pod> podsWithAffinity();

    /** Returns the pods on the node that have required pod anti-affinity. */
    List<Pod> podsWithRequiredAntiAffinity();

    /** Returns the number of pods on the node. */
    int podCount();

    /** Returns the lowest priority of a pod on the node; {@link Integer#MAX_VALUE} if there is none. */
    default int lowestPriority() {
        int lowest = Integer.MAX_VALUE;
        for (Pod pod : pods()) {
            lowest = Math.min(lowest, pod.spec().priority());
        }
        return lowest;
    }

    /** Returns the maximum number of pods. */
    long allowedPods();

    /**
     * Returns the allocatable amount of a resource, in the units of {@link Resources}; 0 if the node does not have it.
     */
    long allocatable(ResourceName resource);

    /** Returns the sum of the requests of the pods on the node, in the units of {@link Resources}. */
    long requested(ResourceName resource);

    /**
     * Returns the same as {@link #requested}, but counts 100m for a container without a cpu request and 200Mi for one
     * without a memory request.
     */
    long nonZeroRequested(ResourceName resource);

    /** Returns whether a pod on the node uses a conflicting host port. */
    boolean conflicts(HostPort port);

    /**
     * Returns the state of the container image of exactly this name; {@link ImageState#ABSENT} if the node does not
     * have it.
     */
    ImageState image(String name);

    /** Returns a number that changes whenever the node or its pods change. */
    long generation();
}
