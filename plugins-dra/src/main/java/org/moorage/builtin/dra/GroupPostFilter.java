// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.CycleState;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.PluginException;

/** The PodGroupPostFilter step of DynamicResources: releases unused devices that block a group of pods. */
final class GroupPostFilter {
    // Returned even if there was nothing to do.
    private static final Status COMPLETED =
            Status.unschedulable("deallocation and deletion of ResourceClaims completed");
    private static final Status DEALLOCATED = Status.unschedulable("deallocation of PodGroup ResourceClaim completed");
    private static final Status UNRESERVED = Status.unresolvable("ResourceClaim unreserved for PodGroup");

    private static final StateKey<Release> RELEASE = StateKey.of(DynamicResources.NAME + "/groupRelease");

    private final PodResourceClaims podClaims;
    private final ClaimBinder binder;
    private final DeviceFeatures features;
    private final Supplier<PodGroupLister> groups;

    /**
     * Creates it for the groups of a scheduler.
     *
     * @param groups returns the current groups
     */
    GroupPostFilter(
            PodResourceClaims podClaims, ClaimBinder binder, DeviceFeatures features, Supplier<PodGroupLister> groups) {
        this.podClaims = podClaims;
        this.binder = binder;
        this.features = features;
        this.groups = groups;
    }

    private record Deletion(ResourceClaim claim, Pod pod) {}

    private record Unreservation(ResourceClaim claim, PodGroup group) {}

    /** The claims to deallocate, delete and unreserve for a group. */
    private record Release(
            List<ResourceClaim> toDeallocate, List<Deletion> toDelete, Optional<Unreservation> toUnreserve) {}

    /** Collects the claims to deallocate, delete and unreserve for a group. */
    private static final class Decisions {
        private final List<ResourceClaim> toDeallocate = new ArrayList<>(0);
        private final List<Deletion> toDelete = new ArrayList<>(0);
        private Optional<Unreservation> toUnreserve = Optional.empty();

        // A claim allocated for another pod of the group in this cycle only has nothing to release.
        void deallocate(ResourceClaim claim) {
            if (claim.allocation().isPresent() && !isDeallocated(claim)) {
                toDeallocate.add(claim);
            }
        }

        boolean isDeallocated(ResourceClaim claim) {
            for (ResourceClaim other : toDeallocate) {
                if (other.metadata().uid().equals(claim.metadata().uid())) {
                    return true;
                }
            }
            return false;
        }

        Release release() {
            return new Release(List.copyOf(toDeallocate), List.copyOf(toDelete), toUnreserve);
        }
    }

    /** Decides which claims to release for a pod group. Returns the status after {@link #execute}. */
    Status decide(CycleState state, PodGroupInfo info, PodGroup group) {
        GroupClaims tried = state.find(GroupClaims.KEY).orElseThrow(() -> new PluginException("not found"));
        Decisions decisions = new Decisions();
        Status status = decide(tried, info, group, decisions);
        state.put(RELEASE, decisions.release());
        return status;
    }

    private Status decide(GroupClaims tried, PodGroupInfo info, PodGroup group, Decisions decisions) {
        boolean isNothingFoundForPod = false;
        for (Pod pod : info.unscheduledPods()) {
            Optional<GroupClaims.Member> member = tried.find(pod);
            isNothingFoundForPod |= member.isPresent() && !decideForPod(pod, member.get(), decisions);
        }
        return isNothingFoundForPod && features.workloadResourceClaims()
                ? decideForGroup(tried, info.unscheduledPods().get(0), group, decisions)
                : COMPLETED;
    }

    // What PostFilter does for a pod that is scheduled alone.
    private static boolean decideForPod(Pod pod, GroupClaims.Member member, Decisions decisions) {
        ClaimStore claims = member.claims();
        for (int index : member.unavailable()) {
            ResourceClaim claim = claims.all().get(index);
            if (DynamicResources.isReservedForNobodyBut(pod.uid(), claim)) {
                decisions.deallocate(claim);
                return true;
            }
        }
        Optional<ResourceClaim> leftOver = DynamicResources.toDelete(claims);
        leftOver.ifPresent(claim -> decisions.toDelete.add(new Deletion(claim, pod)));
        return leftOver.isPresent();
    }

    private Status decideForGroup(GroupClaims tried, Pod pod, PodGroup group, Decisions decisions) {
        PodGroupState now = groups.get()
                .podGroup(group.namespace(), group.name())
                .orElseThrow(() -> new PluginException("pod group state not found for pod group " + group.key()));
        if (now.scheduledPodsCount() > 0) {
            return COMPLETED;
        }
        for (ResourceClaim claim : tried.unavailable()) {
            if (DynamicResources.isReservedForNobodyBut(group.metadata().uid(), claim)
                    && !decisions.isDeallocated(claim)) {
                decisions.deallocate(claim);
                return DEALLOCATED;
            }
        }
        for (PodSpec.ResourceClaim entry : group.resourceClaims()) {
            Optional<ResourceClaim> claim = podClaims
                    .of(group, entry)
                    .filter(found -> found.allocation().isPresent() && features.isReserved(found, pod));
            if (claim.isPresent()) {
                decisions.toUnreserve = Optional.of(new Unreservation(claim.get(), group));
                return UNRESERVED;
            }
        }
        return COMPLETED;
    }

    /** Releases the claims that {@link #decide} chose. */
    void execute(CycleState state) {
        Optional<Release> release = state.find(RELEASE);
        if (release.isEmpty()) {
            return;
        }
        Attempts attempts = new Attempts();
        for (ResourceClaim claim : release.get().toDeallocate) {
            attempts.run(() -> binder.deallocate(claim));
        }
        for (Deletion deletion : release.get().toDelete) {
            attempts.run(() -> binder.delete(deletion.claim, deletion.pod));
        }
        release.get().toUnreserve.ifPresent(found -> attempts.run(() -> binder.unreserve(found.claim, found.group)));
        attempts.throwFirst();
    }
}
