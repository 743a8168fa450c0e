// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.model.StorageClass;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.Nomination;

/**
 * A model of an API server for a scheduler's requests: objects with uids and resource versions, preconditions,
 * conflicts, finalizers, and a log of the changes of each kind. It responds immediately and has no random failures;
 * {@link ModelCluster} adds these.
 */
final class ModelApiServer {
    private static final String BOUND_CONDITION = "True";

    private final InstantSource clock;
    private final Map<ObjectKind<?>, TreeMap<String, ClusterObject>> objectsByKind = new LinkedHashMap<>();
    private final Map<ObjectKind<?>, List<Change>> logByKind = new LinkedHashMap<>();
    private final List<Consumer<Change>> watchers = new ArrayList<>();
    private final Map<String, Integer> bindingsByUid = new HashMap<>();
    private Instant lastChange = Instant.EPOCH;
    private long version;
    private long uids;

    /** The type of a change. */
    enum Type {
        ADDED,
        MODIFIED,
        DELETED
    }

    /** A change of an object, with the object after the change or its last state before a deletion. */
    record Change(ObjectKind<?> kind, Type type, ClusterObject object) {
        @Override
        public String toString() {
            return type + " " + kind.kind() + " " + object.key() + " "
                    + object.metadata().uid() + " v" + object.metadata().resourceVersion();
        }
    }

    ModelApiServer(InstantSource clock) {
        this.clock = clock;
    }

    /** Registers a watcher that is called for each change immediately. */
    void watch(Consumer<Change> watcher) {
        watchers.add(watcher);
    }

    /** Returns the changes of a kind since the start. */
    List<Change> log(ObjectKind<?> kind) {
        return logByKind.computeIfAbsent(kind, any -> new ArrayList<>());
    }

    /** Returns the number of successful bindings of the pod with that uid. */
    int bindings(String uid) {
        return bindingsByUid.getOrDefault(uid, 0);
    }

    <T extends ClusterObject> Optional<T> find(ObjectKind<T> kind, String key) {
        return Optional.ofNullable(kind.type().cast(table(kind).get(key)));
    }

    /** Returns the current pod with the key and the uid of the given pod. */
    Optional<Pod> pod(Pod known) {
        return find(ObjectKind.POD, known.key()).filter(pod -> pod.uid().equals(known.uid()));
    }

    <T extends ClusterObject> List<T> all(ObjectKind<T> kind) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : table(kind).values()) {
            all.add(kind.type().cast(object));
        }
        return all;
    }

    /** Returns all objects of all kinds. */
    List<ClusterObject> all() {
        List<ClusterObject> all = new ArrayList<>();
        objectsByKind.values().forEach(table -> all.addAll(table.values()));
        return all;
    }

    private TreeMap<String, ClusterObject> table(ObjectKind<?> kind) {
        return objectsByKind.computeIfAbsent(kind, any -> new TreeMap<>());
    }

    /** Creates an object with a new uid. */
    <T extends ClusterObject> T create(T object) {
        ObjectKind<?> kind = ObjectKind.of(object);
        if (table(kind).containsKey(object.key())) {
            throw new ClusterException(kind.plural() + " \"" + object.name() + "\" already exists", 409, null);
        }
        ObjectMeta metadata = object.metadata().toBuilder()
                .uid(kind.kind().toLowerCase(Locale.ROOT) + "-" + ++uids)
                .creationTimestamp(clock.instant())
                .build();
        return store(Type.ADDED, withoutStatus(with(object, metadata)));
    }

    // A client cannot set the status of a group in its creation.
    @SuppressWarnings("unchecked") // an object of the same type
    private static <T extends ClusterObject> T withoutStatus(T object) {
        return object instanceof PodGroup group ? (T) withoutStatus(group) : object;
    }

    private static PodGroup withoutStatus(PodGroup group) {
        return new PodGroup(
                group.metadata(),
                group.parentName(),
                group.isGang(),
                group.minCount(),
                group.topologyKeys(),
                group.resourceClaims(),
                group.disruptionMode(),
                group.priority(),
                group.preemptionPolicy(),
                List.of(),
                Optional.empty());
    }

    private <T extends ClusterObject> T store(Type type, T object) {
        T stored = with(object, object.metadata().withResourceVersion(Long.toString(++version)));
        ObjectKind<?> kind = ObjectKind.of(stored);
        if (type != Type.MODIFIED || !essence(stored).equals(essence(table(kind).get(stored.key())))) {
            lastChange = clock.instant();
        }
        if (type == Type.DELETED) {
            table(kind).remove(stored.key());
        } else {
            table(kind).put(stored.key(), stored);
        }
        Change change = new Change(kind, type, stored);
        log(kind).add(change);
        watchers.forEach(watcher -> watcher.accept(change));
        return stored;
    }

    // Returns the object without the fields that change even if an attempt has no effect.
    private static Object essence(@Nullable ClusterObject object) {
        if (object instanceof Pod pod) {
            return pod.withMetadata(pod.metadata().withResourceVersion(""))
                    .withStatus(pod.status().toBuilder().conditions(List.of()).build());
        }
        if (object instanceof PodGroup group) {
            return withoutStatus(group.withMetadata(group.metadata().withResourceVersion("")));
        }
        return object == null ? "" : object;
    }

    /** Returns the time of the last change other than to the conditions of pods and groups. */
    Instant lastChange() {
        return lastChange;
    }

    /** Changes an object if it exists. */
    <T extends ClusterObject> void update(ObjectKind<T> kind, String key, UnaryOperator<T> change) {
        find(kind, key).ifPresent(current -> {
            T changed = change.apply(current);
            if (changed != current) {
                store(Type.MODIFIED, changed);
            }
        });
    }

    /** Deletes an object immediately, or when its finalizers are removed. */
    <T extends ClusterObject> void delete(ObjectKind<T> kind, String key) {
        find(kind, key).ifPresent(object -> {
            if (object instanceof ResourceClaim claim && !claim.finalizers().isEmpty()) {
                if (!claim.metadata().isDeleting()) {
                    store(Type.MODIFIED, with(claim, deleting(claim.metadata())));
                }
            } else {
                store(Type.DELETED, object);
            }
        });
    }

    private ObjectMeta deleting(ObjectMeta metadata) {
        return metadata.toBuilder().deletionTimestamp(clock.instant()).build();
    }

    /** Deletes a pod: immediately if it has no node, otherwise its kubelet removes it. */
    void deletePod(Pod known) {
        Pod pod = demand(ObjectKind.POD, known);
        if (!pod.isBound()) {
            store(Type.DELETED, pod);
        } else if (!pod.metadata().isDeleting()) {
            store(Type.MODIFIED, pod.withMetadata(deleting(pod.metadata())));
        }
    }

    /** Binds a pod, like the subresource {@code binding}. */
    void bind(Pod known, String nodeName) {
        Pod pod = demand(ObjectKind.POD, known);
        if (pod.metadata().isDeleting()) {
            throw conflict(ObjectKind.POD, pod, "is being deleted, cannot be assigned to a host");
        }
        if (pod.isBound()) {
            throw conflict(ObjectKind.POD, pod, "is already assigned to node \"" + pod.nodeName() + "\"");
        }
        PodCondition scheduled = new PodCondition(PodCondition.POD_SCHEDULED, BOUND_CONDITION, "", "", 0);
        PodStatus status = withCondition(pod.status(), scheduled).toBuilder()
                .nominatedNodeName("")
                .build();
        bindingsByUid.merge(pod.uid(), 1, Integer::sum);
        store(Type.MODIFIED, pod.withNode(nodeName).withStatus(status));
    }

    static PodStatus withCondition(PodStatus status, PodCondition condition) {
        List<PodCondition> conditions = new ArrayList<>(status.conditions());
        conditions.removeIf(known -> known.type().equals(condition.type()));
        conditions.add(condition);
        return status.toBuilder().conditions(conditions).build();
    }

    /** Patches the status of a pod. */
    void patchStatus(Pod known, Optional<PodCondition> condition, Nomination nomination) {
        Pod pod = demand(ObjectKind.POD, known);
        PodStatus status =
                condition.map(added -> withCondition(pod.status(), added)).orElse(pod.status());
        if (nomination.overrides()) {
            status = status.toBuilder().nominatedNodeName(nomination.nodeName()).build();
        }
        if (!status.equals(pod.status())) {
            store(Type.MODIFIED, pod.withStatus(status));
        }
    }

    /** Sets the condition of the pod group with that uid. */
    void patchStatus(PodGroup known, PodCondition condition) {
        PodGroup group = demand(ObjectKind.POD_GROUP, known);
        if (!group.initiallyScheduled().equals(Optional.of(condition))) {
            store(Type.MODIFIED, group.toBuilder().initiallyScheduled(condition).build());
        }
    }

    /** Changes the pod with that uid. */
    void patchPod(Pod known, UnaryOperator<Pod> change) {
        store(Type.MODIFIED, change.apply(demand(ObjectKind.POD, known)));
    }

    /** Changes a volume or a claim if it still has the version of the given object. */
    <T extends ClusterObject> T patchVersion(ObjectKind<T> kind, T known, UnaryOperator<T> change) {
        T current = demand(kind, known);
        if (!known.metadata().resourceVersion().isEmpty()
                && !known.metadata().resourceVersion().equals(current.metadata().resourceVersion())) {
            throw conflict(kind, known, "the object has been modified");
        }
        return store(Type.MODIFIED, change.apply(current));
    }

    /** Changes the resource claim with that uid, regardless of its version. */
    ResourceClaim patchClaim(ResourceClaim known, UnaryOperator<ResourceClaim> change) {
        ResourceClaim current = demand(ObjectKind.RESOURCE_CLAIM, known);
        ResourceClaim changed = change.apply(current);
        Optional<DeviceAllocation> before = current.allocation();
        boolean isReallocated = before.isPresent()
                && changed.allocation().isPresent()
                && !changed.allocation().equals(before);
        boolean isReservedWithoutDevices =
                changed.allocation().isEmpty() && !changed.reservedFor().isEmpty();
        if (isReallocated || isReservedWithoutDevices) {
            throw new ClusterException(
                    "ResourceClaim.resource.k8s.io \"" + known.name() + "\" is invalid: status.allocation", 422, null);
        }
        if (changed.equals(current)) {
            return current;
        }
        boolean isFinal =
                changed.metadata().isDeleting() && changed.finalizers().isEmpty();
        return store(isFinal ? Type.DELETED : Type.MODIFIED, changed);
    }

    private <T extends ClusterObject> T demand(ObjectKind<T> kind, T known) {
        T current = find(kind, known.key())
                .orElseThrow(
                        () -> new ClusterException(kind.plural() + " \"" + known.name() + "\" not found", 404, null));
        if (!known.metadata().uid().isEmpty()
                && !known.metadata().uid().equals(current.metadata().uid())) {
            throw conflict(
                    kind, known, "uid in precondition: " + known.metadata().uid());
        }
        return current;
    }

    private static ClusterException conflict(ObjectKind<?> kind, ClusterObject object, String why) {
        return new ClusterException(
                "Operation cannot be fulfilled on " + kind.plural() + " \"" + object.name() + "\": " + why, 409, null);
    }

    @SuppressWarnings("unchecked") // an object of the same type
    private static <T extends ClusterObject> T with(T object, ObjectMeta metadata) {
        return (T) withMetadata(object, metadata);
    }

    private static ClusterObject withMetadata(ClusterObject object, ObjectMeta metadata) {
        if (object instanceof Pod pod) {
            return pod.withMetadata(metadata);
        }
        if (object instanceof Node node) {
            return node.toBuilder().metadata(metadata).build();
        }
        if (object instanceof PersistentVolume volume) {
            return volume.withMetadata(metadata);
        }
        if (object instanceof PersistentVolumeClaim claim) {
            return claim.withMetadata(metadata);
        }
        if (object instanceof ResourceClaim claim) {
            return claim.withMetadata(metadata);
        }
        if (object instanceof PodGroup group) {
            return group.withMetadata(metadata);
        }
        if (object instanceof CompositePodGroup group) {
            return group.withMetadata(metadata);
        }
        if (object instanceof PodDisruptionBudget budget) {
            return new PodDisruptionBudget(
                    metadata, budget.selector(), budget.disruptionsAllowed(), budget.disruptedPods());
        }
        if (object instanceof StorageClass storageClass) {
            return new StorageClass(
                    metadata,
                    storageClass.provisioner(),
                    storageClass.volumeBindingMode(),
                    storageClass.allowedTopologies());
        }
        if (object instanceof CsiNode csiNode) {
            return new CsiNode(metadata, csiNode.drivers());
        }
        if (object instanceof DeviceClass deviceClass) {
            return new DeviceClass(
                    metadata, deviceClass.selectors(), deviceClass.config(), deviceClass.extendedResourceName());
        }
        if (object instanceof ResourceSlice slice) {
            return new ResourceSlice(
                    metadata,
                    slice.driver(),
                    slice.pool(),
                    slice.nodeSelection(),
                    slice.perDeviceNodeSelection(),
                    slice.devices(),
                    slice.sharedCounters(),
                    slice.skipNodeOperations());
        }
        if (object instanceof Namespace) {
            return new Namespace(metadata);
        }
        throw new IllegalArgumentException("object: " + object.getClass() + " (expected: a type that is simulated)");
    }
}
