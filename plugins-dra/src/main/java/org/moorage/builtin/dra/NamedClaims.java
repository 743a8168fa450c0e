// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;

/** The claims that pods name themselves, and what changes of them mean to pods that wait. */
final class NamedClaims {
    private final ClaimTracker claims;

    NamedClaims(ClaimTracker claims) {
        this.claims = claims;
    }

    /**
     * Adds a pod's own claims.
     *
     * @return what is in the way of that; empty if nothing is
     */
    Optional<String> of(Pod pod, List<ResourceClaim> found) {
        for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
            String name = entry.claimName();
            boolean isFromTemplate = name.isEmpty();
            if (isFromTemplate && entry.templateName().isEmpty()) {
                return Optional.of("pod \"" + pod.key() + "\", spec.resourceClaim \"" + entry.name()
                        + "\": none of the supported fields are set");
            }
            if (isFromTemplate) {
                Optional<PodStatus.ClaimStatus> made = statusOf(pod, entry);
                if (made.isEmpty()) {
                    return Optional.of("pod \"" + pod.key() + "\": ResourceClaim not created yet");
                }
                name = made.get().claimName();
                if (name.isEmpty()) {
                    continue;
                }
            }
            Optional<ResourceClaim> claim = claims.get(pod.namespace(), name);
            if (claim.isEmpty()) {
                return Optional.of("could not find ResourceClaim \"" + pod.namespace() + "/" + name + "\"");
            }
            if (claim.get().metadata().isDeleting()) {
                return Optional.of("resourceclaim \"" + name + "\" is being deleted");
            }
            if (isFromTemplate && !isControlledBy(claim.get(), pod)) {
                return Optional.of("ResourceClaim " + claim.get().key() + " was not created for Pod " + pod.key()
                        + " (Pod is not owner)");
            }
            found.add(claim.get());
        }
        return Optional.empty();
    }

    /** The claim that an entry of a pod's claims stands for; empty if there is none. */
    static String claimName(Pod pod, PodSpec.ResourceClaim entry) {
        return entry.claimName().isEmpty()
                ? statusOf(pod, entry).map(PodStatus.ClaimStatus::claimName).orElse("")
                : entry.claimName();
    }

    private static Optional<PodStatus.ClaimStatus> statusOf(Pod pod, PodSpec.ResourceClaim entry) {
        for (PodStatus.ClaimStatus status : pod.status().resourceClaimStatuses()) {
            if (status.name().equals(entry.name())) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }

    private static boolean isControlledBy(ResourceClaim claim, Pod pod) {
        for (OwnerReference owner : claim.metadata().ownerReferences()) {
            if (owner.controller()) {
                return owner.uid().equals(pod.uid());
            }
        }
        return false;
    }

    /** Whether a pod may be better off after a change of a claim. */
    Hint afterClaimChange(Pod pod, ObjectChange<ResourceClaim> change) {
        List<ResourceClaim> own = new ArrayList<>();
        if (of(pod, own).isPresent()) {
            return Hint.SKIP;
        }
        ResourceClaim after = change.latest();
        Optional<ResourceClaim> before = change.before();
        if (before.isPresent()
                && before.get().allocation().isPresent()
                && after.allocation().isEmpty()) {
            return Hint.QUEUE;
        }
        boolean isOwn = false;
        for (ResourceClaim claim : own) {
            isOwn |= claim.metadata().uid().equals(after.metadata().uid());
        }
        return Hint.queueIf(isOwn && (before.isEmpty() || !after.hasStatusOf(before.get())));
    }

    /** Whether a pod may be better off after a change of itself. */
    Hint afterPodChange(Pod pod, ObjectChange<Pod> change) {
        Pod after = change.latest();
        return Hint.queueIf(
                pod.uid().equals(after.uid()) && of(after, new ArrayList<>()).isEmpty());
    }
}
