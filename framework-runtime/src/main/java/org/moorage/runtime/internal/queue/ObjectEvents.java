// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectKind;

/** What a change of an object is taken for that is neither a pod nor a node. */
public final class ObjectEvents {
    private ObjectEvents() {}

    /** The event of a change. Of updates it is not told what they are about. */
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
