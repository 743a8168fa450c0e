// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.Node;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.StorageClass;
import org.moorage.testkit.Selectors;

/**
 * The controllers and kubelets of a cluster, as far as they affect a scheduler: claims from templates, volumes,
 * devices, the end of pods, and the deletion of objects without an owner or node. They react to each change after a
 * delay.
 */
final class Controllers {
    /** The label of pods that run to completion. */
    static final String ENDS = "ends";

    private static final String RUNNING = "Running";

    private final ModelApiServer server;
    private final VirtualExecutor executor;
    private final RandomGenerator random;
    private final Faults faults;
    private final boolean sharesClaims;
    private int names;

    /**
     * Creates the controllers.
     *
     * @param sharesClaims whether groups may have claims that their pods share
     */
    Controllers(
            ModelApiServer server,
            VirtualExecutor executor,
            RandomGenerator random,
            Faults faults,
            boolean sharesClaims) {
        this.server = server;
        this.executor = executor;
        this.random = random;
        this.faults = faults;
        this.sharesClaims = sharesClaims;
        server.watch(this::changed);
    }

    private void changed(ModelApiServer.Change change) {
        boolean isDeleted = change.type() == ModelApiServer.Type.DELETED;
        if (change.object() instanceof Pod pod) {
            podChanged(pod, isDeleted);
        } else if (change.object() instanceof ResourceClaim claim && !isDeleted) {
            soon(2000, () -> syncClaim(claim.key()));
        } else if (change.object() instanceof PersistentVolumeClaim claim && !isDeleted) {
            soon(3000, () -> syncVolumeClaim(claim.key()));
        } else if (change.object() instanceof PersistentVolume volume && !isDeleted) {
            soon(3000, () -> syncVolume(volume.key()));
        } else if (change.object() instanceof PodGroup group) {
            groupChanged(group, isDeleted);
        } else if (change.object() instanceof Node node && isDeleted) {
            soon(3000, () -> removePodsWithoutNode(node.name()));
        }
    }

    private void soon(int mostMillis, Runnable task) {
        executor.after(Duration.ofMillis(random.nextInt(1, mostMillis)), task);
    }

    // Kubelets and the garbage collector

    private void podChanged(Pod pod, boolean isDeleted) {
        if (!isDeleted && pod.isBound() && pod.metadata().isDeleting()) {
            soon(4000, () -> server.pod(pod).ifPresent(known -> server.delete(ObjectKind.POD, known.key())));
        }
        if (isDeleted || pod.status().isTerminal()) {
            for (ResourceClaim claim : server.all(ObjectKind.RESOURCE_CLAIM)) {
                if (claim.isReservedFor(pod) || isOwner(pod.uid(), claim.metadata())) {
                    soon(2000, () -> syncClaim(claim.key()));
                }
            }
        } else if (pod.isBound() && !pod.metadata().isDeleting()) {
            if (pod.status().phase().isEmpty()) {
                soon(2000, () -> setPhase(pod, RUNNING));
            } else if (pod.status().phase().equals(RUNNING) && pod.labels().containsKey(ENDS)) {
                soon(20_000, () -> setPhase(pod, "Succeeded"));
            }
        } else if (!pod.isBound() && needsClaim(pod)) {
            soon(2000, () -> server.pod(pod).filter(Controllers::needsClaim).ifPresent(this::createClaim));
        }
    }

    private void groupChanged(PodGroup group, boolean isDeleted) {
        if (isDeleted) {
            for (ResourceClaim claim : server.all(ObjectKind.RESOURCE_CLAIM)) {
                if (claim.isReservedFor(ResourceClaim.Consumer.of(group))
                        || isOwner(group.metadata().uid(), claim.metadata())) {
                    soon(2000, () -> syncClaim(claim.key()));
                }
            }
        } else if (needsClaim(group)) {
            soon(
                    2000,
                    () -> server.find(ObjectKind.POD_GROUP, group.key())
                            .filter(Controllers::needsClaim)
                            .ifPresent(this::createClaim));
        } else {
            for (Pod pod : server.all(ObjectKind.POD)) {
                if (pod.spec().podGroupName().equals(group.name())) {
                    podChanged(pod, false);
                }
            }
        }
    }

    private void setPhase(Pod known, String phase) {
        server.pod(known)
                .filter(pod ->
                        !pod.status().isTerminal() && !pod.status().phase().equals(phase))
                .ifPresent(pod -> server.patchPod(
                        pod,
                        same -> same.withStatus(same.status().toBuilder()
                                .phase(phase)
                                .startTime(executor.instant())
                                .build())));
    }

    private void removePodsWithoutNode(String nodeName) {
        if (server.find(ObjectKind.NODE, nodeName).isEmpty()) {
            for (Pod pod : server.all(ObjectKind.POD)) {
                if (pod.nodeName().equals(nodeName)) {
                    server.delete(ObjectKind.POD, pod.key());
                }
            }
        }
    }

    /** Deletes the pods that are bound to a node that no longer exists. */
    void removePodsWithoutNode() {
        for (Pod pod : server.all(ObjectKind.POD)) {
            if (pod.isBound()) {
                removePodsWithoutNode(pod.nodeName());
            }
        }
    }

    // Claims of devices

    private static boolean needsClaim(Pod pod) {
        return pod.status().resourceClaimStatuses().isEmpty()
                && pod.spec().resourceClaims().stream()
                        .anyMatch(entry -> entry.claimName().isEmpty());
    }

    private static boolean needsClaim(PodGroup group) {
        return group.resourceClaimStatuses().isEmpty()
                && group.resourceClaims().stream()
                        .anyMatch(entry -> entry.claimName().isEmpty());
    }

    private void createClaim(PodGroup group) {
        OwnerReference owner = new OwnerReference(
                "scheduling.k8s.io/v1beta1",
                "PodGroup",
                group.name(),
                group.metadata().uid(),
                true);
        List<PodStatus.ClaimStatus> statuses = new ArrayList<>();
        for (PodSpec.ResourceClaim entry : group.resourceClaims()) {
            if (entry.claimName().isEmpty()) {
                statuses.add(createClaim(entry, owner));
            }
        }
        server.update(
                ObjectKind.POD_GROUP,
                group.key(),
                same -> same.toBuilder().resourceClaimStatuses(statuses).build());
    }

    private PodStatus.ClaimStatus createClaim(PodSpec.ResourceClaim entry, OwnerReference owner) {
        ObjectMeta metadata = ObjectMeta.named(owner.name() + "-" + entry.name() + "-" + names++)
                .namespace(World.NAMESPACE)
                .ownerReferences(List.of(owner))
                .build();
        ResourceClaim claim = server.create(ResourceClaim.of(metadata, List.of(DeviceRequest.of("r", "device", 1))));
        return new PodStatus.ClaimStatus(entry.name(), claim.name());
    }

    // A claim of a pod that is also a claim of its group is created for the group, which must exist.
    private void createClaim(Pod pod) {
        Optional<PodGroup> group = server.find(
                ObjectKind.POD_GROUP, pod.namespace() + "/" + pod.spec().podGroupName());
        OwnerReference owner = new OwnerReference("v1", "Pod", pod.name(), pod.uid(), true);
        List<PodStatus.ClaimStatus> statuses = new ArrayList<>();
        for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
            if (!entry.claimName().isEmpty()) {
                continue;
            }
            if (group.isEmpty() || !group.get().resourceClaims().contains(entry)) {
                if (group.isEmpty() && sharesClaims && entry.name().equals(PodGroupWorld.SHARED)) {
                    return;
                }
                statuses.add(createClaim(entry, owner));
                continue;
            }
            Optional<PodStatus.ClaimStatus> ofGroup = group.get().resourceClaimStatuses().stream()
                    .filter(status -> status.name().equals(entry.name()))
                    .findFirst();
            if (ofGroup.isEmpty()) {
                return;
            }
            statuses.add(ofGroup.get());
        }
        server.patchPod(
                pod,
                same -> same.withStatus(same.status().toBuilder()
                        .resourceClaimStatuses(statuses)
                        .build()));
    }

    private static boolean isOwner(String uid, ObjectMeta metadata) {
        return metadata.ownerReferences().stream().anyMatch(owner -> owner.uid().equals(uid));
    }

    private void syncClaim(String key) {
        ResourceClaim claim = server.find(ObjectKind.RESOURCE_CLAIM, key).orElse(null);
        if (claim == null) {
            return;
        }
        if (isOrphan(claim) && !claim.metadata().isDeleting()) {
            server.delete(ObjectKind.RESOURCE_CLAIM, key);
            return;
        }
        List<ResourceClaim.Consumer> staying = new ArrayList<>(claim.reservedFor());
        staying.removeIf(consumer -> !mayUse(consumer, claim.namespace()));
        boolean isReleased = staying.size() < claim.reservedFor().size();
        if (staying.isEmpty() && (isReleased || claim.metadata().isDeleting())) {
            // Two requests, as in the controller: first the status, then the finalizer.
            server.patchClaim(claim, ResourceClaim::deallocated);
            server.patchClaim(claim, ResourceClaim::withoutFinalizer);
        } else if (isReleased) {
            server.patchClaim(claim, current -> {
                ResourceClaim changed = current;
                for (ResourceClaim.Consumer consumer : current.reservedFor()) {
                    if (!staying.contains(consumer)) {
                        changed = changed.withoutReservationFor(consumer);
                    }
                }
                return changed;
            });
        } else {
            reportDevices(claim);
        }
    }

    private boolean isOrphan(ResourceClaim claim) {
        return claim.metadata().ownerReferences().stream()
                .anyMatch(owner -> !(owner.kind().equals("PodGroup")
                        ? isGroup(claim.namespace(), owner.name(), owner.uid())
                        : isAlive(claim.namespace(), owner.name(), owner.uid())));
    }

    private boolean mayUse(ResourceClaim.Consumer consumer, String namespace) {
        return consumer.resource().equals("podgroups")
                ? isGroup(namespace, consumer.name(), consumer.uid())
                : isAlive(namespace, consumer.name(), consumer.uid());
    }

    private boolean isGroup(String namespace, String name, String uid) {
        return server.find(ObjectKind.POD_GROUP, namespace + "/" + name)
                .filter(group -> group.metadata().uid().equals(uid))
                .isPresent();
    }

    private boolean isAlive(String namespace, String name, String uid) {
        return server.find(ObjectKind.POD, namespace + "/" + name)
                .filter(pod -> pod.uid().equals(uid) && !pod.status().isTerminal())
                .isPresent();
    }

    // The driver of a device reports whether it is ready.
    private void reportDevices(ResourceClaim claim) {
        if (claim.allocation().isEmpty() || !claim.devices().isEmpty()) {
            return;
        }
        List<ResourceClaim.AllocatedDeviceStatus> reports = new ArrayList<>();
        for (DeviceAllocation.Result result : claim.allocation().get().results()) {
            if (!result.bindingConditions().isEmpty()) {
                String type = faults.happens(Faults.Kind.FAILED_DEVICE) ? World.BROKEN : World.READY;
                reports.add(new ResourceClaim.AllocatedDeviceStatus(
                        result.driver(),
                        result.pool(),
                        result.device(),
                        List.of(new PodCondition(type, "True", "Simulated", "", 0)),
                        "{}"));
            }
        }
        if (!reports.isEmpty()) {
            server.patchClaim(
                    claim,
                    current -> new ResourceClaim(
                            current.metadata(),
                            current.finalizers(),
                            current.requests(),
                            current.constraints(),
                            current.config(),
                            current.allocation(),
                            current.reservedFor(),
                            reports));
        }
    }

    // Volumes

    private void syncVolume(String key) {
        PersistentVolume volume = server.find(ObjectKind.PERSISTENT_VOLUME, key).orElse(null);
        if (volume == null || volume.claim().isEmpty()) {
            return;
        }
        PersistentVolume.ClaimReference reference = volume.claim().get();
        Optional<PersistentVolumeClaim> claim = server.find(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM, reference.namespace() + "/" + reference.name())
                .filter(known -> reference.refersTo(known));
        if (claim.isEmpty()) {
            server.delete(ObjectKind.PERSISTENT_VOLUME, key);
        } else if (!claim.get().isBound()) {
            bind(volume, claim.get());
        } else if (!claim.get().volumeName().equals(volume.name())) {
            // The claim is bound to another volume. The controller had bound this one, which is available again.
            server.delete(ObjectKind.PERSISTENT_VOLUME, key);
        }
    }

    private void bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        if (!volume.phase().equals(PersistentVolume.BOUND)) {
            server.update(
                    ObjectKind.PERSISTENT_VOLUME,
                    volume.key(),
                    current -> current.toBuilder().phase(PersistentVolume.BOUND).build());
        }
        server.update(
                ObjectKind.PERSISTENT_VOLUME_CLAIM,
                claim.key(),
                current -> current.toBuilder()
                        .metadata(current.metadata()
                                .withAnnotation(PersistentVolumeClaim.BIND_COMPLETED, "yes")
                                .withAnnotation(PersistentVolume.BOUND_BY_CONTROLLER, "yes"))
                        .volumeName(volume.name())
                        .phase(PersistentVolume.BOUND)
                        .build());
    }

    private void syncVolumeClaim(String key) {
        PersistentVolumeClaim claim =
                server.find(ObjectKind.PERSISTENT_VOLUME_CLAIM, key).orElse(null);
        if (claim == null || claim.isBound() || claim.selectedNode().isEmpty()) {
            return;
        }
        boolean isProvisioned = server.find(ObjectKind.STORAGE_CLASS, claim.storageClassName())
                .filter(StorageClass::hasProvisioner)
                .isPresent();
        if (!isProvisioned) {
            return;
        }
        String nodeName = claim.selectedNode().get();
        if (faults.happens(Faults.Kind.FAILED_DEVICE)
                || server.find(ObjectKind.NODE, nodeName).isEmpty()) {
            server.update(ObjectKind.PERSISTENT_VOLUME_CLAIM, key, Controllers::withoutSelectedNode);
            return;
        }
        NodeSelector onNode = Selectors.anyOf(Selectors.labelled(Selectors.in("kubernetes.io/hostname", nodeName)));
        PersistentVolume volume = server.create(
                PersistentVolume.of(ObjectMeta.named("pvc-" + names++).build())
                        .capacity(claim.request().orElseThrow())
                        .accessModes(claim.accessModes())
                        .storageClassName(claim.storageClassName())
                        .claim(PersistentVolume.ClaimReference.to(claim))
                        .csi(new PersistentVolume.CsiSource(World.PROVISIONER, "pvc-" + names))
                        .nodeAffinity(onNode)
                        .phase(PersistentVolume.BOUND)
                        .build());
        bind(volume, claim);
    }

    private static PersistentVolumeClaim withoutSelectedNode(PersistentVolumeClaim claim) {
        Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
        annotations.remove(PersistentVolumeClaim.SELECTED_NODE);
        // A provisioner adds its annotation.
        annotations.put("volume.kubernetes.io/storage-provisioner", World.PROVISIONER);
        return claim.withMetadata(
                claim.metadata().toBuilder().annotations(annotations).build());
    }
}
