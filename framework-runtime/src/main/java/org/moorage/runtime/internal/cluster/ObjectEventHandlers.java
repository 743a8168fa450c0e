// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.decision.HintEvaluation;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.PodEvents;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/**
 * Handles changes of objects: updates pods, nodes and groups in the cache, and passes the events of every change to the
 * queue.
 */
public final class ObjectEventHandlers implements ChangeHandler {
    private final PodEventHandlers pods;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final ObjectStore store;
    private final Listeners listeners;

    /**
     * Creates a handler of changed objects.
     *
     * @param pods the handler of changed pods
     * @param store the current objects
     * @param listeners receive the duration of handling
     */
    public ObjectEventHandlers(
            PodEventHandlers pods,
            SchedulerCache cache,
            SchedulingQueue queue,
            ObjectStore store,
            Listeners listeners) {
        this.pods = pods;
        this.cache = cache;
        this.queue = queue;
        this.store = store;
        this.listeners = listeners;
    }

    @Override
    public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
        long start = System.nanoTime();
        handle(kind, change);
        listeners.measure(listener -> listener.eventHandled(EventLabels.of(kind, change), System.nanoTime() - start));
    }

    private <T extends ClusterObject> void handle(ObjectKind<T> kind, ObjectChange<T> change) {
        if (kind.equals(ObjectKind.POD)) {
            pods.changed(change.as(Pod.class));
            return;
        }
        if (kind.equals(ObjectKind.NODE)) {
            nodeChanged(change.as(Node.class));
        } else if (change.latest() instanceof SchedulingGroup) {
            groupChanged(change.as(SchedulingGroup.class));
        }
        events(kind, change, queue::moveAllToActiveOrBackoff);
    }

    @Override
    public void availabilityChanged() {
        queue.moveAllToActiveOrBackoff(WellKnownEvents.KIND_AVAILABILITY);
    }

    private void nodeChanged(ObjectChange<Node> change) {
        Node after = change.after().orElse(null);
        if (after == null) {
            cache.removeNode(change.latest().name());
        } else {
            cache.putNode(after);
        }
    }

    // Before the event, so that the hints of plugins see the group.
    private void groupChanged(ObjectChange<SchedulingGroup> change) {
        SchedulingGroup after = change.after().orElse(null);
        if (after == null) {
            cache.removeGroup(change.latest());
            queue.deleteGroup(change.latest());
        } else {
            cache.putGroup(after);
            queue.putGroup(after);
        }
    }

    /** Returns the effect of a change on a pod that is rejected now. Nothing is changed. */
    public HintEvaluation hints(Pod pod, ObjectKind<?> kind, ObjectChange<?> change) {
        List<ClusterEvent> events = new ArrayList<>();
        List<PluginHint> hints = new ArrayList<>();
        Map<String, Predicate<Pod>> candidates = new HashMap<>();
        BiConsumer<ClusterEvent, ObjectChange<?>> sink = (event, changed) -> {
            events.add(event);
            hints.addAll(queue.hints(pod, event, changed));
            queue.candidates(event, changed).forEach((plugin, named) -> candidates.merge(plugin, named, Predicate::or));
        };
        if (isUpdateOf(pod, change)) {
            ObjectChange<Pod> own = change.as(Pod.class);
            for (ClusterEvent event :
                    PodEvents.ofTarget(own.before().orElseThrow(), own.after().orElseThrow())) {
                sink.accept(event, own);
            }
        } else if (kind.equals(ObjectKind.POD)) {
            pods.unpublishedEvents(change.as(Pod.class)).forEach(events::add);
            pods.eventsFor(pod, change.as(Pod.class), sink);
        } else {
            events(kind, change, sink);
        }
        return new HintEvaluation(events, hints, candidates);
    }

    // The queue evaluates an update of a pending pod only for that pod.
    private static boolean isUpdateOf(Pod pod, ObjectChange<?> change) {
        return change.before().isPresent()
                && change.after().isPresent()
                && change.latest() instanceof Pod updated
                && updated.uid().equals(pod.uid())
                && !updated.isBound();
    }

    // Emits the events of a change of objects other than pods.
    private void events(ObjectKind<?> kind, ObjectChange<?> change, BiConsumer<ClusterEvent, ObjectChange<?>> sink) {
        if (kind.equals(ObjectKind.NODE)) {
            for (ClusterEvent event : NodeEvents.of(change.as(Node.class))) {
                sink.accept(event, change);
            }
        } else if (kind.equals(ObjectKind.DEVICE_TAINT_RULE)) {
            taintRuleEvents(change.as(DeviceTaintRule.class), sink);
        } else {
            sink.accept(ObjectEvents.of(kind, change), change);
        }
    }

    // As in kube-scheduler, plugins see a change of a rule as a change of the slices whose devices it taints.
    private void taintRuleEvents(ObjectChange<DeviceTaintRule> change, BiConsumer<ClusterEvent, ObjectChange<?>> sink) {
        ClusterEvent event = ClusterEvent.of(EventResource.RESOURCE_SLICE, ActionType.UPDATE);
        for (ResourceSlice slice : store.all(ObjectKind.RESOURCE_SLICE)) {
            ResourceSlice before = tainted(slice, change.before());
            ResourceSlice after = tainted(slice, change.after());
            if (!before.equals(after)) {
                sink.accept(event, ObjectChange.updated(before, after));
            }
        }
    }

    private static ResourceSlice tainted(ResourceSlice slice, Optional<DeviceTaintRule> rule) {
        return DeviceTaintRule.applied(rule.map(List::of).orElse(List.of()), slice);
    }
}
