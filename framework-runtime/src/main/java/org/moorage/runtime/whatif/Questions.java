// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.whatif;

import java.util.List;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.runtime.decision.Evaluation;

/**
 * What-if questions. Nodes are chosen as a scheduling cycle chooses them, with the plugins and the sampling of the pod's profile and the
 * extenders of the configuration; among equal nodes the first one wins, so that the same question has the same answer. Nothing is written to
 * the cluster.
 *
 * <p>A pod that gets a node is treated as bound: Reserve runs, then the PreBind of each {@link
 * org.moorage.api.plugin.ClusterPreBindPlugin}, and {@linkplain org.moorage.runtime.controllers.ClusterControllers controllers} bind or
 * provision its volumes, allocate its claims and lower the storage capacities, in a copy of the objects. Permit, Bind, PostBind and the
 * PreBind of other plugins are not run.
 *
 * <p>Pods are those that the API server would store: of one that was never created, {@code NewPods} of framework-simulation makes it,
 * with priority, tolerations and limits. A pod that is on a node can be asked about elsewhere once it is {@linkplain Transaction#evict
 * evicted}.
 *
 * <p>Each question throws an {@link IllegalArgumentException} if no profile is responsible for a pod, and a {@link RuntimeException} if a
 * plugin fails; the message says which one. What the question has tried is then taken back.
 */
public interface Questions {
    /** The names of the nodes, in the order in which a cycle looks at them. */
    List<String> nodeNames();

    /**
     * The pods on a node.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    List<Pod> podsOn(String nodeName);

    /**
     * The pods that are nominated to a node and have no node yet. Room is kept free for them from pods of the same or a lower priority.
     *
     * @throws IllegalArgumentException if there is no such node
     */
    List<Pod> nominatedPods(String nodeName);

    /** Which nodes a pod fits, and why it fits no others; no node is scored. */
    Fit fits(Pod pod);

    /** All that the plugins say of a pod: also each node's scores, and whom preemption would remove. */
    Evaluation evaluate(Pod pod);

    /**
     * Where pods would go, one after the other, each with those before it in place. One that finds no node does not keep the others from
     * theirs.
     *
     * @throws IllegalArgumentException also if a pod is given twice, has no UID, or was placed in this transaction before
     */
    PlacedPods place(List<Pod> pods);

    /** As {@link #place(List)}, if all of them find a node; otherwise none has one. */
    PlacedPods placeTogether(List<Pod> pods);

    /**
     * Where the pods of a group would go, tried as the scheduling cycle of a group does: gang, topology and all.
     *
     * @param group the group, which need not be one of the cluster's; it has no parent
     * @param pods its pods that have no node yet, which name it in their specification
     * @throws IllegalArgumentException also if the feature GenericWorkload is off, or the pods do not agree with their group
     */
    PlacedPods place(PodGroup group, List<Pod> pods);

    /**
     * How many pods like this one find a node, one after the other.
     *
     * @param template the pod; the others differ from it in name and UID alone
     * @param atMost how many are tried at most
     */
    HowMany howMany(Pod template, int atMost);

    /** Where a pod would go if others may have to leave for it: as {@link #place} if it finds a node, otherwise as preemption decides. */
    PreemptionResult preempt(Pod pod);

    /**
     * Where pods would go by their own profiles, and where by another one: each time one after the other.
     *
     * @param profile the name of the other profile
     * @throws IllegalArgumentException also if there is no such profile
     */
    ProfileComparison compare(String profile, List<Pod> pods);
}
