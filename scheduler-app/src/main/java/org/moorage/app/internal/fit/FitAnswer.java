// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.fit;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.answer.PodCounts;
import org.moorage.app.internal.answer.RejectedNodes;
import org.moorage.app.internal.report.Answer;

/**
 * Whether the pods of manifests fit.
 *
 * @param succeeded whether all pods fit
 * @param pendingBefore the number of other pending pods of the cluster
 * @param afterPending whether these were scheduled first
 * @param notes notes on the manifests
 * @param manifests the manifests, in the order of the command line
 * @param preempted the pods that the pods of the manifests preempt
 * @param rescheduled the pods that controllers create in place of the preempted ones
 * @param lost the preempted pods that no controller creates again
 * @param unschedulable one of the pods that do not fit, for the most frequent reason
 */
record FitAnswer(
        boolean succeeded,
        int pendingBefore,
        boolean afterPending,
        List<String> notes,
        List<Manifest> manifests,
        List<PreemptedPod> preempted,
        List<PlacedPod> rescheduled,
        List<Pod> lost,
        Optional<UnschedulablePod> unschedulable)
        implements Answer {
    /**
     * A manifest.
     *
     * @param manifest kind, namespace and name
     * @param running the number of its pods that are on nodes already
     * @param asked the number of pods that it adds
     * @param tried the number of them that were tried
     * @param scheduled the number of them that fit
     * @param message the reason why it adds no pods; empty if it does
     * @param pods the pods that were tried
     * @param zones the number of its pods in each zone
     * @param more the number of further replicas that fit, if that was asked
     */
    record Manifest(
            String manifest,
            int running,
            int asked,
            int tried,
            int scheduled,
            String message,
            List<PlacedPod> pods,
            List<PodCounts.InZone> zones,
            Optional<MoreReplicas> more) {}

    /**
     * Further replicas.
     *
     * @param pods the number of further replicas that fit
     * @param limit the maximum number that was tried
     * @param stoppedBy the reason why the next one does not fit; empty if the limit was reached
     * @param nodes the number of them on each node
     */
    record MoreReplicas(int pods, int limit, String stoppedBy, List<PodCounts.OnNode> nodes) {}

    /**
     * A preempted pod.
     *
     * @param pod namespace and name
     * @param node the node that it is on
     */
    record PreemptedPod(Pod pod, String node) {}

    /**
     * A pod that does not fit.
     *
     * @param pod namespace and name
     * @param message the message of its condition
     * @param rejections the nodes that plugins reject, by reason
     * @param changes changes of the pod or the cluster that make it fit
     */
    record UnschedulablePod(Pod pod, String message, List<RejectedNodes> rejections, List<PodChange> changes) {}
}
