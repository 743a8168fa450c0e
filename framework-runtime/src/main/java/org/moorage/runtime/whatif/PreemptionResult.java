// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import org.moorage.api.model.Pod;

/**
 * The result of scheduling a pod with preemption. Without a node, the message is that of the pod's condition, including
 * the message of PostFilter. Immutable.
 */
public interface PreemptionResult extends PlacedPods.PlacedPod {
    /** Returns the victims on the node, the most important first; none if the pod fits without preemption. */
    List<Pod> victims();
}
