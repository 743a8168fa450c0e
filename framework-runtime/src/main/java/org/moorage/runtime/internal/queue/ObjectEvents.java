// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;

/** Maps changes of objects other than pods and nodes to cluster events. */
public final class ObjectEvents {
    private ObjectEvents() {}

    /** Returns the event of a change. Updates are not distinguished by the changed fields. */
    public static ClusterEvent of(ObjectKind<?> kind, ObjectChange<?> change) {
        EventResource resource = EventResource.of(kind);
        if (change.before().isEmpty()) {
            return ClusterEvent.of(resource, ActionType.ADD);
        }
        return change.after().isEmpty()
                ? ClusterEvent.of(resource, ActionType.DELETE)
                : ClusterEvent.of(resource, ActionType.UPDATE);
    }
}
