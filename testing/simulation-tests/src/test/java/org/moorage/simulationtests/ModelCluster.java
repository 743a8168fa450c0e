// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;

/**
 * The connection of a scheduler to a {@link ModelApiServer}: requests may fail or be slow, and watches may lag and end.
 */
final class ModelCluster implements Cluster {
    private final ModelApiServer server;
    private final VirtualExecutor executor;
    private final RandomGenerator random;
    private final Faults faults;
    private final Trace trace;
    private final Map<ObjectKind<?>, Watch<?>> watches = new LinkedHashMap<>();
    private final Set<String> failedStatuses = new HashSet<>();
    private boolean isCut;
    private final VolumeWriter volumes = new Volumes();
    private final ResourceClaimWriter claims = new Claims();

    ModelCluster(ModelApiServer server, VirtualExecutor executor, RandomGenerator random, Faults faults, Trace trace) {
        this.server = server;
        this.executor = executor;
        this.random = random;
        this.faults = faults;
        this.trace = trace;
    }

    /** Disconnects the scheduler: no further requests are sent, and no further events are delivered. */
    void cut() {
        isCut = true;
        watches.clear();
    }

    // Requests

    private <T> T request(Supplier<T> change, Object... what) {
        wait(Faults.Kind.SLOW_REQUEST);
        if (isCut) {
            throw new ClusterException("the scheduler was killed", 0, null);
        }
        if (faults.happens(Faults.Kind.REFUSED_REQUEST)) {
            trace.add("refused:", List.of(what));
            throw refusal();
        }
        T result;
        try {
            result = change.get();
        } catch (ClusterException failed) {
            trace.add("answer", failed.httpStatus(), "to", List.of(what));
            throw failed;
        }
        wait(Faults.Kind.SLOW_REQUEST);
        if (!isCut && faults.happens(Faults.Kind.LOST_ANSWER)) {
            trace.add("answer lost:", List.of(what));
            throw lostAnswer();
        }
        trace.add("answer 200 to", List.of(what));
        return result;
    }

    private void request(Runnable change, Object... what) {
        request(
                () -> {
                    change.run();
                    return "";
                },
                what);
    }

    private void wait(Faults.Kind kind) {
        if (!isCut && !executor.isInCycle() && faults.happens(kind)) {
            executor.pause(Duration.ofMillis(random.nextInt(1, 500)));
        }
    }

    private ClusterException refusal() {
        int[] codes = {429, 500, 503, 403};
        int code = codes[random.nextInt(codes.length)];
        return new ClusterException("refused by the simulation", code, null);
    }

    private ClusterException lostAnswer() {
        int[] codes = {0, 500, 504};
        return new ClusterException("answer lost by the simulation", codes[random.nextInt(codes.length)], null);
    }

    @Override
    public void bind(Pod pod, String nodeName) {
        request(() -> server.bind(pod, nodeName), "bind", pod, pod.uid(), "to", nodeName);
    }

    @Override
    public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        boolean isDone = false;
        try {
            request(
                    () -> patchUnbound(pod, condition, nomination),
                    "patch status of",
                    pod,
                    pod.uid(),
                    condition.map(PodCondition::message),
                    nomination);
            isDone = true;
        } finally {
            if (!isDone) {
                failedStatuses.add(pod.uid());
            }
        }
    }

    /** Returns the uids of the pods whose status patch failed, so that the status is out of date. */
    Set<String> failedStatuses() {
        return failedStatuses;
    }

    // A pod that is already bound keeps the status that the API server has set.
    private void patchUnbound(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
        boolean isBound = server.pod(pod).filter(Pod::isBound).isPresent();
        server.patchStatus(
                pod,
                condition.filter(changed -> !isBound || !changed.type().equals(PodCondition.POD_SCHEDULED)),
                isBound ? Nomination.keep() : nomination);
    }

    @Override
    public void patchStatus(PodGroup group, PodCondition condition) {
        request(() -> server.patchStatus(group, condition), "patch status of", group, condition.message());
    }

    @Override
    public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
        request(() -> server.patchPod(pod, same -> same), "patch extended resource claim status of", pod);
    }

    @Override
    public void patchNodeAllocatableResourceClaimStatuses(
            Pod pod, List<PodStatus.NodeAllocatableResourceClaimStatus> statuses) {
        request(
                () -> server.patchPod(
                        pod,
                        current -> current.withStatus(current.status().toBuilder()
                                .nodeAllocatableResourceClaimStatuses(statuses)
                                .build())),
                "patch node allocatable resource claim statuses of",
                pod);
    }

    @Override
    public void delete(Pod pod) {
        request(() -> server.deletePod(pod), "delete", pod, pod.uid());
    }

    @Override
    public VolumeWriter volumes() {
        return volumes;
    }

    @Override
    public ResourceClaimWriter resourceClaims() {
        return claims;
    }

    @Override
    public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
        throw new UnsupportedOperationException("patch of " + kind + " (expected: none in this simulation)");
    }

    @Override
    public void delete(ObjectKind<?> kind, String namespace, String name) {
        request(() -> server.delete(kind, namespace.isEmpty() ? name : namespace + "/" + name), "delete", kind, name);
    }

    @Override
    public void report(PodEvent event) {}

    private final class Volumes implements VolumeWriter {
        @Override
        public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
            return request(
                    () -> server.patchVersion(ObjectKind.PERSISTENT_VOLUME, volume, current -> current.boundTo(claim)),
                    "bind volume",
                    volume,
                    "to",
                    claim);
        }

        @Override
        public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
            return request(
                    () -> server.patchVersion(
                            ObjectKind.PERSISTENT_VOLUME_CLAIM, claim, current -> current.withSelectedNode(nodeName)),
                    "select node",
                    nodeName,
                    "for",
                    claim);
        }
    }

    private final class Claims implements ResourceClaimWriter {
        @Override
        public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
            ObjectMeta metadata = ObjectMeta.named(pod.name() + "-extended-resources-" + random.nextInt(1 << 20))
                    .namespace(pod.namespace())
                    .build();
            return request(
                    () -> server.create(ResourceClaim.forExtendedResources(metadata, pod, requests)),
                    "create claim for",
                    pod);
        }

        @Override
        public ResourceClaim addFinalizer(ResourceClaim claim) {
            return request(
                    () -> server.patchClaim(claim, ResourceClaim::withFinalizer), "add finalizer to", claim.key());
        }

        @Override
        public ResourceClaim removeFinalizer(ResourceClaim claim) {
            return request(
                    () -> server.patchClaim(claim, ResourceClaim::withoutFinalizer),
                    "remove finalizer of",
                    claim.key());
        }

        @Override
        public ResourceClaim allocate(
                ResourceClaim claim, DeviceAllocation allocation, ResourceClaim.Consumer consumer) {
            return request(
                    () -> server.patchClaim(
                            claim, current -> current.withAllocation(allocation).withReservationFor(consumer)),
                    "allocate",
                    claim.key(),
                    claim.metadata().uid(),
                    "for",
                    consumer.uid());
        }

        @Override
        public ResourceClaim reserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
            return request(
                    () -> server.patchClaim(claim, current -> current.withReservationFor(consumer)),
                    "reserve",
                    claim.key(),
                    "for",
                    consumer.uid());
        }

        @Override
        public ResourceClaim unreserve(ResourceClaim claim, ResourceClaim.Consumer consumer) {
            return request(
                    () -> server.patchClaim(claim, current -> current.withoutReservationFor(consumer)),
                    "unreserve",
                    claim.key(),
                    "for",
                    consumer.uid());
        }

        @Override
        public ResourceClaim deallocate(ResourceClaim claim) {
            return request(
                    () -> {
                        server.find(ObjectKind.RESOURCE_CLAIM, claim.key())
                                .filter(current -> !current.metadata()
                                        .resourceVersion()
                                        .equals(claim.metadata().resourceVersion()))
                                .ifPresent(newer -> {
                                    throw new ClusterException("the object has been modified", 409, null);
                                });
                        return server.patchClaim(claim, ResourceClaim::deallocated);
                    },
                    "deallocate",
                    claim.key());
        }
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        return request(() -> server.find(kind, key), "read", kind.kind(), key);
    }

    // Watches

    @Override
    public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
        List<ObjectKind<?>> ordered = new ArrayList<>(kinds);
        ordered.sort(Comparator.comparing((ObjectKind<?> kind) -> !kind.equals(ObjectKind.NODE))
                .thenComparing(ObjectKind::toString));
        for (ObjectKind<?> kind : ordered) {
            Watch<?> watch = new Watch<>(kind, listener);
            watches.put(kind, watch);
            watch.start();
        }
        server.watch(change -> {
            Watch<?> watch = watches.get(change.kind());
            if (watch != null) {
                watch.wake();
            }
        });
    }

    @Override
    public void close() {
        watches.clear();
    }

    /** Returns the watched kinds. */
    Set<ObjectKind<?>> watchedKinds() {
        return watches.keySet();
    }

    /** Returns the object with that key as it was last delivered. */
    Optional<ClusterObject> told(ObjectKind<?> kind, String key) {
        Watch<?> watch = watches.get(kind);
        return watch == null ? Optional.empty() : Optional.ofNullable(watch.toldByKey.get(key));
    }

    /** The watch of one kind. */
    private final class Watch<T extends ClusterObject> {
        private final ObjectKind<T> kind;
        private final ClusterListener listener;
        private final Map<String, ClusterObject> toldByKey = new LinkedHashMap<>();
        private int position;
        private boolean isLost;
        private boolean isScheduled;

        Watch(ObjectKind<T> kind, ClusterListener listener) {
            this.kind = kind;
            this.listener = listener;
        }

        /** Lists the objects for the first time, and retries until the listener accepts the list. */
        void start() {
            try {
                list();
            } catch (InternalError failed) {
                start();
            }
        }

        private void list() {
            List<T> objects = server.all(kind);
            position = server.log(kind).size();
            isLost = false;
            trace.add("list of", kind.kind(), objects.size());
            listener.replaced(kind, objects);
            toldByKey.clear();
            objects.forEach(object -> toldByKey.put(object.key(), object));
        }

        /** Called when there are new changes. */
        void wake() {
            if (!isScheduled && (isLost || position < server.log(kind).size())) {
                schedule(Duration.ofMillis(random.nextInt(30)));
            }
        }

        private void schedule(Duration delay) {
            isScheduled = true;
            executor.after(delay, this::run);
        }

        private void run() {
            isScheduled = false;
            if (isCut) {
                return;
            }
            try {
                if (isLost) {
                    list();
                } else if (position < server.log(kind).size()) {
                    tell(server.log(kind).get(position));
                    position++;
                }
            } catch (RuntimeException | Error failed) {
                trace.add("handler failed:", kind.kind(), failed);
                isLost = true;
                schedule(Duration.ofMillis(random.nextInt(1, 1000)));
                return;
            }
            if (faults.happens(Faults.Kind.CUT_WATCH)) {
                isLost = faults.happens(Faults.Kind.LOST_VERSION);
                trace.add("watch cut:", kind.kind(), isLost ? "to be listed" : "to be resumed");
                schedule(Duration.ofMillis(random.nextInt(1, 5000)));
                return;
            }
            wake();
        }

        private void tell(ModelApiServer.Change change) {
            trace.add("told:", change);
            T object = kind.type().cast(change.object());
            int times = faults.happens(Faults.Kind.REPEATED_EVENT) ? 2 : 1;
            for (int i = 0; i < times; i++) {
                if (change.type() == ModelApiServer.Type.DELETED) {
                    listener.deleted(kind, object);
                } else {
                    listener.applied(kind, object);
                }
            }
            if (change.type() == ModelApiServer.Type.DELETED) {
                toldByKey.remove(object.key());
            } else {
                toldByKey.put(object.key(), object);
            }
        }
    }
}
