// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Something that happens to objects of a kind: in a plugin's registration what it waits for, elsewhere what happened.
 *
 * @param resource the kind of object
 * @param actions what happens to it; not empty
 * @param label its name in metrics and logs
 */
public record ClusterEvent(EventResource resource, Set<ActionType> actions, String label) {
    /** Everything at once: wakes every pod. */
    public static final ClusterEvent WILDCARD = new ClusterEvent(EventResource.ANY, ActionType.ALL, "*All");

    public ClusterEvent {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(label, "label");
        if (actions.isEmpty()) {
            throw new IllegalArgumentException("actions: [] (expected: at least one)");
        }
        actions = Collections.unmodifiableSet(EnumSet.copyOf(actions));
    }

    /** An event of one action. Its label is the resource and the action, for example {@code NodeAdd}. */
    public static ClusterEvent of(EventResource resource, ActionType action) {
        return new ClusterEvent(resource, EnumSet.of(action), resource.name() + action);
    }

    /** An event of several actions. */
    public static ClusterEvent of(EventResource resource, ActionType first, ActionType... rest) {
        return of(resource, EnumSet.of(first, rest));
    }

    /** An event of several actions. */
    public static ClusterEvent of(EventResource resource, Set<ActionType> actions) {
        return new ClusterEvent(resource, actions, resource.name() + label(actions));
    }

    /** An event that stands for everything, under a name of its own; for the scheduler's own doings. */
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

    /** Whether it stands for everything. */
    public boolean isWildcard() {
        return resource.equals(EventResource.ANY) && actions.equals(ActionType.ALL);
    }

    /** Whether a registration for this event is one for what happened. */
    public boolean covers(ClusterEvent happened) {
        if (isWildcard()) {
            return true;
        }
        return resource.covers(happened.resource)
                && !Collections.disjoint(actions, happened.actions)
                // kube-scheduler compares the sets of actions as numbers; it shows only for events of several actions.
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
