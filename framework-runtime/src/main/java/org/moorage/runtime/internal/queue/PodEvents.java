// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;

/**
 * Maps updates of pods to cluster events.
 *
 * <p>Status updates by the scheduler itself belong to none of the specific kinds of update, so they do not requeue pods
 * whose plugins wait for one of these kinds.
 */
public final class PodEvents {
    private PodEvents() {}

    /**
     * Returns the events of an update for other pods; never empty: an update of no specific kind yields the general
     * update event.
     *
     * @param before the pod as it was
     * @param after the pod as it is now; it determines whether the events are those of assigned or of unscheduled pods
     */
    public static List<ClusterEvent> of(Pod before, Pod after) {
        return after.isBound()
                ? between(before, after, WellKnownEvents.ASSIGNED_POD_UPDATE)
                : between(before, after, WellKnownEvents.UNSCHEDULED_POD_UPDATE);
    }

    /** As {@link #of}, for the updated pod itself. */
    public static List<ClusterEvent> ofTarget(Pod before, Pod after) {
        return between(
                before,
                after,
                after.isBound() ? WellKnownEvents.ASSIGNED_POD_UPDATE : WellKnownEvents.TARGET_POD_UPDATE);
    }

    // Parameter general: the event of an update of no specific kind.
    private static List<ClusterEvent> between(Pod before, Pod after, ClusterEvent general) {
        List<ActionType> kinds = new ArrayList<>();
        if (!before.labels().equals(after.labels())) {
            kinds.add(ActionType.UPDATE_POD_LABEL);
        }
        Map<String, Quantity> requestedBefore = before.requestedQuantitiesAtAllLevels();
        Map<String, Quantity> requestedAfter = after.requestedQuantitiesAtAllLevels();
        if (hasMore(requestedBefore, requestedAfter)) {
            kinds.add(ActionType.UPDATE_POD_SCALE_DOWN);
        }
        if (hasMore(requestedAfter, requestedBefore)) {
            kinds.add(ActionType.UPDATE_POD_SCALE_UP);
        }
        if (!before.spec().schedulingGates().isEmpty()
                && after.spec().schedulingGates().isEmpty()) {
            kinds.add(ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);
        }
        // The API server only allows adding tolerations, so comparing their number is sufficient.
        if (before.spec().tolerations().size() != after.spec().tolerations().size()) {
            kinds.add(ActionType.UPDATE_POD_TOLERATION);
        }
        if (!before.status().resourceClaimStatuses().equals(after.status().resourceClaimStatuses())) {
            kinds.add(ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM);
        }
        return kinds.isEmpty()
                ? List.of(general)
                : kinds.stream()
                        .map(kind -> ClusterEvent.of(general.resource(), kind))
                        .toList();
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
