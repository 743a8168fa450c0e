// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * A node with the pods on it, assumed pods included, and the sums of their requests.
 *
 * <p>It does not change during a scheduling cycle. Its methods allocate nothing and may be called by several threads.
 */
public interface NodeInfo {
    /** The node itself. */
    Node node();

    /** The node's name. */
    default String name() {
        return node().name();
    }

    /** The node's index in its {@link Snapshot}, from 0. In a {@link org.moorage.api.plugin.Trial} it is the same. */
    int index();

    /** The pods on the node, in no particular order. */
    List<Pod> pods();

    /** Those of {@link #pods()} that have pod affinity or anti-affinity, required or preferred. */
    List<Pod> podsWithAffinity();

    /** Those of {@link #pods()} that have required pod anti-affinity. */
    List<Pod> podsWithRequiredAntiAffinity();

    /** How many pods are on the node. */
    int podCount();

    /** The maximum number of pods. */
    long allowedPods();

    /** The allocatable amount of a resource, in the units of {@link Resources}; 0 if the node does not have it. */
    long allocatable(ResourceName resource);

    /** The sum of the requests of the pods on the node, in the units of {@link Resources}. */
    long requested(ResourceName resource);

    /**
     * As {@link #requested}, but a container without a cpu request counts with 100m, and one without a
     * memory request with 200Mi.
     */
    long nonZeroRequested(ResourceName resource);

    /** Whether a pod on the node uses a conflicting host port. */
    boolean conflicts(HostPort port);

    /** The state of the container image of exactly this name; {@link ImageState#ABSENT} if the node does not have it. */
    ImageState image(String name);

    /** Is another one for each state of the node and its pods. */
    long generation();
}
