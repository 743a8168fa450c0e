// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.runtime.internal.cache.GroupTree;

/**
 * The result for a group. Immutable; the steps after the algorithm put completed results in its place.
 *
 * @param status its status
 * @param members the results of its pods, in their order; empty for a composite group
 * @param placementState the state of the placement; null if there is none
 * @param isAnyScheduled whether a pod of it, or of a group below it, has a node that it did not have before
 * @param waitsOnPreemption whether it is unschedulable until preemption has made room
 */
public record GroupResult(
        GroupStatus status,
        List<MemberResult> members,
        @Nullable CycleState placementState,
        boolean isAnyScheduled,
        boolean waitsOnPreemption) {
    public GroupResult {
        members = List.copyOf(members);
        isAnyScheduled &= status.isSuccess();
    }

    static GroupResult of(GroupStatus status) {
        return new GroupResult(status, List.of(), null, false, false);
    }

    GroupResult with(GroupStatus changed) {
        return new GroupResult(changed, members, placementState, isAnyScheduled, waitsOnPreemption);
    }

    /**
     * Completes the results, so that each group and each pod has one. A group that was not tried, or succeeded although
     * its parent did not, gets its parent's status; a pod that was not tried gets its group's status.
     *
     * @param results the results of the root and of groups below it; missing ones are added
     */
    public static void complete(GroupTree root, Map<GroupKey, GroupResult> results) {
        complete(root, results, GroupStatus.success());
    }

    private static void complete(GroupTree group, Map<GroupKey, GroupResult> results, GroupStatus ofParent) {
        GroupResult result = results.get(group.key());
        if (result == null || !ofParent.isSuccess() && result.status.isSuccess()) {
            result = of(ofParent);
        }
        List<MemberResult> all = new ArrayList<>(result.members);
        for (Pod pod : group.members().subList(all.size(), group.members().size())) {
            all.add(MemberResult.notReached(pod, result.status));
        }
        results.put(
                group.key(),
                new GroupResult(
                        result.status, all, result.placementState, result.isAnyScheduled, result.waitsOnPreemption));
        for (GroupTree child : group.children()) {
            complete(child, results, result.status);
        }
    }

    /**
     * Adds the answer of the PodGroupPostFilter plugins to the results. In kube-scheduler, a group whose parent fails
     * shares its parent's status, so the answer's message appears once for each of the groups that share a status.
     */
    static void answer(Map<GroupKey, GroupResult> results, PodGroupPostFilterResult answer) {
        Map<GroupStatus, Integer> shares = new IdentityHashMap<>();
        results.values().forEach(result -> shares.merge(result.status, 1, Integer::sum));
        String message = answer.status().message();
        results.replaceAll((key, result) ->
                result.answered(answer, result.status.with(message, shares.getOrDefault(result.status, 1))));
    }

    private GroupResult answered(PodGroupPostFilterResult answer, GroupStatus changed) {
        boolean waits = answer.status().isSuccess();
        List<MemberResult> nominated = new ArrayList<>();
        for (MemberResult member : members) {
            Nomination nomination = answer.nominations().get(member.pod().uid());
            nominated.add(waits && nomination != null ? member.with(nomination) : member);
        }
        return new GroupResult(changed, nominated, placementState, isAnyScheduled, waits);
    }

    void addAssignments(List<ProposedAssignment> assignments) {
        for (MemberResult member : members) {
            if (member.isScheduled()) {
                assignments.add(ProposedAssignment.of(member.pod(), member.nodeName(), member.state()));
            }
        }
    }
}
