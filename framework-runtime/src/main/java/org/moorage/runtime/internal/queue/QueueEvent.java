// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;

/**
 * An event and the change that caused it.
 *
 * @param event the event
 * @param change the object before and after; null for an event without an object, which is always a wildcard
 */
record QueueEvent(ClusterEvent event, @Nullable ObjectChange<Object> change) {
    /**
     * Returns whether the event applies to this pod: a wildcard event may apply to a single pod, and a pod's own update
     * applies only to that pod.
     */
    boolean isMeantFor(QueuedPodInfo queued) {
        boolean isForAll = !event.isWildcard() && !event.resource().equals(EventResource.TARGET_POD);
        if (isForAll || change == null || change.after().isEmpty()) {
            return true;
        }
        return change.latest() instanceof Pod pod && queued.isSamePod(pod);
    }
}
