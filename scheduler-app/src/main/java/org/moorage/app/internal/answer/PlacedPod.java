// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * A pod that was scheduled, or that is pending.
 *
 * @param pod namespace and name of the pod
 * @param node the node; empty if the pod is pending
 * @param message the reason why the pod is pending; empty if it has a node
 * @param reasons the number of nodes for each reason, if the pod is pending
 * @param nodeBefore the node that the pod, or the one that it replaces, was on before
 * @param preempts the pods that it preempts
 */
public record PlacedPod(
        Pod pod,
        String node,
        String message,
        Optional<UnschedulableReasons> reasons,
        Optional<String> nodeBefore,
        @JsonInclude(Include.NON_EMPTY) List<Pod> preempts) {
    public PlacedPod {
        preempts = List.copyOf(preempts);
    }

    /** Returns the pod of a result. */
    public static PlacedPod of(RescheduledPod pod) {
        return new PlacedPod(
                pod.pod(),
                pod.nodeName().orElse(""),
                pod.message(),
                pod.reason().reasons(),
                Optional.of(pod.nodeBefore()).filter(node -> !node.isEmpty()),
                pod.victims());
    }

    /** Returns the pods of a result. */
    public static List<PlacedPod> all(Collection<RescheduledPod> pods) {
        return pods.stream().map(PlacedPod::of).toList();
    }
}
