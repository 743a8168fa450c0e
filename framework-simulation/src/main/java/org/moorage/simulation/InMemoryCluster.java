// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.Patch;
import org.moorage.api.plugin.PodEvent;
import org.moorage.objects.ObjectDecoder;
import org.moorage.objects.ObjectStreams;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;

/**
 * A cluster in memory: for simulations, tests, and programs that keep their own picture of a cluster.
 *
 * <p>A change is told to the listener before the call that made it returns. Safe for use by several threads.
 */
public final class InMemoryCluster implements Cluster {
    private static final String NODE_RESOURCE_CLAIMS = "nodeAllocatableResourceClaimStatuses";

    /** What may have a claim bound. */
    private static final Set<ObjectKind<?>> SETTLING = Set.of(
            ObjectKind.PERSISTENT_VOLUME,
            ObjectKind.PERSISTENT_VOLUME_CLAIM,
            ObjectKind.STORAGE_CLASS,
            ObjectKind.CSI_STORAGE_CAPACITY,
            ObjectKind.CSI_NODE);

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<ObjectKind<?>, Map<String, ClusterObject>> objectsByKind = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final List<PodEvent> events = new ArrayList<>();

    @GuardedBy("lock")
    private Set<ObjectKind<?>> watched = Set.of();

    @GuardedBy("lock")
    private @Nullable ClusterListener listener;

    @GuardedBy("lock")
    private final VolumeController volumes = new VolumeController(objectsByKind);

    @GuardedBy("lock")
    private boolean controlsVolumes;

    private int changes;

    private final ObjectDecoder decoder = new ObjectDecoder();

    /** An empty cluster. */
    public InMemoryCluster() {}

    /** A cluster of these objects. */
    public static InMemoryCluster of(Collection<? extends ClusterObject> objects) {
        InMemoryCluster cluster = new InMemoryCluster();
        for (ClusterObject object : objects) {
            cluster.apply(object);
        }
        return cluster;
    }

    /**
     * Has claims bound that do not wait for a pod, from now on, as in a cluster with a volume controller and a provisioner for
     * each class that names one: to the volume that suits best, or else to one that is made. Volumes become available. When
     * a pod leaves, the claims that were made for it go, and with them the volumes that were made for these.
     */
    public void startVolumeController() {
        synchronized (lock) {
            controlsVolumes = true;
            settleLocked();
        }
    }

    /** Adds an object, or puts it in the place of the one of its kind and name. */
    public void apply(ClusterObject object) {
        Objects.requireNonNull(object, "object");
        synchronized (lock) {
            applyLocked(ObjectKind.of(object), object);
            if (controlsVolumes && SETTLING.contains(ObjectKind.of(object))) {
                settleLocked();
            }
        }
    }

    @GuardedBy("lock")
    private void settleLocked() {
        for (ClusterObject changed : volumes.settle()) {
            applyLocked(ObjectKind.of(changed), changed);
        }
    }

    /** Deletes an object; one that is not there is no failure. */
    public void remove(ClusterObject object) {
        synchronized (lock) {
            removeLocked(ObjectKind.of(object), object.key());
        }
    }

    /** The object of that kind and name; the namespace is empty for objects of the whole cluster. */
    public <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String namespace, String name) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        synchronized (lock) {
            return Optional.ofNullable(kind.type().cast(tableOf(kind).get(key)));
        }
    }

    /** The objects of a kind, in the order in which they came. */
    public <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        synchronized (lock) {
            List<T> all = new ArrayList<>();
            for (ClusterObject object : tableOf(kind).values()) {
                all.add(kind.type().cast(object));
            }
            return all;
        }
    }

    /** What was reported of pods so far, in order. */
    public List<PodEvent> events() {
        synchronized (lock) {
            return List.copyOf(events);
        }
    }

    @Override
    public void watch(Set<ObjectKind<?>> kinds, boolean podJson, ClusterListener newListener) {
        synchronized (lock) {
            if (listener != null) {
                throw new IllegalStateException("watch: called twice (expected: once)");
            }
            watched = Set.copyOf(kinds);
            listener = newListener;
            // Nodes before pods, so that pods find theirs; it saves the cache placeholders.
            for (ObjectKind<?> kind : ObjectKind.TYPED) {
                if (kind.equals(ObjectKind.NODE) && watched.contains(kind)) {
                    replaceLocked(kind, newListener);
                }
            }
            for (ObjectKind<?> kind : watched) {
                if (!kind.equals(ObjectKind.NODE)) {
                    replaceLocked(kind, newListener);
                }
            }
        }
    }

    @GuardedBy("lock")
    private <T extends ClusterObject> void replaceLocked(ObjectKind<T> kind, ClusterListener target) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : tableOf(kind).values()) {
            all.add(kind.type().cast(object));
        }
        target.replaced(kind, all);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        synchronized (lock) {
            Pod current = existing(pod);
            if (current.isBound()) {
                throw new ClusterException(
                        "bind " + pod.key() + " to " + nodeName + ": pod is already assigned to node "
                                + current.nodeName(),
                        409,
                        null);
            }
            applyLocked(ObjectKind.POD, current.withNode(nodeName));
        }
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        synchronized (lock) {
            Pod current = existing(pod);
            List<PodCondition> conditions = new ArrayList<>(current.status().conditions());
            condition.ifPresent(added -> {
                conditions.removeIf(known -> known.type().equals(added.type()));
                conditions.add(added);
            });
            var status = current.status().toBuilder().conditions(conditions);
            if (nomination.overrides()) {
                status.nominatedNodeName(nomination.nodeName());
            }
            applyLocked(ObjectKind.POD, current.withStatus(status.build()));
        }
    }

    @Override
    public void delete(Pod pod) {
        remove(pod);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Of persistent volumes and claims a merge patch changes the annotations, and to which claim a volume is bound. As in a
     * cluster with a volume controller, a volume that is so given to a claim is then bound to it, and a claim that is
     * given a node to have a volume made for gets one if its class has a provisioner. That uses up storage, where a driver
     * says how much there is; a claim for which there is none left loses its node. Of resource claims a strategic merge
     * patch changes the finalizers and the status, of pods what their claims take of their nodes.
     */
    @Override
    public ObjectMeta patch(ObjectKind<?> kind, String namespace, String name, Patch patch) {
        String what = "patch " + kind.kind() + " " + name;
        ObjectNode values = tree(what, patch.json());
        synchronized (lock) {
            ClusterObject current = tableOf(kind).get(namespace.isEmpty() ? name : namespace + "/" + name);
            if (current == null) {
                throw new ClusterException(kind.plural() + " \"" + name + "\" not found", 404, null);
            }
            demandSame(
                    what,
                    values.path("metadata").path("uid"),
                    current.metadata().uid());
            demandSame(
                    what,
                    values.path("metadata").path("resourceVersion"),
                    current.metadata().resourceVersion());
            switch (patch.type()) {
                case MERGE -> mergeLocked(current, values);
                case STRATEGIC -> mergeStrategicallyLocked(current, values);
            }
            return Objects.requireNonNull(tableOf(kind).get(current.key())).metadata();
        }
    }

    private static void demandSame(String what, JsonNode expected, String actual) {
        if (expected.isTextual() && !expected.textValue().equals(actual)) {
            throw new ClusterException(what + ": the object has been modified", 409, null);
        }
    }

    @GuardedBy("lock")
    private void mergeLocked(ClusterObject current, ObjectNode values) {
        for (ClusterObject changed : volumes.patched(current, values)) {
            applyLocked(ObjectKind.of(changed), changed);
        }
    }

    @GuardedBy("lock")
    private void mergeStrategicallyLocked(ClusterObject current, ObjectNode values) {
        if (current instanceof ResourceClaim claim) {
            ResourceClaim changed = ClaimPatch.apply(claim, values, decoder);
            applyLocked(ObjectKind.RESOURCE_CLAIM, changed.withMetadata(renewedLocked(changed.metadata())));
        } else if (current instanceof Pod pod && values.path("status").has(NODE_RESOURCE_CLAIMS)) {
            Pod patched = decoder.decode(ObjectKind.POD, values, false);
            applyLocked(
                    ObjectKind.POD,
                    pod.withStatus(pod.status().toBuilder()
                            .nodeResourceClaims(patched.status().nodeResourceClaims())
                            .build()));
        }
        // What else may be patched is not in the model.
    }

    @Override
    public ObjectMeta create(ObjectKind<?> kind, String namespace, String json) {
        ObjectNode object = tree("create " + kind.kind(), json);
        Defaulting.apply(object);
        ObjectNode metadata = object.withObject("metadata");
        synchronized (lock) {
            String generated = metadata.path("generateName").asText() + String.format("%05d", ++changes);
            metadata.put("name", metadata.path("name").asText(generated));
            metadata.put("uid", kind.plural() + "-" + changes);
            ClusterObject made = decoder.decode(kind, object, false);
            applyLocked(kind, made);
            return made.metadata();
        }
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        synchronized (lock) {
            removeLocked(kind, namespace.isEmpty() ? name : namespace + "/" + name);
        }
    }

    private static ObjectNode tree(String what, String json) {
        try {
            return ObjectStreams.object(json);
        } catch (IOException notAnObject) {
            throw new IllegalArgumentException(what + ": " + json + " (expected: a JSON object)", notAnObject);
        }
    }

    // Without a version, lest the change be taken for what was seen before.
    @GuardedBy("lock")
    private ObjectMeta renewedLocked(ObjectMeta metadata) {
        ObjectMeta.Builder renewed = ObjectMeta.named(metadata.name())
                .namespace(metadata.namespace())
                .uid(metadata.uid())
                .generation(metadata.generation())
                .labels(metadata.labels())
                .annotations(metadata.annotations())
                .ownerReferences(metadata.ownerReferences());
        metadata.creationTimestamp().ifPresent(renewed::creationTimestamp);
        metadata.deletionTimestamp().ifPresent(renewed::deletionTimestamp);
        return renewed.build();
    }

    @Override
    public void report(PodEvent event) {
        synchronized (lock) {
            events.add(event);
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            listener = null;
            watched = Set.of();
        }
    }

    @GuardedBy("lock")
    private Pod existing(Pod pod) {
        ClusterObject current = tableOf(ObjectKind.POD).get(pod.key());
        if (!(current instanceof Pod known) || !known.uid().equals(pod.uid())) {
            throw new ClusterException("pods \"" + pod.name() + "\" not found", 404, null);
        }
        return known;
    }

    @GuardedBy("lock")
    private <T extends ClusterObject> void applyLocked(ObjectKind<T> kind, ClusterObject object) {
        tableOf(kind).put(object.key(), object);
        if (listener != null && watched.contains(kind)) {
            listener.applied(kind, kind.type().cast(object));
        }
    }

    @GuardedBy("lock")
    private <T extends ClusterObject> void removeLocked(ObjectKind<T> kind, String key) {
        ClusterObject gone = tableOf(kind).remove(key);
        if (gone != null && listener != null && watched.contains(kind)) {
            listener.deleted(kind, kind.type().cast(gone));
        }
        if (gone instanceof Pod pod && controlsVolumes) {
            List<ClusterObject> deleted = new ArrayList<>();
            List<ClusterObject> changed = volumes.released(pod, deleted::add);
            for (ClusterObject object : deleted) {
                removeLocked(ObjectKind.of(object), object.key());
            }
            for (ClusterObject object : changed) {
                applyLocked(ObjectKind.of(object), object);
            }
            if (!deleted.isEmpty()) {
                settleLocked();
            }
        }
    }

    @GuardedBy("lock")
    private Map<String, ClusterObject> tableOf(ObjectKind<?> kind) {
        return objectsByKind.computeIfAbsent(kind, any -> new LinkedHashMap<>());
    }
}
