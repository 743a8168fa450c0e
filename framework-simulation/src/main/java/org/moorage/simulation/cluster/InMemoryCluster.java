// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectEvent;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.controllers.ClusterControllers;
import org.moorage.runtime.controllers.ObjectTable;

/**
 * An in-memory cluster for simulations, tests, and programs that keep their own copy of a cluster.
 *
 * <p>The listener is called for a change before the call that made the change returns. A change through one of the
 * methods of {@link org.moorage.api.plugin.cluster.ClusterWriter} gives the object a new resource version, as an API
 * server does. Safe for use by several threads.
 *
 * <p>As in a cluster with a volume controller, a volume that is bound to a claim by {@link #volumes} is then bound on
 * both sides, and a claim with a selected node gets a volume if its class has a provisioner. This consumes storage
 * where a driver reports its capacity; a claim for which no capacity is left loses its node.
 */
public final class InMemoryCluster implements Cluster {
    private static final int KEPT_EVENTS = 1000;

    /** Its monitor is the lock. */
    private final ObjectTables objects = new ObjectTables();

    @GuardedBy("objects")
    private final ClusterControllers controllers = new ClusterControllers(objects);

    @GuardedBy("objects")
    private boolean hasControllers;

    @GuardedBy("objects")
    private Optional<Consumer<Pod>> evictions = Optional.empty();

    @GuardedBy("objects")
    private final Deque<PodEvent> events = new ArrayDeque<>();

    @GuardedBy("objects")
    private final Deque<ObjectEvent> objectEvents = new ArrayDeque<>();

    private final TreeDecoder decoder = new TreeDecoder();

    /** An empty cluster. */
    public InMemoryCluster() {}

    /** A cluster of these objects. */
    public static InMemoryCluster of(Collection<? extends ClusterObject> objects) {
        Objects.requireNonNull(objects, "objects");
        InMemoryCluster cluster = new InMemoryCluster();
        for (ClusterObject object : objects) {
            cluster.apply(object);
        }
        return cluster;
    }

    /**
     * Starts the controllers of volumes and claims. From now on, claims that do not wait for a pod are bound, as in a
     * cluster with a volume controller and a provisioner for each class that names one: to the best matching volume, or
     * else to a provisioned one. Volumes become available. When a pod is deleted, its ephemeral claims and the volumes
     * that were provisioned for them are deleted, and so are the resource claims that were created for it. Other
     * resource claims are no longer reserved for the pod, and release their devices if it was the last one.
     */
    public void startControllers() {
        synchronized (objects) {
            hasControllers = true;
            controllers.bindClaims();
        }
    }

    /**
     * Sets the action for a pod that a scheduler deletes by {@link #delete(Pod)}, instead of an immediate removal. It
     * can simulate the time that kubelets and controllers take.
     *
     * @param evict receives the pod in its present state, each time that its deletion is requested
     */
    public void evictPodsBy(Consumer<Pod> evict) {
        Objects.requireNonNull(evict, "evict");
        synchronized (objects) {
            evictions = Optional.of(evict);
        }
    }

    /** Adds an object, or replaces the one of its kind and name. */
    public void apply(ClusterObject object) {
        Objects.requireNonNull(object, "object");
        synchronized (objects) {
            objects.put(object);
            if (hasControllers) {
                controllers.applied(object);
            }
        }
    }

    /** Deletes an object if it exists. */
    public void remove(ClusterObject object) {
        Objects.requireNonNull(object, "object");
        synchronized (objects) {
            removeLocked(ObjectKind.of(object), object.key());
        }
    }

    @GuardedBy("objects")
    private void removeLocked(ObjectKind<?> kind, String key) {
        Optional<? extends ClusterObject> removed = objects.remove(kind, key);
        if (hasControllers && removed.isPresent()) {
            controllers.deleted(removed.get());
        }
    }

    /** Returns the object with that kind and name; the namespace is empty for cluster-scoped objects. */
    public <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String namespace, String name) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        synchronized (objects) {
            return objects.find(kind, namespace, name);
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        return find(kind, namespace, name);
    }

    /** The objects of a kind, in the order in which they came. */
    public <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        Objects.requireNonNull(kind, "kind");
        synchronized (objects) {
            return objects.all(kind);
        }
    }

    /** The last 1,000 events that were reported of pods, in order. */
    public List<PodEvent> events() {
        synchronized (objects) {
            return List.copyOf(events);
        }
    }

    /** The last 1,000 events that were reported of other objects, in order. */
    public List<ObjectEvent> objectEvents() {
        synchronized (objects) {
            return List.copyOf(objectEvents);
        }
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        Objects.requireNonNull(kinds, "kinds");
        Objects.requireNonNull(json, "json");
        Objects.requireNonNull(listener, "listener");
        synchronized (objects) {
            objects.watch(kinds, listener);
        }
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(nodeName, "nodeName");
        synchronized (objects) {
            Pod current = current(pod);
            if (current.isBound()) {
                throw new ClusterException(
                        "bind " + pod.key() + " to " + nodeName + ": pod is already assigned to node "
                                + current.nodeName(),
                        409,
                        null);
            }
            if (current.metadata().isDeleting()) {
                throw new ClusterException(
                        "bind " + pod.key() + " to " + nodeName
                                + ": pod is being deleted, cannot be assigned to a host",
                        409,
                        null);
            }
            objects.update(current.withNode(nodeName));
        }
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(nomination, "nomination");
        synchronized (objects) {
            Pod current = current(pod);
            List<PodCondition> conditions = new ArrayList<>(current.status().conditions());
            condition.ifPresent(added -> {
                conditions.removeIf(known -> known.type().equals(added.type()));
                conditions.add(added);
            });
            var status = current.status().toBuilder().conditions(conditions);
            if (nomination.overrides()) {
                status.nominatedNodeName(nomination.nodeName());
            }
            objects.update(current.withStatus(status.build()));
        }
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(condition, "condition");
        synchronized (objects) {
            PodGroup current = objects.current(ObjectKind.POD_GROUP, group);
            if (!group.initiallyScheduled().equals(Optional.of(condition))) {
                objects.update(current.toBuilder().initiallyScheduled(condition).build());
            }
        }
    }

    /** {@inheritDoc} The status is not kept, since nothing of it is in a {@link PodStatus}. */
    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(status, "status");
        synchronized (objects) {
            objects.update(current(pod));
        }
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(statuses, "statuses");
        synchronized (objects) {
            Pod current = current(pod);
            objects.update(current.withStatus(current.status().toBuilder()
                    .nodeAllocatableResourceClaimStatuses(statuses)
                    .build()));
        }
    }

    @Override
    public void delete(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        synchronized (objects) {
            Optional<Pod> known = objects.find(ObjectKind.POD, pod.key())
                    .filter(current -> current.uid().equals(pod.uid()));
            if (known.isPresent() && evictions.isPresent()) {
                evictions.get().accept(known.get());
            } else if (known.isPresent()) {
                removeLocked(ObjectKind.POD, pod.key());
            }
        }
    }

    @Override
    public VolumeWriter volumes() {
        synchronized (objects) {
            return controllers.volumes();
        }
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        synchronized (objects) {
            return controllers.resourceClaims();
        }
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(patch, "patch");
        ObjectNode changes = tree(patch.json());
        synchronized (objects) {
            OtherObject current =
                    objects.find(kind, namespace, name).orElseThrow(() -> ObjectTable.notFound(kind, name));
            String uid = changes.path("metadata").path("uid").asText("");
            String version = changes.path("metadata").path("resourceVersion").asText("");
            ObjectTable.demand(uid, current.metadata().uid(), kind, current.key());
            ObjectTable.demand(version, current.metadata().resourceVersion(), kind, current.key());
            return objects.update(decoder.decode(kind, merged(tree(current.json()), changes), KeptJson.NONE));
        }
    }

    private static ObjectNode tree(String json) {
        try {
            return ObjectStreams.object(json);
        } catch (IOException notAnObject) {
            throw new IllegalArgumentException("json: " + json + " (expected: a JSON object)", notAnObject);
        }
    }

    // RFC 7386
    private static ObjectNode merged(ObjectNode target, ObjectNode patch) {
        patch.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                target.remove(field.getKey());
            } else if (field.getValue() instanceof ObjectNode changes) {
                ObjectNode former = target.path(field.getKey()) instanceof ObjectNode object
                        ? object
                        : target.putObject(field.getKey());
                merged(former, changes);
            } else {
                target.set(field.getKey(), field.getValue());
            }
        });
        return target;
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        synchronized (objects) {
            removeLocked(kind, namespace.isEmpty() ? name : namespace + "/" + name);
        }
    }

    @Override
    public void report(PodEvent event) {
        Objects.requireNonNull(event, "event");
        synchronized (objects) {
            if (events.size() == KEPT_EVENTS) {
                events.removeFirst();
            }
            events.addLast(event);
        }
    }

    @Override
    public void report(ObjectEvent event) {
        Objects.requireNonNull(event, "event");
        synchronized (objects) {
            if (objectEvents.size() == KEPT_EVENTS) {
                objectEvents.removeFirst();
            }
            objectEvents.addLast(event);
        }
    }

    @Override
    public void close() {
        synchronized (objects) {
            objects.unwatch();
        }
    }

    @GuardedBy("objects")
    private Pod current(Pod pod) {
        return objects.find(ObjectKind.POD, pod.key())
                .filter(known -> known.uid().equals(pod.uid()))
                .orElseThrow(() -> ObjectTable.notFound(ObjectKind.POD, pod.name()));
    }
}
