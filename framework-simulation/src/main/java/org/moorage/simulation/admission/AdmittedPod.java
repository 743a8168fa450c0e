// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.objects.tree.ObjectKey;

/** A pod as an API server would store it, with the claims that controllers would create for it. Immutable. */
public final class AdmittedPod {
    private final Pod pod;
    private final List<ClusterObject> claims;
    private final List<String> refusedClaims;

    /**
     * A pod.
     *
     * @param claims the claims that would be created for it
     * @param refusedClaims why the API server would refuse others
     */
    public AdmittedPod(Pod pod, List<ClusterObject> claims, List<String> refusedClaims) {
        this.pod = Objects.requireNonNull(pod, "pod");
        this.claims = List.copyOf(Objects.requireNonNull(claims, "claims"));
        this.refusedClaims = List.copyOf(Objects.requireNonNull(refusedClaims, "refusedClaims"));
    }

    /** Returns a copy with another version of the pod and the same claims. */
    public AdmittedPod withPod(Pod other) {
        return new AdmittedPod(other, claims, refusedClaims);
    }

    /** The pod. */
    public Pod pod() {
        return pod;
    }

    /**
     * Returns the claims that would be created for it: those of generic ephemeral volumes and those from resource claim
     * templates, including missing claims of its group. A template that does not exist has no claim.
     */
    public List<ClusterObject> claims() {
        return claims;
    }

    /**
     * Returns why the API server would refuse claims of generic ephemeral volumes, in its words. The pod would be
     * pending without them.
     */
    public List<String> refusedClaims() {
        return refusedClaims;
    }

    /**
     * Returns one more such pod, with its own claims; its name is this pod's name, a dash and the number. All pods of a
     * group share the group's claims. Copies share their specification, so they need little memory and evaluating them
     * is cheap.
     */
    public AdmittedPod copy(int number) {
        return copy(pod.name() + "-" + number);
    }

    /** As {@link #copy(int)}, with the given name. */
    public AdmittedPod copy(String name) {
        Pod copy = pod.withMetadata(renamed(pod.metadata(), ObjectKind.POD, name));
        if (claims.isEmpty()) {
            return new AdmittedPod(copy, claims, refusedClaims);
        }
        List<ClusterObject> copies = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        for (ClusterObject claim : claims) {
            ClusterObject renamed = copy(claim, copy);
            names.put(claim.name(), renamed.name());
            copies.add(renamed);
        }
        List<PodStatus.ClaimStatus> statuses = new ArrayList<>();
        for (PodStatus.ClaimStatus status : pod.status().resourceClaimStatuses()) {
            statuses.add(new PodStatus.ClaimStatus(
                    status.name(), names.getOrDefault(status.claimName(), status.claimName())));
        }
        PodStatus status =
                pod.status().toBuilder().resourceClaimStatuses(statuses).build();
        return new AdmittedPod(copy.withStatus(status), copies, refusedClaims);
    }

    private ClusterObject copy(ClusterObject claim, Pod owner) {
        boolean isOfPod = claim.metadata()
                .controller()
                .map(controller -> controller.uid().equals(pod.uid()))
                .orElse(false);
        if (!isOfPod) {
            return claim;
        }
        // The names of both kinds of claims begin with the pod's.
        String name = owner.name() + claim.name().substring(pod.name().length());
        ObjectKind<?> kind = ObjectKind.of(claim);
        ObjectMeta metadata = renamed(claim.metadata(), kind, name).toBuilder()
                .ownerReferences(List.of(new OwnerReference("v1", "Pod", owner.name(), owner.uid(), true)))
                .build();
        return claim instanceof PersistentVolumeClaim ofVolume
                ? ofVolume.withMetadata(metadata)
                : ((ResourceClaim) claim).withMetadata(metadata);
    }

    private static ObjectMeta renamed(ObjectMeta metadata, ObjectKind<?> kind, String name) {
        ObjectKey key = new ObjectKey(kind.group(), kind.kind(), metadata.namespace(), name);
        return metadata.toBuilder(name).uid(key.derivedUid()).build();
    }

    /** {@code namespace/name} of the pod. */
    @Override
    public String toString() {
        return pod.toString();
    }
}
