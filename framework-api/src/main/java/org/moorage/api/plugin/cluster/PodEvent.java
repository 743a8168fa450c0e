// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;

/** An event about a pod, for users: an event of {@code events.k8s.io}. */
public final class PodEvent {
    /** The type of an event that reports success. */
    public static final String NORMAL = "Normal";
    /** The type of an event that reports a failure. */
    public static final String WARNING = "Warning";

    private final Pod pod;
    private final @Nullable ClusterObject related;
    private final String type;
    private final String reason;
    private final String action;
    private final String note;

    private PodEvent(Pod pod, @Nullable ClusterObject related, String type, String reason, String action, String note) {
        this.pod = Objects.requireNonNull(pod, "pod");
        this.related = related;
        this.type = Objects.requireNonNull(type, "type");
        this.reason = Objects.requireNonNull(reason, "reason");
        this.action = Objects.requireNonNull(action, "action");
        this.note = Objects.requireNonNull(note, "note");
    }

    /**
     * Returns an event that reports success.
     *
     * @param pod the pod
     * @param reason one word, for example {@code Scheduled}
     * @param action the scheduler's action, for example {@code Binding}
     * @param note a sentence
     */
    public static PodEvent normal(Pod pod, String reason, String action, String note) {
        return new PodEvent(pod, null, NORMAL, reason, action, note);
    }

    /**
     * Returns an event that reports a failure.
     *
     * @param pod the pod
     * @param reason one word, for example {@code FailedScheduling}
     * @param action the scheduler's action, for example {@code Scheduling}
     * @param note a sentence
     */
    public static PodEvent warning(Pod pod, String reason, String action, String note) {
        return new PodEvent(pod, null, WARNING, reason, action, note);
    }

    /** Returns this event with another object that is involved. */
    public PodEvent withRelated(ClusterObject object) {
        return new PodEvent(pod, Objects.requireNonNull(object, "object"), type, reason, action, note);
    }

    /** Returns the pod. */
    public Pod pod() {
        return pod;
    }

    /** Returns another object that is involved; empty if none is. */
    public Optional<ClusterObject> related() {
        return Optional.ofNullable(related);
    }

    /** Returns {@link #NORMAL} or {@link #WARNING}. */
    public String type() {
        return type;
    }

    /** Returns the reason in one word. */
    public String reason() {
        return reason;
    }

    /** Returns the scheduler's action. */
    public String action() {
        return action;
    }

    /** Returns the note, a sentence. */
    public String note() {
        return note;
    }

    @Override
    public String toString() {
        return type + " " + reason + " of " + pod.key() + ": " + note;
    }
}
