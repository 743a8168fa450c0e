// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;

/** Events that the scheduler itself emits, with kube-scheduler's labels. */
public final class WellKnownEvents {
    /** A bound pod was added, or a pod was bound. */
    public static final ClusterEvent ASSIGNED_POD_ADD = ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.ADD);
    /** A bound pod changed in none of the specific ways that have their own event. */
    public static final ClusterEvent ASSIGNED_POD_UPDATE =
            ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.UPDATE);
    /** A bound pod was deleted, or resources reserved for a pod were released. */
    public static final ClusterEvent ASSIGNED_POD_DELETE =
            ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE);
    /** A pending pod was added. */
    public static final ClusterEvent UNSCHEDULED_POD_ADD =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.ADD);
    /** A pending pod changed in none of the specific ways that have their own event. */
    public static final ClusterEvent UNSCHEDULED_POD_UPDATE =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.UPDATE);
    /** A pending pod was deleted. */
    public static final ClusterEvent UNSCHEDULED_POD_DELETE =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.DELETE);
    /** The queued pod itself changed in none of the specific ways that have their own event. */
    public static final ClusterEvent TARGET_POD_UPDATE = ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE);
    /** A node was added. */
    public static final ClusterEvent NODE_ADD = ClusterEvent.of(EventResource.NODE, ActionType.ADD);
    /** A node was deleted. */
    public static final ClusterEvent NODE_DELETE = ClusterEvent.of(EventResource.NODE, ActionType.DELETE);
    /** A pod has waited for an event for so long that it is tried without one. */
    public static final ClusterEvent UNSCHEDULABLE_TIMEOUT = ClusterEvent.wildcard("UnschedulableTimeout");
    /** A kind of object can be listed again, or no longer. */
    public static final ClusterEvent KIND_AVAILABILITY = ClusterEvent.wildcard("KindAvailability");
    /** A plugin or the scheduler activated a pod. */
    public static final ClusterEvent FORCE_ACTIVATE = ClusterEvent.wildcard("ForceActivate");

    /** The label for a pod that returns after a failed attempt. */
    public static final String SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure";
    /** The label for the end of a pod's backoff. */
    public static final String BACKOFF_COMPLETE = "BackoffComplete";
    /** The label for a pod that is tried before the end of its backoff, since no other pod is ready. */
    public static final String POP_FROM_BACKOFF = "PopFromBackoffQ";

    /** The label for a popped pod, which kube-scheduler records among the events. */
    public static final String POD_POPPED = "PodPopped";

    private WellKnownEvents() {}
}
