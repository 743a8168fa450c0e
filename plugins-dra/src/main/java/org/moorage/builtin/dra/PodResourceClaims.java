// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;

/** The claims that pods name in their specifications. */
final class PodResourceClaims {
    private final ClaimTracker tracker;

    PodResourceClaims(ClaimTracker tracker) {
        this.tracker = tracker;
    }

    /**
     * The claims of a pod.
     *
     * @param claims the claims, in the order in which the pod names them; without those that it turned out not to need
     * @param problem why the pod cannot be scheduled yet; empty if all claims are there
     */
    record Found(List<ResourceClaim> claims, Optional<String> problem) {}

    /** Looks up the claims of a pod. */
    Found of(Pod pod) {
        List<ResourceClaim> claims = new ArrayList<>(pod.spec().resourceClaims().size());
        for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
            Optional<String> problem = add(pod, entry, claims);
            if (problem.isPresent()) {
                return new Found(List.of(), problem);
            }
        }
        return new Found(List.copyOf(claims), Optional.empty());
    }

    private Optional<String> add(Pod pod, PodSpec.ResourceClaim entry, List<ResourceClaim> claims) {
        String name = entry.claimName();
        boolean isFromTemplate = name.isEmpty();
        if (isFromTemplate) {
            if (entry.templateName().isEmpty()) {
                return Optional.of("pod \"" + pod.key() + "\", spec.resourceClaim \"" + entry.name()
                        + "\": none of the supported fields are set");
            }
            Optional<PodStatus.ClaimStatus> status = statusOf(pod, entry);
            if (status.isEmpty()) {
                return Optional.of("pod \"" + pod.key() + "\": ResourceClaim not created yet");
            }
            name = status.get().claimName();
            if (name.isEmpty()) {
                // The pod does not need the claim.
                return Optional.empty();
            }
        }
        Optional<ResourceClaim> claim = tracker.get(pod.namespace(), name);
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
        claims.add(claim.get());
        return Optional.empty();
    }

    /** The name of the claim that an entry of a pod's claims refers to; empty if there is none. */
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

    /** Whether a pod may become schedulable by a change of a claim. */
    Hint isSchedulableAfterClaimChange(Pod pod, ObjectChange<ResourceClaim> change) {
        ResourceClaim after = change.latest();
        if (change.after().isEmpty()) {
            // Whoever had it, its devices are free now.
            return Hint.queueIf(after.allocation().isPresent());
        }
        boolean isDeallocated = isFreed(change);
        // For each of the pods that wait, so the claims of other pods are told by their names alone.
        if (!isDeallocated && !names(pod, after)) {
            return Hint.SKIP;
        }
        Found found = of(pod);
        if (found.problem().isPresent()) {
            return Hint.SKIP;
        }
        if (isDeallocated) {
            // Another pod may get the devices.
            return Hint.QUEUE;
        }
        boolean isOfPod = false;
        for (ResourceClaim claim : found.claims()) {
            isOfPod |= claim.metadata().uid().equals(after.metadata().uid());
        }
        return Hint.queueIf(isOfPod
                && change.before().map(before -> !after.hasStatusOf(before)).orElse(true));
    }

    /** Those that use the claim; all if devices are free now that it had. */
    static Optional<Predicate<Pod>> candidates(ObjectChange<ResourceClaim> change) {
        ResourceClaim claim = change.latest();
        return isFreed(change) ? Optional.empty() : Optional.of(pod -> names(pod, claim));
    }

    // Whether the claim has given its devices back.
    private static boolean isFreed(ObjectChange<ResourceClaim> change) {
        return change.before().flatMap(ResourceClaim::allocation).isPresent()
                && change.after().flatMap(ResourceClaim::allocation).isEmpty();
    }

    private static boolean names(Pod pod, ResourceClaim claim) {
        if (!pod.namespace().equals(claim.namespace())) {
            return false;
        }
        List<PodSpec.ResourceClaim> entries = pod.spec().resourceClaims();
        for (int i = 0; i < entries.size(); i++) {
            if (claimName(pod, entries.get(i)).equals(claim.name())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a pod may become schedulable by an update of itself. */
    Hint isSchedulableAfterTargetPodUpdate(Pod pod, ObjectChange<Pod> change) {
        return Hint.queueIf(of(change.latest()).problem().isEmpty());
    }
}
