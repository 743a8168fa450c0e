// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;

/**
 * Changes the cluster. Each call returns when the cluster has taken the change, and throws {@link ClusterException} when it
 * has not, or when it is not known whether it has.
 *
 * <p>A change of an object is for the object of that uid: if another one has come in its place under the same name, the change
 * fails with a conflict. Where it is also for one version of the object only, the method says so.
 */
public interface ClusterWriter {
    /**
     * A writer that changes nothing: each call throws, but for {@link #report(PodEvent)} and its like, whose event nobody gets.
     *
     * @param reason what to do to have a cluster that can be changed
     */
    static ClusterWriter refusing(String reason) {
        return new RefusingWriter(reason);
    }

    /** Binds a pod to a node. */
    void bind(Pod pod, String nodeName);

    /**
     * Sets a condition of a pod, and the node that it is likely to get. The condition {@code PodScheduled} and the nominated node
     * are those of a pod that has no node: if the pod is bound by now they are dropped, which is no failure.
     *
     * @param pod the pod as it is known
     * @param condition the condition to add or to replace the one of its type with; empty to leave the conditions
     * @param nomination what becomes of the nominated node
     */
    void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination);

    /**
     * Sets the condition of a group of pods that says whether it was scheduled. Nothing is sent if the group as it is known has the condition.
     *
     * @param group the group as it is known
     * @param condition the condition, of the type {@link PodGroup#INITIALLY_SCHEDULED}
     */
    void patchStatus(PodGroup group, PodCondition condition);

    /** Sets a pod's {@code status.extendedResourceClaimStatus}. */
    void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status);

    /** Sets a pod's {@code status.nodeAllocatableResourceClaimStatuses}; an empty list removes them. */
    void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses);

    /** Deletes a pod; one that is gone already is no failure. */
    void delete(Pod pod);

    /** Changes persistent volumes and their claims. */
    VolumeWriter volumes();

    /** Changes resource claims. */
    ResourceClaimWriter resourceClaims();

    /**
     * Patches an object of a kind that has no type of its own here.
     *
     * @param kind its kind
     * @param namespace its namespace; empty for objects of the whole cluster
     * @param name its name
     * @param patch what changes
     * @return the object after the change
     */
    OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch);

    /** Deletes an object of that name; one that is gone already is no failure. */
    void delete(ObjectKind<?> kind, String namespace, String name);

    /** Reports an event of a pod. Never fails, and does not wait: events may be dropped under load. */
    void report(PodEvent event);

    /** Reports an event of a group of pods, as {@link #report(PodEvent)} does. A writer that has no place for it drops it. */
    default void report(PodGroupEvent event) {}
}
