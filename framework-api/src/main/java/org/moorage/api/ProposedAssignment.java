// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;

/** The node that was found for a pod of a group. */
@Experimental
public final class ProposedAssignment {
    private final Pod pod;
    private final String nodeName;
    private final CycleState state;

    private ProposedAssignment(Pod pod, String nodeName, CycleState state) {
        this.pod = Objects.requireNonNull(pod, "pod");
        this.nodeName = Objects.requireNonNull(nodeName, "nodeName");
        this.state = Objects.requireNonNull(state, "state");
    }

    /** Returns the assignment of a pod to a node, with the state of the pod's cycle. */
    public static ProposedAssignment of(Pod pod, String nodeName, CycleState state) {
        return new ProposedAssignment(pod, nodeName, state);
    }

    /** Returns the pod, which is still pending. */
    public Pod pod() {
        return pod;
    }

    /** Returns the node's name. */
    public String nodeName() {
        return nodeName;
    }

    /** Returns the state of the pod's cycle. */
    public CycleState state() {
        return state;
    }

    @Override
    public String toString() {
        return pod.key() + " on " + nodeName;
    }
}
