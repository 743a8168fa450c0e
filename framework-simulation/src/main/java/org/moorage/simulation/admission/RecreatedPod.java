// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.Volume;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.runtime.cluster.ClusterSource;

/**
 * The replacement of a pod that was preempted or evicted or whose node is gone: whether its controller creates one, and
 * which pod it is.
 *
 * <p>The replacement is derived from the pod that is gone, since the template of a custom controller is not known. It
 * has no node, no nomination and no conditions. Its generic ephemeral volumes and resource claim templates get new
 * claims; other claims stay the same. The scheduling gates of the template are not known, so it has those that the pod
 * had.
 *
 * <p>The number of pods of a Job that may fail is not considered.
 *
 * @param gone the pod that is gone
 * @param fate whether the pod is recreated
 * @param pod the replacement; present exactly if the fate is {@link Fate#CREATED_AGAIN}
 * @param claims the claims that are created for that pod
 */
public record RecreatedPod(Pod gone, Fate fate, Optional<Pod> pod, List<ClusterObject> claims) {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    /** Fields that only a server writes. */
    private static final List<String> SET_BY_SERVER =
            List.of("resourceVersion", "creationTimestamp", "generation", "managedFields");
    /** Prefixes of the annotations of claims that only controllers and schedulers write. */
    private static final List<String> WRITTEN_BY_CONTROLLERS = List.of(
            "pv.kubernetes.io/",
            "volume.kubernetes.io/selected-node",
            "volume.kubernetes.io/storage-",
            "volume.beta.kubernetes.io/storage-provisioner");

    public RecreatedPod {
        Objects.requireNonNull(gone, "gone");
        Objects.requireNonNull(fate, "fate");
        if (pod.isPresent() != (fate == Fate.CREATED_AGAIN)) {
            throw new IllegalArgumentException("pod: " + pod + " (expected: one exactly if it is created again)");
        }
        claims = List.copyOf(claims);
    }

    /** The fate of a pod that is gone. */
    public enum Fate {
        /** Its controller recreates it: a StatefulSet with the same name, every other controller with a new name. */
        CREATED_AGAIN,
        /**
         * It belongs to its node: it is a pod of a DaemonSet, which recreates it only for that node, or the mirror of a
         * static pod.
         */
        OF_NODE,
        /** It has no controller, so it is not created again. */
        LOST,
        /** It had succeeded or failed, or was being deleted, so that nothing is missing. */
        ENDED
    }

    /** Returns the fate of a pod that is gone. */
    public static Fate fateOf(Pod gone) {
        Objects.requireNonNull(gone, "gone");
        if (gone.status().isTerminal() || gone.metadata().isDeleting()) {
            return Fate.ENDED;
        }
        Optional<OwnerReference> controller = gone.metadata().controller();
        if (isMirror(gone)
                || isOfDaemonSet(gone)
                || controller.filter(owner -> isKind(owner, "", "Node")).isPresent()) {
            return Fate.OF_NODE;
        }
        return controller.isPresent() ? Fate.CREATED_AGAIN : Fate.LOST;
    }

    /** Returns whether a pod is the mirror of a static pod of its node. */
    public static boolean isMirror(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return pod.metadata().annotations().containsKey(MIRROR);
    }

    /** Returns whether a DaemonSet controls a pod. */
    public static boolean isOfDaemonSet(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return isControlledBy(pod, "apps", "DaemonSet");
    }

    /** Returns whether a StatefulSet controls a pod. */
    public static boolean isOfStatefulSet(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return isControlledBy(pod, "apps", "StatefulSet");
    }

    private static boolean isControlledBy(Pod pod, String group, String kind) {
        return pod.metadata()
                .controller()
                .filter(owner -> isKind(owner, group, kind))
                .isPresent();
    }

    /**
     * Returns the fate of a pod that is gone, and its replacement.
     *
     * @param gone the last state of the pod
     * @param cluster contains its claims and the names in use
     * @param now the creation time of the replacement
     */
    public static RecreatedPod of(Pod gone, ClusterSource cluster, Instant now) {
        Objects.requireNonNull(gone, "gone");
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(now, "now");
        return of(gone, cluster, now, new HashSet<>());
    }

    /** As {@link #of}, for a preempted pod: its node still exists, so a DaemonSet creates another pod for it. */
    public static RecreatedPod ofPreempted(Pod gone, ClusterSource cluster, Instant now) {
        Objects.requireNonNull(gone, "gone");
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(now, "now");
        return fateOf(gone) == Fate.OF_NODE && isOfDaemonSet(gone)
                ? createdAgain(gone, cluster, now, new HashSet<>())
                : of(gone, cluster, now);
    }

    /** As {@link #of}, for several pods, in their order; no two get the same name. Duplicates count once. */
    public static List<RecreatedPod> all(Collection<Pod> gone, ClusterSource cluster, Instant now) {
        Objects.requireNonNull(gone, "gone");
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(now, "now");
        Set<String> given = new HashSet<>();
        List<RecreatedPod> all = new ArrayList<>();
        for (Pod pod : Pod.distinct(gone)) {
            all.add(of(pod, cluster, now, given));
        }
        return all;
    }

    private static RecreatedPod of(Pod gone, ClusterSource cluster, Instant now, Set<String> given) {
        Fate fate = fateOf(gone);
        if (fate != Fate.CREATED_AGAIN) {
            return new RecreatedPod(gone, fate, Optional.empty(), List.of());
        }
        return createdAgain(gone, cluster, now, given);
    }

    private static RecreatedPod createdAgain(Pod gone, ClusterSource cluster, Instant now, Set<String> given) {
        String name = name(gone, cluster, given);
        String uid = newUid(gone.uid(), name);
        Pod bare = withoutNode(gone, metadata(gone.metadata(), name, uid, now));
        List<ClusterObject> claims = new ArrayList<>();
        for (Volume volume : gone.spec().volumes()) {
            if (volume.source() instanceof Volume.EphemeralClaim) {
                cluster.read(ObjectKind.PERSISTENT_VOLUME_CLAIM, gone.namespace(), volume.claimName(gone))
                        .filter(claim -> claim.isCreatedFor(gone))
                        .ifPresent(claim -> claims.add(unbound(claim, volume.claimName(bare), bare, now)));
            }
        }
        List<PodStatus.ClaimStatus> statuses = new ArrayList<>();
        for (PodStatus.ClaimStatus status : gone.status().resourceClaimStatuses()) {
            Optional<ResourceClaim> own = cluster.read(ObjectKind.RESOURCE_CLAIM, gone.namespace(), status.claimName())
                    .filter(claim -> isOwnedBy(claim, gone));
            own.ifPresent(claim -> claims.add(unallocated(claim, bare, status.name(), now)));
            statuses.add(
                    own.isPresent()
                            ? new PodStatus.ClaimStatus(status.name(), claimName(bare, status.name()))
                            : status);
        }
        Pod pod = bare.withStatus(PodStatus.builder()
                .phase("Pending")
                .resourceClaimStatuses(statuses)
                .build());
        return new RecreatedPod(gone, Fate.CREATED_AGAIN, Optional.of(pod), claims);
    }

    private static boolean isKind(OwnerReference owner, String group, String kind) {
        return owner.kind().equals(kind)
                && ObjectKind.groupOf(owner.apiVersion()).equals(group);
    }

    private static String name(Pod gone, ClusterSource cluster, Set<String> given) {
        OwnerReference owner = gone.metadata().controller().orElseThrow();
        if (isKind(owner, "apps", "StatefulSet")) {
            return gone.name();
        }
        String index = gone.metadata().annotations().getOrDefault(INDEX, "");
        boolean isIndexed = isKind(owner, "batch", "Job") && !index.isEmpty();
        String prefix = owner.name() + "-" + (isIndexed ? index + "-" : "");
        String name = GeneratedNames.name(prefix, gone.uid());
        for (int seed = 1;
                cluster.read(ObjectKind.POD, gone.namespace(), name).isPresent()
                        || !given.add(gone.namespace() + "/" + name);
                seed++) {
            name = GeneratedNames.name(prefix, gone.uid() + "/" + seed);
        }
        return name;
    }

    // The uid is derived, so that it is the same in each run. A replacement with the same name has another uid.
    private static String newUid(String former, String name) {
        return UUID.nameUUIDFromBytes((former + "/" + name).getBytes(UTF_8)).toString();
    }

    private static Pod withoutNode(Pod gone, ObjectMeta metadata) {
        Pod bare = gone.withoutNode().withMetadata(metadata);
        if (bare.json().isEmpty()) {
            return bare;
        }
        ObjectNode tree = ObjectTrees.of(bare.json().get());
        tree.remove("status");
        tree.withObject("/spec").remove("nodeName");
        ObjectNode fields = tree.withObject("/metadata");
        SET_BY_SERVER.forEach(fields::remove);
        fields.put("name", metadata.name()).put("uid", metadata.uid());
        return bare.withJson(tree.toString());
    }

    private static ObjectMeta metadata(ObjectMeta former, String name, String uid, Instant now) {
        return ObjectMeta.named(name)
                .namespace(former.namespace())
                .uid(uid)
                .labels(former.labels())
                .annotations(former.annotations())
                .ownerReferences(former.ownerReferences())
                .creationTimestamp(now)
                .build();
    }

    private static ObjectMeta metadata(
            ObjectMeta former, String name, Pod owner, Map<String, String> annotations, Instant now) {
        return metadata(former, name, newUid(former.uid(), name), now).toBuilder()
                .annotations(annotations)
                .ownerReferences(List.of(new OwnerReference("v1", "Pod", owner.name(), owner.uid(), true)))
                .build();
    }

    private static PersistentVolumeClaim unbound(PersistentVolumeClaim claim, String name, Pod owner, Instant now) {
        Map<String, String> annotations = new HashMap<>(claim.metadata().annotations());
        annotations.keySet().removeIf(key -> WRITTEN_BY_CONTROLLERS.stream().anyMatch(key::startsWith));
        return claim.toBuilder()
                .metadata(metadata(claim.metadata(), name, owner, annotations, now))
                .volumeName("")
                .phase("Pending")
                .build();
    }

    private static ResourceClaim unallocated(ResourceClaim claim, Pod owner, String entry, Instant now) {
        ObjectMeta former = claim.metadata();
        ObjectMeta metadata = metadata(former, claimName(owner, entry), owner, former.annotations(), now);
        return new ResourceClaim(
                metadata,
                List.of(),
                claim.requests(),
                claim.constraints(),
                claim.config(),
                Optional.empty(),
                List.of(),
                List.of());
    }

    private static String claimName(Pod owner, String entry) {
        return owner.name() + "-" + entry;
    }

    private static boolean isOwnedBy(ResourceClaim claim, Pod pod) {
        return claim.metadata()
                .controller()
                .filter(owner -> owner.uid().equals(pod.uid()))
                .isPresent();
    }

    /** Returns the pod that is gone, its fate, and its replacement. */
    @Override
    public String toString() {
        return gone + " " + fate + pod.map(created -> " as " + created).orElse("");
    }
}
