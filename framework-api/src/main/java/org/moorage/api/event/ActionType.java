// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What happened to an object. The order is that of kube-scheduler's bits, lowest first. */
public enum ActionType {
    /** It came into being. */
    ADD("Add"),
    /** It is gone. */
    DELETE("Delete"),
    /** A node offers other amounts of resources. */
    UPDATE_NODE_ALLOCATABLE("UpdateNodeAllocatable"),
    /** A node's labels changed. */
    UPDATE_NODE_LABEL("UpdateNodeLabel"),
    /** A node's taints changed, or it was closed or opened for new pods. */
    UPDATE_NODE_TAINT("UpdateNodeTaint"),
    /** A condition of a node changed its status. */
    UPDATE_NODE_CONDITION("UpdateNodeCondition"),
    /** A node's annotations changed. */
    UPDATE_NODE_ANNOTATION("UpdateNodeAnnotation"),
    /** A node declares other features. */
    UPDATE_NODE_DECLARED_FEATURE("UpdateNodeDeclaredFeature"),
    /** A node lets resized pods preempt others, or no longer. */
    UPDATE_NODE_PREEMPTION_POLICY("UpdateNodePreemptionPolicy"),
    /** A pod's labels changed. */
    UPDATE_POD_LABEL("UpdatePodLabel"),
    /** A pod requests less of something. */
    UPDATE_POD_SCALE_DOWN("UpdatePodScaleDown"),
    /** A pod requests more of something. */
    UPDATE_POD_SCALE_UP("UpdatePodScaleUp"),
    /** A pod tolerates other taints. */
    UPDATE_POD_TOLERATION("UpdatePodToleration"),
    /** The last scheduling gate of a pod was removed. */
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED("UpdatePodSchedulingGatesEliminated"),
    /** Other claims were made for a pod. */
    UPDATE_POD_GENERATED_RESOURCE_CLAIM("UpdatePodGeneratedResourceClaim");

    /**
     * Every kind of change of an object that stays. What happened carries them all if the change is of none of the kinds
     * that are told apart.
     */
    public static final Set<ActionType> UPDATE =
            Collections.unmodifiableSet(EnumSet.range(UPDATE_NODE_ALLOCATABLE, UPDATE_POD_GENERATED_RESOURCE_CLAIM));
    /** What leaves an object there that is new or has changed. */
    public static final Set<ActionType> ADD_OR_UPDATE = Collections.unmodifiableSet(addOrUpdate());
    /** Everything that can happen. */
    public static final Set<ActionType> ALL = Collections.unmodifiableSet(EnumSet.allOf(ActionType.class));

    private final String text;

    ActionType(String text) {
        this.text = text;
    }

    private static EnumSet<ActionType> addOrUpdate() {
        EnumSet<ActionType> actions = EnumSet.copyOf(UPDATE);
        actions.add(ADD);
        return actions;
    }

    /** The name in kube-scheduler's labels, for example {@code UpdateNodeTaint}. */
    @Override
    public String toString() {
        return text;
    }
}
