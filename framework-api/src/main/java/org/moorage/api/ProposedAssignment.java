// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import org.moorage.api.model.Pod;

/**
 * The node that was found for a pod of a group.
 *
 * @param pod the pod, which still waits
 * @param nodeName the node's name
 * @param state the state of the pod's cycle
 */
public record ProposedAssignment(Pod pod, String nodeName, CycleState state) {
    /** An assignment, of which no part is null. */
    public ProposedAssignment {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(state, "state");
    }
}
