// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;

/** Events that the scheduler itself speaks of, under kube-scheduler's labels. */
public final class WellKnownEvents {
    /** A pod with a node came into being, or a pod got one. */
    public static final ClusterEvent ASSIGNED_POD_ADD = ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.ADD);
    /** A pod with a node changed in some other way than those that are told apart. */
    public static final ClusterEvent ASSIGNED_POD_UPDATE =
            ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.UPDATE);
    /** A pod with a node is gone, or what was set aside for a pod is free again. */
    public static final ClusterEvent ASSIGNED_POD_DELETE =
            ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.DELETE);
    /** A waiting pod came into being. */
    public static final ClusterEvent UNSCHEDULED_POD_ADD =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.ADD);
    /** A waiting pod changed in some other way than those that are told apart. */
    public static final ClusterEvent UNSCHEDULED_POD_UPDATE =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.UPDATE);
    /** A waiting pod is gone. */
    public static final ClusterEvent UNSCHEDULED_POD_DELETE =
            ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.DELETE);
    /** The waiting pod itself changed in some other way than those that are told apart. */
    public static final ClusterEvent TARGET_POD_UPDATE = ClusterEvent.of(EventResource.TARGET_POD, ActionType.UPDATE);
    /** A node came into being. */
    public static final ClusterEvent NODE_ADD = ClusterEvent.of(EventResource.NODE, ActionType.ADD);
    /** A node is gone. */
    public static final ClusterEvent NODE_DELETE = ClusterEvent.of(EventResource.NODE, ActionType.DELETE);
    /** A pod has waited for an event for so long that it is tried without one. */
    public static final ClusterEvent UNSCHEDULABLE_TIMEOUT = ClusterEvent.wildcard("UnschedulableTimeout");
    /** A kind of object can be listed again, or no longer. */
    public static final ClusterEvent KIND_AVAILABILITY = ClusterEvent.wildcard("KindAvailability");
    /** Somebody asked for a pod to be tried. */
    public static final ClusterEvent FORCE_ACTIVATE = ClusterEvent.wildcard("ForceActivate");

    /** The label of a pod's return after a failed attempt. */
    public static final String SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure";
    /** The label of the end of a pod's backoff. */
    public static final String BACKOFF_COMPLETE = "BackoffComplete";
    /** The label of a pod's being tried before the end of its backoff, since no other pod is ready. */
    public static final String POP_FROM_BACKOFF = "PopFromBackoffQ";

    /** The label of a pod's being popped, which kube-scheduler keeps among the events. */
    public static final String POD_POPPED = "PodPopped";

    private WellKnownEvents() {}
}
