// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;

/** Maps changes of nodes to cluster events. */
public final class NodeEvents {
    private static final ClusterEvent ALLOCATABLE = node(ActionType.UPDATE_NODE_ALLOCATABLE);
    private static final ClusterEvent LABEL = node(ActionType.UPDATE_NODE_LABEL);
    private static final ClusterEvent TAINT = node(ActionType.UPDATE_NODE_TAINT);
    private static final ClusterEvent CONDITION = node(ActionType.UPDATE_NODE_CONDITION);
    private static final ClusterEvent ANNOTATION = node(ActionType.UPDATE_NODE_ANNOTATION);
    private static final ClusterEvent PREEMPTION_POLICY = node(ActionType.UPDATE_NODE_PREEMPTION_POLICY);
    private static final ClusterEvent DECLARED_FEATURE = node(ActionType.UPDATE_NODE_DECLARED_FEATURE);

    private NodeEvents() {}

    private static ClusterEvent node(ActionType action) {
        return ClusterEvent.of(EventResource.NODE, action);
    }

    /** Returns the events of a change; none if it does not affect scheduling. */
    public static List<ClusterEvent> of(ObjectChange<Node> change) {
        if (change.before().isEmpty()) {
            return List.of(WellKnownEvents.NODE_ADD);
        }
        return change.after().isEmpty()
                ? List.of(WellKnownEvents.NODE_DELETE)
                : of(change.before().get(), change.after().get());
    }

    /** Returns the events of an update; none if it does not affect scheduling. */
    public static List<ClusterEvent> of(Node before, Node after) {
        List<ClusterEvent> events = new ArrayList<>();
        // Uncordoning a node counts as a change of its taints, in addition to an actual one; cordoning it helps no pod.
        if (before.unschedulable() && !after.unschedulable()) {
            events.add(TAINT);
        }
        if (!before.allocatable().equals(after.allocatable())) {
            events.add(ALLOCATABLE);
        }
        if (!before.labels().equals(after.labels())) {
            events.add(LABEL);
        }
        if (!before.taints().equals(after.taints())) {
            events.add(TAINT);
        }
        if (!before.conditions().equals(after.conditions())) {
            events.add(CONDITION);
        }
        if (!before.metadata().annotations().equals(after.metadata().annotations())) {
            events.add(ANNOTATION);
        }
        if (!before.podPreemptionPolicy().equals(after.podPreemptionPolicy())) {
            events.add(PREEMPTION_POLICY);
        }
        if (!before.declaredFeatures().equals(after.declaredFeatures())) {
            events.add(DECLARED_FEATURE);
        }
        return List.copyOf(events);
    }
}
