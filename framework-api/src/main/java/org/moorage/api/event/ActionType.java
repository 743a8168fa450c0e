// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A kind of change of an object. The order is that of kube-scheduler's bits, lowest first. */
public enum ActionType {
    /** The object was created. */
    ADD("Add"),
    /** The object was deleted. */
    DELETE("Delete"),
    /** A node's allocatable resources changed. */
    UPDATE_NODE_ALLOCATABLE("UpdateNodeAllocatable"),
    /** A node's labels changed. */
    UPDATE_NODE_LABEL("UpdateNodeLabel"),
    /** A node's taints changed, or it was cordoned or uncordoned. */
    UPDATE_NODE_TAINT("UpdateNodeTaint"),
    /** A condition of a node changed its status. */
    UPDATE_NODE_CONDITION("UpdateNodeCondition"),
    /** A node's annotations changed. */
    UPDATE_NODE_ANNOTATION("UpdateNodeAnnotation"),
    /** A node's declared features changed. */
    UPDATE_NODE_DECLARED_FEATURE("UpdateNodeDeclaredFeature"),
    /** A node began or stopped to allow preemption by resized pods. */
    UPDATE_NODE_PREEMPTION_POLICY("UpdateNodePreemptionPolicy"),
    /** A pod's labels changed. */
    UPDATE_POD_LABEL("UpdatePodLabel"),
    /** A pod's request for a resource decreased. */
    UPDATE_POD_SCALE_DOWN("UpdatePodScaleDown"),
    /** A pod's request for a resource increased. */
    UPDATE_POD_SCALE_UP("UpdatePodScaleUp"),
    /** A pod's tolerations changed. */
    UPDATE_POD_TOLERATION("UpdatePodToleration"),
    /** The last scheduling gate of a pod was removed. */
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED("UpdatePodSchedulingGatesEliminated"),
    /** The claims generated for a pod changed. */
    UPDATE_POD_GENERATED_RESOURCE_CLAIM("UpdatePodGeneratedResourceClaim");

    /** All kinds of updates. An event has all of them if its update is none of the specific kinds. */
    public static final Set<ActionType> UPDATE =
            Collections.unmodifiableSet(EnumSet.range(UPDATE_NODE_ALLOCATABLE, UPDATE_POD_GENERATED_RESOURCE_CLAIM));
    /** All changes except deletion. */
    public static final Set<ActionType> ADD_OR_UPDATE = Collections.unmodifiableSet(addOrUpdate());
    /** All kinds of changes. */
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

    /** Returns the name in kube-scheduler's labels, for example {@code UpdateNodeTaint}. */
    @Override
    public String toString() {
        return text;
    }
}
