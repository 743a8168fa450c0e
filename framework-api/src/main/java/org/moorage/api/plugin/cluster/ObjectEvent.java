// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import org.moorage.api.model.ClusterObject;

/**
 * An event about an object other than a pod, such as a pod group or a custom resource, for users: an event of
 * {@code events.k8s.io}.
 */
public final class ObjectEvent {
    private final ClusterObject object;
    private final String controller;
    private final String type;
    private final String reason;
    private final String action;
    private final String note;

    private ObjectEvent(
            ClusterObject object, String controller, String type, String reason, String action, String note) {
        this.object = Objects.requireNonNull(object, "object");
        this.controller = Objects.requireNonNull(controller, "controller");
        this.type = type;
        this.reason = Objects.requireNonNull(reason, "reason");
        this.action = Objects.requireNonNull(action, "action");
        this.note = Objects.requireNonNull(note, "note");
    }

    /**
     * Returns an event that reports success.
     *
     * @param object the object
     * @param controller the component that reports it; for pod groups the scheduler that the group's pods name
     * @param reason one word, for example {@code Synced}
     * @param action the component's action, for example {@code Reconciling}
     * @param note a sentence
     */
    public static ObjectEvent normal(
            ClusterObject object, String controller, String reason, String action, String note) {
        return new ObjectEvent(object, controller, PodEvent.NORMAL, reason, action, note);
    }

    /** Returns an event that reports a failure, with the parameters of {@link #normal}. */
    public static ObjectEvent warning(
            ClusterObject object, String controller, String reason, String action, String note) {
        return new ObjectEvent(object, controller, PodEvent.WARNING, reason, action, note);
    }

    /** Returns the object. */
    public ClusterObject object() {
        return object;
    }

    /** Returns the component that reports the event. */
    public String controller() {
        return controller;
    }

    /** Returns {@link PodEvent#NORMAL} or {@link PodEvent#WARNING}. */
    public String type() {
        return type;
    }

    /** Returns the reason in one word. */
    public String reason() {
        return reason;
    }

    /** Returns the component's action. */
    public String action() {
        return action;
    }

    /** Returns the note, a sentence. */
    public String note() {
        return note;
    }

    @Override
    public String toString() {
        return type + " " + reason + " of " + object.namespace() + "/" + object.name() + ": " + note;
    }
}
