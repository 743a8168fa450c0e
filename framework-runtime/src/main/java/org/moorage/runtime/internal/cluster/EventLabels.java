// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.List;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/** The labels of changes in the metric of how long handling them takes: one for each change, the first of its events. */
final class EventLabels {
    // No event of the queue, which is told by other means.
    private static final ClusterEvent UNSCHEDULED_POD_DELETE =
            ClusterEvent.of(EventResource.UNSCHEDULABLE_POD, ActionType.DELETE);

    private EventLabels() {}

    static String of(ObjectKind<?> kind, ObjectChange<?> change) {
        if (kind.equals(ObjectKind.POD)) {
            return pod(change.as(Pod.class)).label();
        }
        if (kind.equals(ObjectKind.NODE)) {
            List<ClusterEvent> events = NodeEvents.of(change.as(Node.class));
            return events.isEmpty() ? "NodeUpdate" : events.get(0).label();
        }
        return ObjectEvents.of(kind, change).label();
    }

    private static ClusterEvent pod(ObjectChange<Pod> change) {
        boolean assigned = change.latest().isBound();
        if (change.before().isEmpty()) {
            return assigned ? WellKnownEvents.ASSIGNED_POD_ADD : WellKnownEvents.UNSCHEDULED_POD_ADD;
        }
        if (change.after().isEmpty()) {
            return assigned ? WellKnownEvents.ASSIGNED_POD_DELETE : UNSCHEDULED_POD_DELETE;
        }
        if (assigned && !change.before().orElseThrow().isBound()) {
            return WellKnownEvents.ASSIGNED_POD_ADD;
        }
        List<ClusterEvent> events =
                PodEvents.of(change.before().orElseThrow(), change.after().orElseThrow());
        if (!events.isEmpty()) {
            return events.get(0);
        }
        return assigned ? WellKnownEvents.ASSIGNED_POD_UPDATE : WellKnownEvents.UNSCHEDULED_POD_UPDATE;
    }
}
