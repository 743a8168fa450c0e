// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Optional;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;

/**
 * Changes the cluster. Each call returns when the cluster has taken the change, and throws {@link ClusterException} when it
 * has not.
 */
public interface ClusterWriter {
    /** Binds a pod to a node. */
    void bind(Pod pod, String nodeName);

    /**
     * Sets a condition of a pod, and the node that it is likely to get.
     *
     * @param pod the pod as it is known
     * @param condition the condition to add or to replace the one of its type with; empty to leave the conditions
     * @param nomination what becomes of the nominated node
     */
    void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination);

    /** Deletes a pod; one that is gone already is no failure. */
    void delete(Pod pod);

    /**
     * Changes some fields of an object.
     *
     * @param kind its kind
     * @param namespace its namespace; empty for objects of the whole cluster
     * @param name its name
     * @param patch what changes
     * @return the object's metadata after the change
     */
    ObjectMeta patch(ObjectKind<?> kind, String namespace, String name, Patch patch);

    /**
     * Makes an object.
     *
     * @param kind its kind
     * @param namespace its namespace; empty for objects of the whole cluster
     * @param json the object, as JSON text; it may leave the name to the cluster
     * @return the object's metadata, as the cluster has it
     */
    ObjectMeta create(ObjectKind<?> kind, String namespace, String json);

    /** Deletes an object of that name; one that is gone already is no failure. */
    void delete(ObjectKind<?> kind, String namespace, String name);

    /** Reports to people what happened to a pod. Never fails, and does not wait: reports may be dropped under load. */
    void report(PodEvent event);
}
