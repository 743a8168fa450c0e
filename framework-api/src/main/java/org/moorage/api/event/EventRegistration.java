// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;

/**
 * An event that a plugin waits for, and its closer look when the event happens.
 *
 * <pre>{@code
 * EventRegistration.of(ObjectKind.NODE, Set.of(ActionType.ADD, ActionType.UPDATE_NODE_LABEL), this::afterNodeChange)
 * }</pre>
 */
public final class EventRegistration {
    private final ClusterEvent event;
    private final QueueingHint<Object> hint;
    private final Optional<PreQueueingHint<Object>> preHint;

    private EventRegistration(ClusterEvent event, QueueingHint<Object> hint) {
        this(event, hint, Optional.empty());
    }

    private EventRegistration(
            ClusterEvent event, QueueingHint<Object> hint, Optional<PreQueueingHint<Object>> preHint) {
        this.event = event;
        this.hint = hint;
        this.preHint = preHint;
    }

    /**
     * Waits for changes of objects of a kind, and looks at the changed object.
     *
     * @param actions the changes; for kinds other than pods and nodes only {@link ActionType#ADD}, {@link ActionType#UPDATE} and {@link
     *     ActionType#DELETE} are told apart
     */
    public static <T extends ClusterObject> EventRegistration of(
            ObjectKind<T> kind, Set<ActionType> actions, QueueingHint<? super T> hint) {
        return of(ClusterEvent.of(EventResource.of(kind), actions), kind.type(), hint);
    }

    /** Waits for an event, and looks at the changed object, which is of that type. */
    public static <T> EventRegistration of(ClusterEvent event, Class<T> type, QueueingHint<? super T> hint) {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(hint, "hint");
        return new EventRegistration(event, (pod, change) -> ask(hint, pod, change.as(type)));
    }

    /** This registration, with what is known of a change beforehand, once for all pods. */
    public <T> EventRegistration narrowedBy(Class<T> type, PreQueueingHint<T> candidates) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(candidates, "candidates");
        return new EventRegistration(event, hint, Optional.of(change -> candidates.candidates(change.as(type))));
    }

    // Names the hint's own type, which the wildcard hides.
    @SuppressWarnings("unchecked") // a change of T is read only, so it serves as a change of a supertype
    private static <S, T extends S> Hint ask(QueueingHint<S> hint, Pod pod, ObjectChange<T> change) {
        return hint.hint(pod, (ObjectChange<S>) change);
    }

    /** Waits for changes of objects of a kind, whatever they look like. */
    public static EventRegistration always(ObjectKind<?> kind, Set<ActionType> actions) {
        return always(ClusterEvent.of(EventResource.of(kind), actions));
    }

    /** Waits for an event, whatever the object looks like. */
    public static EventRegistration always(ClusterEvent event) {
        return new EventRegistration(Objects.requireNonNull(event, "event"), (pod, change) -> Hint.QUEUE);
    }

    /** The event. */
    public ClusterEvent event() {
        return event;
    }

    /** The closer look; given an object of another type it throws. */
    public QueueingHint<Object> hint() {
        return hint;
    }

    /** What is known beforehand, if the plugin says so; given an object of another type it throws. */
    public Optional<PreQueueingHint<Object>> preHint() {
        return preHint;
    }
}
