// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * A change of objects of a kind: in a plugin's registration the changes to react to, elsewhere the change that
 * occurred.
 *
 * @param resource the kind of object
 * @param actions the kinds of changes; not empty
 * @param label the event's name in metrics and logs
 */
public record ClusterEvent(EventResource resource, Set<ActionType> actions, String label) {
    /** Any change of any object: retries every unschedulable pod. */
    public static final ClusterEvent WILDCARD = new ClusterEvent(EventResource.ANY, ActionType.ALL, "*All");

    public ClusterEvent {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(label, "label");
        if (actions.isEmpty()) {
            throw new IllegalArgumentException("actions: [] (expected: at least one)");
        }
        actions = Collections.unmodifiableSet(EnumSet.copyOf(actions));
    }

    /** Returns an event with one action. Its label is the resource and the action, for example {@code NodeAdd}. */
    public static ClusterEvent of(EventResource resource, ActionType action) {
        return new ClusterEvent(resource, EnumSet.of(action), resource.name() + action);
    }

    /** Returns an event of several actions. */
    public static ClusterEvent of(EventResource resource, ActionType first, ActionType... rest) {
        return of(resource, EnumSet.of(first, rest));
    }

    /** Returns an event of several actions. */
    public static ClusterEvent of(EventResource resource, Set<ActionType> actions) {
        return new ClusterEvent(resource, actions, resource.name() + label(actions));
    }

    /** Returns an event that matches everything under a separate label, for the scheduler's internal events. */
    public static ClusterEvent wildcard(String label) {
        return new ClusterEvent(EventResource.ANY, ActionType.ALL, label);
    }

    private static String label(Set<ActionType> actions) {
        if (actions.equals(ActionType.ALL)) {
            return "All";
        }
        if (actions.equals(ActionType.UPDATE)) {
            return "Update";
        }
        StringBuilder text = new StringBuilder();
        for (ActionType action : EnumSet.copyOf(actions)) {
            text.append(text.isEmpty() ? "" : "|").append(action);
        }
        return text.toString();
    }

    /** Returns whether it matches everything. */
    public boolean isWildcard() {
        return resource.equals(EventResource.ANY) && actions.equals(ActionType.ALL);
    }

    /** Returns whether a registration for this event matches the event that occurred. */
    public boolean covers(ClusterEvent happened) {
        if (isWildcard()) {
            return true;
        }
        return resource.covers(happened.resource)
                && !Collections.disjoint(actions, happened.actions)
                // kube-scheduler compares the action sets as numbers; the difference only shows for events with several
                // actions.
                && happened.bits() <= bits();
    }

    private int bits() {
        int bits = 0;
        for (ActionType action : actions) {
            bits |= 1 << action.ordinal();
        }
        return bits;
    }

    @Override
    public String toString() {
        return label;
    }
}
