// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;

/**
 * Maps updates of pods to cluster events.
 *
 * <p>Status updates by the scheduler itself belong to none of the specific kinds of update, so they do not requeue pods
 * whose plugins wait for one of these kinds.
 */
public final class PodEvents {
    private static final PodEvents ASSIGNED =
            new PodEvents(EventResource.ASSIGNED_POD, WellKnownEvents.ASSIGNED_POD_UPDATE);
    private static final PodEvents UNSCHEDULED =
            new PodEvents(EventResource.UNSCHEDULED_POD, WellKnownEvents.UNSCHEDULED_POD_UPDATE);
    private static final PodEvents TARGET = new PodEvents(EventResource.TARGET_POD, WellKnownEvents.TARGET_POD_UPDATE);

    private final ClusterEvent label;
    private final ClusterEvent scaleDown;
    private final ClusterEvent scaleUp;
    private final ClusterEvent gatesEliminated;
    private final ClusterEvent toleration;
    private final ClusterEvent generatedClaim;
    private final List<ClusterEvent> other;

    private PodEvents(EventResource resource, ClusterEvent update) {
        label = ClusterEvent.of(resource, ActionType.UPDATE_POD_LABEL);
        scaleDown = ClusterEvent.of(resource, ActionType.UPDATE_POD_SCALE_DOWN);
        scaleUp = ClusterEvent.of(resource, ActionType.UPDATE_POD_SCALE_UP);
        gatesEliminated = ClusterEvent.of(resource, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);
        toleration = ClusterEvent.of(resource, ActionType.UPDATE_POD_TOLERATION);
        generatedClaim = ClusterEvent.of(resource, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM);
        other = List.of(update);
    }

    /**
     * Returns the events of an update for other pods; never empty: an update of no specific kind yields the general
     * update event.
     *
     * @param before the pod as it was
     * @param after the pod as it is now; it determines whether the events are those of assigned or of unscheduled pods
     */
    public static List<ClusterEvent> of(Pod before, Pod after) {
        return (after.isBound() ? ASSIGNED : UNSCHEDULED).between(before, after);
    }

    /** As {@link #of}, for the updated pod itself. */
    public static List<ClusterEvent> ofTarget(Pod before, Pod after) {
        return (after.isBound() ? ASSIGNED : TARGET).between(before, after);
    }

    private List<ClusterEvent> between(Pod before, Pod after) {
        List<ClusterEvent> events = new ArrayList<>();
        if (!before.labels().equals(after.labels())) {
            events.add(label);
        }
        Map<String, Quantity> requestedBefore = before.requestedQuantitiesAtAllLevels();
        Map<String, Quantity> requestedAfter = after.requestedQuantitiesAtAllLevels();
        if (hasMore(requestedBefore, requestedAfter)) {
            events.add(scaleDown);
        }
        if (hasMore(requestedAfter, requestedBefore)) {
            events.add(scaleUp);
        }
        if (!before.spec().schedulingGates().isEmpty()
                && after.spec().schedulingGates().isEmpty()) {
            events.add(gatesEliminated);
        }
        // The API server only allows adding tolerations, so comparing their number is sufficient.
        if (before.spec().tolerations().size() != after.spec().tolerations().size()) {
            events.add(toleration);
        }
        if (!before.status().resourceClaimStatuses().equals(after.status().resourceClaimStatuses())) {
            events.add(generatedClaim);
        }
        return events.isEmpty() ? other : List.copyOf(events);
    }

    // Returns whether the first has a resource that the second lacks, or more of it.
    private static boolean hasMore(Map<String, Quantity> first, Map<String, Quantity> second) {
        for (Map.Entry<String, Quantity> amount : first.entrySet()) {
            Quantity other = second.get(amount.getKey());
            if (other == null || amount.getValue().milliValue() > other.milliValue()) {
                return true;
            }
        }
        return false;
    }
}
