// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.event;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;

/**
 * An event that may make pods schedulable that a plugin rejected, with the hint that decides it for one pod.
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
     * Registers changes of objects of a kind, with a hint that inspects the changed object.
     *
     * @param actions the changes; kinds other than pods and nodes only distinguish {@link ActionType#ADD},
     *     {@link ActionType#UPDATE} and {@link ActionType#DELETE}
     */
    public static <T extends ClusterObject> EventRegistration of(
            ObjectKind<T> kind, Set<ActionType> actions, QueueingHint<? super T> hint) {
        return of(ClusterEvent.of(EventResource.of(kind), actions), kind.type(), hint);
    }

    /** Registers an event, with a hint that inspects the changed object, which has the given type. */
    public static <T> EventRegistration of(ClusterEvent event, Class<T> type, QueueingHint<? super T> hint) {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(hint, "hint");
        return new EventRegistration(event, (pod, change) -> ask(hint, pod, change.as(type)));
    }

    /** Returns this registration with a pre-queueing hint, which selects the candidate pods once per change. */
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

    /** Registers changes of objects of a kind and retries the pod on each, without inspecting the object. */
    public static EventRegistration always(ObjectKind<?> kind, Set<ActionType> actions) {
        return always(ClusterEvent.of(EventResource.of(kind), actions));
    }

    /** Registers an event and retries the pod each time it occurs, without inspecting the object. */
    public static EventRegistration always(ClusterEvent event) {
        return new EventRegistration(Objects.requireNonNull(event, "event"), (pod, change) -> Hint.QUEUE);
    }

    /** Returns the event. */
    public ClusterEvent event() {
        return event;
    }

    /** Returns the hint. It throws if it is called with an object of another type. */
    public QueueingHint<Object> hint() {
        return hint;
    }

    /** Returns the pre-queueing hint, if there is one. It throws if it is called with an object of another type. */
    public Optional<PreQueueingHint<Object>> preHint() {
        return preHint;
    }
}
