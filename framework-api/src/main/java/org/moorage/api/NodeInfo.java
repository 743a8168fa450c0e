// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.List;
import org.moorage.api.model.HostPort;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;

/**
 * A node, the pods on it (running, or assumed to run soon), and the sums over them.
 *
 * <p>The same during a whole scheduling cycle. Reading the figures allocates nothing and is safe in parallel.
 */
public interface NodeInfo {
    /** The node itself. */
    Node node();

    /** The node's name. */
    default String name() {
        return node().name();
    }

    /** The node's place in its {@link Snapshot}, from 0. A copy made to try something has the place of its original. */
    int index();

    /** The pods on the node, in no particular order. */
    List<Pod> pods();

    /** Those of {@link #pods()} that have pod affinity or anti-affinity of any sort. */
    List<Pod> podsWithAffinity();

    /** Those of {@link #pods()} that have required pod anti-affinity. */
    List<Pod> podsWithRequiredAntiAffinity();

    /** How many pods are on the node. */
    int podCount();

    /** How many pods the node takes. */
    long allowedPods();

    /** What the node offers to pods, in the units of {@link Resources}; 0 for a resource that it does not name. */
    long allocatable(ResourceName resource);

    /** What the pods on the node request together, in the units of {@link Resources}. */
    long requested(ResourceName resource);

    /**
     * As {@link #requested}, but a container that requests no cpu counts with 100 thousandths of a core, and one that
     * requests no memory with 200 MiB. Other resources are as in {@link #requested}.
     */
    long nonZeroRequested(ResourceName resource);

    /** Whether a pod on the node holds this host port, so that a second one could not. */
    boolean conflicts(HostPort port);

    /** What is known of a container image of exactly this name; {@link ImageState#ABSENT} if the node does not have it. */
    ImageState image(String name);

    /** Grows with every change of the node or its pods; equal generations of a node mean equal contents. */
    long generation();
}
