// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import java.util.List;
import java.util.Optional;
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
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;

/** What a changed object means: pods and nodes belong into the cache, and of every change the waiting pods are told. */
public final class ObjectEventHandlers implements ChangeHandler {
    private final PodEventHandlers pods;
    private final SchedulerCache cache;
    private final SchedulingQueue queue;
    private final ObjectStore store;

    /**
     * A handler of changed objects.
     *
     * @param pods the handler of those that are pods
     * @param store the objects as they are
     */
    public ObjectEventHandlers(PodEventHandlers pods, SchedulerCache cache, SchedulingQueue queue, ObjectStore store) {
        this.pods = pods;
        this.cache = cache;
        this.queue = queue;
        this.store = store;
    }

    @Override
    public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
        if (kind.equals(ObjectKind.POD)) {
            pods.changed(change.as(Pod.class));
        } else if (kind.equals(ObjectKind.NODE)) {
            nodeChanged(change.as(Node.class));
        } else if (kind.equals(ObjectKind.DEVICE_TAINT_RULE)) {
            taintRuleChanged(change.as(DeviceTaintRule.class));
        } else {
            queue.moveAllToActiveOrBackoff(ObjectEvents.of(kind, change), change);
        }
    }

    private void nodeChanged(ObjectChange<Node> change) {
        Node before = change.before().orElse(null);
        Node after = change.after().orElse(null);
        if (after == null) {
            cache.removeNode(change.latest().name());
            queue.moveAllToActiveOrBackoff(WellKnownEvents.NODE_DELETE, change);
            return;
        }
        cache.putNode(after);
        if (before == null) {
            queue.moveAllToActiveOrBackoff(WellKnownEvents.NODE_ADD, change);
            return;
        }
        for (ClusterEvent event : NodeEvents.of(before, after)) {
            queue.moveAllToActiveOrBackoff(event, change);
        }
    }

    // As for kube-scheduler's plugins, what changes with a rule is the slices of the devices that it taints.
    private void taintRuleChanged(ObjectChange<DeviceTaintRule> change) {
        ClusterEvent event = ClusterEvent.of(EventResource.RESOURCE_SLICE, ActionType.UPDATE);
        for (ResourceSlice slice : store.lister(ObjectKind.RESOURCE_SLICE).all()) {
            ResourceSlice before = tainted(slice, change.before());
            ResourceSlice after = tainted(slice, change.after());
            if (!before.equals(after)) {
                queue.moveAllToActiveOrBackoff(event, ObjectChange.updated(before, after));
            }
        }
    }

    private static ResourceSlice tainted(ResourceSlice slice, Optional<DeviceTaintRule> rule) {
        return DeviceTaintRule.applied(rule.map(List::of).orElse(List.of()), slice);
    }
}
