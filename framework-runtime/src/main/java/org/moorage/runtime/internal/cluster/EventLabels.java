// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.List;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/** The labels of changes in the metric of event handling durations: one for each change, that of its first event. */
final class EventLabels {
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
            return assigned ? WellKnownEvents.ASSIGNED_POD_DELETE : WellKnownEvents.UNSCHEDULED_POD_DELETE;
        }
        if (assigned && !change.before().orElseThrow().isBound()) {
            return WellKnownEvents.ASSIGNED_POD_ADD;
        }
        return PodEvents.of(change.before().orElseThrow(), change.after().orElseThrow())
                .get(0);
    }
}
