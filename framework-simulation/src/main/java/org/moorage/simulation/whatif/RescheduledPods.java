// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.simulation.admission.RecreatedPod;

/**
 * The results for pods that were pending or were created again. Immutable.
 *
 * @param pods those that are there at the end: first those with a node, in the order in which they were placed, then
 *     those without one
 * @param gone those that no controller replaces, and why
 */
public record RescheduledPods(List<RescheduledPod> pods, List<RecreatedPod> gone) {
    public RescheduledPods {
        pods = List.copyOf(pods);
        gone = List.copyOf(gone);
    }

    /**
     * A pod at the end.
     *
     * @param pod the pod, without a node; one that was created again is the new one
     * @param origin the pod that was waiting, or gone, before: the same pod, or the one whose place it takes
     * @param nodeBefore the node that the origin was on; empty if it waited
     * @param nodeName its node; empty if it found none
     * @param reason why it found none; {@link PodReason#NONE} if it has one
     * @param victims whom it preempted; they are among the pods or gone themselves
     */
    public record RescheduledPod(
            Pod pod, Pod origin, String nodeBefore, Optional<String> nodeName, PodReason reason, List<Pod> victims) {
        public RescheduledPod {
            Objects.requireNonNull(pod, "pod");
            Objects.requireNonNull(origin, "origin");
            Objects.requireNonNull(nodeBefore, "nodeBefore");
            Objects.requireNonNull(nodeName, "nodeName");
            Objects.requireNonNull(reason, "reason");
            victims = List.copyOf(victims);
        }

        /** Returns the message of the pod's condition; empty if it has a node. */
        public String message() {
            return reason.message();
        }
    }

    /** Those that found no node. */
    public List<RescheduledPod> unplaced() {
        return pods.stream().filter(pod -> pod.nodeName().isEmpty()).toList();
    }
}
