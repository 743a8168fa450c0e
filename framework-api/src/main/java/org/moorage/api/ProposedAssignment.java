// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;

/**
 * The node that was found for a pod of a group.
 *
 * @param pod the pod, which is still pending
 * @param nodeName the node's name
 * @param state the state of the pod's cycle
 */
@Experimental
public record ProposedAssignment(Pod pod, String nodeName, CycleState state) {
    /** Checks that no component is null. */
    public ProposedAssignment {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(state, "state");
    }
}
