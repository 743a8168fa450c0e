// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.PluginException;

/** The claims that pods name in their specifications. */
final class PodResourceClaims {
    private static final String UNSUPPORTED = "none of the supported fields are set";

    private final ClaimTracker tracker;
    private final DeviceFeatures features;

    PodResourceClaims(ClaimTracker tracker, DeviceFeatures features) {
        this.tracker = tracker;
        this.features = features;
    }

    /**
     * The claims of a pod.
     *
     * @param claims the claims, in the order in which the pod names them; without those that it turned out not to need
     * @param consumers the consumer to reserve each of them for; empty if all are for the pod
     * @param problem why the pod cannot be scheduled yet; empty if all claims exist
     */
    record Found(List<ResourceClaim> claims, List<ResourceClaim.Consumer> consumers, Optional<String> problem) {
        private static Found failed(String problem) {
            return new Found(List.of(), List.of(), Optional.of(problem));
        }
    }

    /** Looks up the claims of a pod. */
    Found of(Pod pod) {
        return of(pod, Optional.empty());
    }

    /** Looks up the claims of a pod, which may share some with the other pods of its group. */
    Found of(Pod pod, PodGroupLister groups) {
        String name = pod.spec().podGroupName();
        if (!features.workloadResourceClaims() || name.isEmpty()) {
            return of(pod);
        }
        Optional<PodGroupState> state = groups.podGroup(pod.namespace(), name);
        Optional<PodGroup> group = state.flatMap(PodGroupState::podGroup);
        Found found = of(pod, group);
        if (found.problem.isEmpty() && group.isEmpty()) {
            return Found.failed("pod group " + (state.isEmpty() ? "state" : "object") + " not found for pod group "
                    + GroupKey.podGroup(pod.namespace(), name));
        }
        return found;
    }

    private Found of(Pod pod, Optional<PodGroup> group) {
        List<ResourceClaim> claims = new ArrayList<>(pod.spec().resourceClaims().size());
        List<ResourceClaim.Consumer> consumers = new ArrayList<>(0);
        for (PodSpec.ResourceClaim entry : pod.spec().resourceClaims()) {
            int before = claims.size();
            Optional<String> problem = add(pod, entry, claims);
            if (problem.isPresent()) {
                return Found.failed(problem.get());
            }
            if (group.isPresent() && claims.size() > before) {
                problem = addConsumer(pod, entry, group.get(), consumers);
                if (problem.isPresent()) {
                    return Found.failed(problem.get());
                }
            }
        }
        return new Found(List.copyOf(claims), List.copyOf(consumers), Optional.empty());
    }

    // The group, if the entry is one of the group's, too.
    private static Optional<String> addConsumer(
            Pod pod, PodSpec.ResourceClaim entry, PodGroup group, List<ResourceClaim.Consumer> consumers) {
        for (PodSpec.ResourceClaim ofGroup : group.resourceClaims()) {
            if (ofGroup.claimName().isEmpty() && ofGroup.templateName().isEmpty()) {
                return Optional.of("PodGroup " + group.key() + " claim " + ofGroup.name() + ": " + UNSUPPORTED);
            }
            if (ofGroup.equals(entry)) {
                consumers.add(ResourceClaim.Consumer.of(group));
                return Optional.empty();
            }
        }
        consumers.add(ResourceClaim.Consumer.of(pod));
        return Optional.empty();
    }

    private Optional<String> add(Pod pod, PodSpec.ResourceClaim entry, List<ResourceClaim> claims) {
        String name = entry.claimName();
        boolean isFromTemplate = name.isEmpty();
        if (isFromTemplate) {
            if (entry.templateName().isEmpty()) {
                return Optional.of(
                        "pod \"" + pod.key() + "\", spec.resourceClaim \"" + entry.name() + "\": " + UNSUPPORTED);
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
            return Optional.of(missing(pod.namespace(), name));
        }
        if (claim.get().metadata().isDeleting()) {
            return Optional.of("resourceclaim \"" + name + "\" is being deleted");
        }
        if (isFromTemplate && !isControlledBy(claim.get(), pod.uid())) {
            boolean mayBeOfGroup = features.workloadResourceClaims()
                    && !pod.spec().podGroupName().isEmpty();
            if (!mayBeOfGroup || !isControlledByGroupOf(claim.get(), pod)) {
                return Optional.of("ResourceClaim " + claim.get().key() + " was not created for Pod " + pod.key()
                        + (mayBeOfGroup
                                ? " (neither Pod nor PodGroup " + pod.spec().podGroupName() + " is the owner)"
                                : " (Pod is not owner)"));
            }
        }
        claims.add(claim.get());
        return Optional.empty();
    }

    /** Returns the name of the claim that an entry of a pod's claims refers to; empty if there is none. */
    static String claimName(Pod pod, PodSpec.ResourceClaim entry) {
        return entry.claimName().isEmpty()
                ? statusOf(pod, entry).map(PodStatus.ClaimStatus::claimName).orElse("")
                : entry.claimName();
    }

    private static Optional<PodStatus.ClaimStatus> statusOf(Pod pod, PodSpec.ResourceClaim entry) {
        return status(pod.status().resourceClaimStatuses(), entry);
    }

    private static Optional<PodStatus.ClaimStatus> status(
            List<PodStatus.ClaimStatus> statuses, PodSpec.ResourceClaim entry) {
        for (PodStatus.ClaimStatus status : statuses) {
            if (status.name().equals(entry.name())) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the claim that an entry of a group's claims refers to; empty if there is none for it, or if the one of
     * that name is not the group's.
     *
     * @throws PluginException if the claim does not exist
     */
    Optional<ResourceClaim> of(PodGroup group, PodSpec.ResourceClaim entry) {
        String name = entry.claimName();
        if (name.isEmpty()) {
            if (entry.templateName().isEmpty()) {
                throw new PluginException(
                        "PodGroup " + group.key() + ", spec.resourceClaim " + entry.name() + ": " + UNSUPPORTED);
            }
            name = status(group.resourceClaimStatuses(), entry)
                    .orElseThrow(
                            () -> new PluginException("PodGroup " + group.key() + ": ResourceClaim not created yet"))
                    .claimName();
            if (name.isEmpty()) {
                return Optional.empty();
            }
        }
        Optional<ResourceClaim> claim = tracker.get(group.namespace(), name);
        if (claim.isEmpty()) {
            throw new PluginException(missing(group.namespace(), name));
        }
        boolean isOfGroup = !entry.claimName().isEmpty()
                || isControlledBy(claim.get(), group.metadata().uid());
        return isOfGroup ? claim : Optional.empty();
    }

    private static String missing(String namespace, String name) {
        return "could not find ResourceClaim \"" + namespace + "/" + name + "\"";
    }

    private static boolean isControlledBy(ResourceClaim claim, String uid) {
        return claim.metadata()
                .controller()
                .filter(owner -> owner.uid().equals(uid))
                .isPresent();
    }

    // By its name, since a pod knows no more of its group.
    private static boolean isControlledByGroupOf(ResourceClaim claim, Pod pod) {
        return claim.metadata()
                .controller()
                .filter(owner -> owner.name().equals(pod.spec().podGroupName())
                        && owner.kind().equals("PodGroup")
                        && owner.apiVersion().startsWith("scheduling.k8s.io/"))
                .isPresent();
    }

    /** Returns whether a change of a claim may make a pod schedulable. */
    Hint isSchedulableAfterClaimChange(Pod pod, ObjectChange<ResourceClaim> change) {
        ResourceClaim after = change.latest();
        if (change.after().isEmpty()) {
            // The claim was deleted, so its devices are free, whichever pod used them.
            return Hint.queueIf(after.allocation().isPresent());
        }
        boolean isDeallocated = isFreed(change);
        // This runs for each pending pod, so names alone identify the claims of other pods.
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

    /** Returns a filter for the pods that name the claim; empty for all pods, if the claim released its devices. */
    static Optional<Predicate<Pod>> candidates(ObjectChange<ResourceClaim> change) {
        ResourceClaim claim = change.latest();
        return isFreed(change) ? Optional.empty() : Optional.of(pod -> names(pod, claim));
    }

    // Whether the claim has released its devices.
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

    /** Returns whether a pod may become schedulable by an update of itself. */
    Hint isSchedulableAfterTargetPodUpdate(Pod pod, ObjectChange<Pod> change) {
        return Hint.queueIf(of(change.latest()).problem().isEmpty());
    }
}
