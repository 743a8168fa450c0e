// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.runtime.decision.Evaluation;

/**
 * What-if questions. Nodes are chosen as in a scheduling cycle, with the plugins and the sampling of the pod's profile
 * and the extenders of the configuration; among nodes with equal scores the first one wins, so that results are
 * reproducible. Nothing is written to the cluster.
 *
 * <p>A pod that is scheduled is treated as bound: Reserve and Permit run, then the PreBind of each {@link
 * org.moorage.api.plugin.point.ClusterPreBindPlugin}, and {@linkplain org.moorage.runtime.controllers.ClusterControllers
 * controllers} bind or provision its volumes, allocate its claims and lower the storage capacities, in a copy of the
 * objects. A pod that has to wait for a permit keeps its node, see {@link Transaction#waitingPods}. Bind, PostBind and
 * the PreBind of other plugins are not run. Plugins see the pods that a question adds or evicts in their listers.
 *
 * <p>Pods must be as the API server would store them: {@code NewPods} of framework-simulation completes a pod that was
 * never created, with priority, tolerations and limits. A pod that is on a node can be evaluated for other nodes after
 * it is {@linkplain Transaction#evict evicted}.
 *
 * <p>Each question throws an {@link IllegalArgumentException} if no profile is responsible for a pod, and a {@link
 * RuntimeException} that names the plugin if a plugin fails. The changes of the failed question are then reverted.
 */
public interface Questions {
    /** Returns the names of the nodes, in the order in which a cycle visits them. */
    List<String> nodeNames();

    /**
     * Returns the pods on a node.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    List<Pod> podsOn(String nodeName);

    /**
     * Returns the pods that are nominated to a node and not bound yet. Pods of the same or a lower priority must leave
     * room for them.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    List<Pod> nominatedPods(String nodeName);

    /** Returns the feasible nodes of a pod, and the rejections of the others; nodes are not scored. */
    Fit fits(Pod pod);

    /** Returns all plugin results for a pod: also the scores of each node, and the victims of preemption. */
    Evaluation evaluate(Pod pod);

    /**
     * Schedules pods one after the other, each with the pods before it in place. An unschedulable pod does not prevent
     * the others from being scheduled.
     *
     * @throws IllegalArgumentException also if a pod is given twice, has no UID, or was placed in this transaction
     *     before
     */
    PlacedPods place(List<Pod> pods);

    /** As {@link #place(List)}, if all of them can be scheduled; otherwise none is scheduled. */
    PlacedPods placeTogether(List<Pod> pods);

    /**
     * Schedules the pods of a group as the scheduling cycle of a group does, including gang and topology constraints.
     *
     * @param group the group, without a parent; it does not have to exist in the cluster
     * @param pods its pods that have no node yet, which name it in their specification
     * @throws IllegalArgumentException also if the feature GenericWorkload is off, or the pods do not agree with their
     *     group
     */
    PlacedPods place(PodGroup group, List<Pod> pods);

    /**
     * Returns how many copies of a pod can be scheduled, one after the other.
     *
     * @param template the pod; the copies differ from it only in name and UID
     * @param atMost the maximum number of copies to try
     */
    HowMany howMany(Pod template, int atMost);

    /** Schedules a pod with preemption: as {@link #place} if a node is feasible, otherwise as preemption decides. */
    PreemptionResult preempt(Pod pod);

    /**
     * Compares the scheduling of pods with their own profiles and with another profile, each time one after the other.
     *
     * @param profile the name of the other profile
     * @throws IllegalArgumentException also if there is no such profile
     */
    ProfileComparison compare(String profile, List<Pod> pods);
}
