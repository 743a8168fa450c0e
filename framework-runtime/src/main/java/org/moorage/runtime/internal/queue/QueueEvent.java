// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;

/**
 * An event and the object that it is about.
 *
 * @param event the event
 * @param change the object before and after; null for an event that is about no object, which is always a wildcard
 */
record QueueEvent(ClusterEvent event, @Nullable ObjectChange<Object> change) {
    /** Whether a wildcard event is meant for this pod: it may be about a single one. */
    boolean isMeantFor(QueuedPodInfo queued) {
        if (change == null || change.after().isEmpty()) {
            return true;
        }
        return change.latest() instanceof Pod pod && queued.isSamePod(pod);
    }
}
