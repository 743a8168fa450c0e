// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that decides whether, or when, a pod may be bound to its chosen node. */
public interface PermitPlugin extends Plugin {
    /**
     * Decides about the pod. Called at the end of the scheduling cycle, in the order of the profile; the first
     * rejection ends it. While a plugin makes the pod wait, the next pods are scheduled.
     *
     * @param state the cycle's state
     * @param pod the pod
     * @param nodeName the chosen node
     * @return {@link PermitResult#allow}, {@link PermitResult#waitAtMost}, or a rejection
     */
    PermitResult permit(CycleState state, Pod pod, String nodeName);
}
