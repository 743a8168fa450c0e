// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.disruption;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.UnschedulableReasons;
import org.moorage.simulation.whatif.DisruptedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;

/**
 * A pod of a drained or lost node, or a preempted pod.
 *
 * @param pod namespace and name
 * @param node its node
 * @param outcome the result for it
 * @param message the reason why the pod is pending, or why it is not evicted; empty if it is rescheduled
 * @param reasons the number of nodes for each reason, if the pod is pending
 * @param round the round in which it is evicted, from 1 on
 * @param successor the pod that its controller creates in its place
 * @param newNode the node of the successor
 * @param victims the pods that the successor preempts
 */
public record PodDisruption(
        Pod pod,
        String node,
        Outcome outcome,
        String message,
        Optional<UnschedulableReasons> reasons,
        Optional<Integer> round,
        Optional<Pod> successor,
        Optional<String> newNode,
        @JsonInclude(Include.NON_EMPTY) List<Pod> victims) {
    /** Returns the pods of a result. */
    public static List<PodDisruption> all(Collection<DisruptedPod> pods) {
        return pods.stream()
                .map(pod -> new PodDisruption(
                        pod.pod(),
                        pod.nodeName(),
                        pod.outcome(),
                        pod.message(),
                        pod.reason().reasons(),
                        Optional.of(pod.round()).filter(round -> round > 0),
                        pod.successor(),
                        pod.newNodeName(),
                        pod.victims()))
                .toList();
    }
}
