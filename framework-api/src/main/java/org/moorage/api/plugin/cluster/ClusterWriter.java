// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.List;
import java.util.Optional;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;

/**
 * A writer of changes to the cluster. Each call returns when the API server has accepted the change. It throws
 * {@link ClusterException} if the change was rejected or its outcome is unknown.
 *
 * <p>A change applies to the object with the given uid: if the object was replaced by another one with the same name,
 * the change fails with a conflict. A method that also requires the given version of the object documents it.
 */
public interface ClusterWriter {
    /**
     * Returns a writer that changes nothing: each call throws, except {@link #report(PodEvent)} and
     * {@link #report(ObjectEvent)}, which drop the event.
     *
     * @param reason how to configure a writable cluster; part of the exception's message
     */
    static ClusterWriter refusing(String reason) {
        return new RefusingWriter(reason);
    }

    /** Binds a pod to a node. */
    void bind(Pod pod, String nodeName);

    /**
     * Sets a condition of a pod and its nominated node. The condition {@code PodScheduled} and the nominated node are
     * only valid for a pod without a node: if the pod is already bound, they are dropped without an error.
     *
     * @param pod the pod as the scheduler knows it
     * @param condition the condition to add, which replaces the one of the same type; empty to keep the conditions
     * @param nomination the change of the nominated node
     */
    void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination);

    /**
     * Sets the condition of a pod group that reports whether the group was scheduled. Sends nothing if the given group
     * already has the condition.
     *
     * @param group the group as the scheduler knows it
     * @param condition the condition, of the type {@link PodGroup#INITIALLY_SCHEDULED}
     */
    void patchStatus(PodGroup group, PodCondition condition);

    /** Sets a pod's {@code status.extendedResourceClaimStatus}. */
    @Experimental
    void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status);

    /** Sets a pod's {@code status.nodeAllocatableResourceClaimStatuses}; an empty list removes them. */
    @Experimental
    void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses);

    /** Deletes a pod; succeeds if it is already deleted. */
    void delete(Pod pod);

    /** Returns the writer for persistent volumes and their claims. */
    VolumeWriter volumes();

    /** Returns the writer for resource claims. */
    ResourceClaimWriter resourceClaims();

    /**
     * Patches an object of a kind without a type in this API.
     *
     * @param kind the object's kind
     * @param namespace the object's namespace; empty for cluster-scoped objects
     * @param name the object's name
     * @param patch the fields to change
     * @return the object after the change
     */
    OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch);

    /** Deletes the object with that name; succeeds if it is already deleted. */
    void delete(ObjectKind<?> kind, String namespace, String name);

    /** Reports an event about a pod. Never fails and never blocks: events may be dropped under load. */
    void report(PodEvent event);

    /**
     * Reports an event about an object other than a pod, as {@link #report(PodEvent)} does. A writer that does not
     * support it drops it.
     */
    default void report(ObjectEvent event) {}
}
