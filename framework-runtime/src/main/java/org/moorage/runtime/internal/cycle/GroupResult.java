// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.plugin.Nomination;

/**
 * The result for a group. The algorithm and the steps that follow it change it, on one thread, until the group is
 * committed.
 */
public final class GroupResult {
    private final GroupTree group;
    private final List<MemberResult> members;
    private final @Nullable CycleState placementState;
    private GroupStatus status;
    private boolean anyScheduled;
    private boolean waitsOnPreemption;

    GroupResult(
            GroupTree group,
            GroupStatus status,
            List<MemberResult> members,
            @Nullable CycleState placementState,
            boolean anyScheduled) {
        this.group = group;
        this.status = status;
        this.members = new ArrayList<>(members);
        this.placementState = placementState;
        this.anyScheduled = anyScheduled && status.isSuccess();
    }

    static GroupResult of(GroupTree group, GroupStatus status) {
        return new GroupResult(group, status, List.of(), null, false);
    }

    /** Returns the group. */
    public GroupTree group() {
        return group;
    }

    /** Returns its status. */
    public GroupStatus status() {
        return status;
    }

    void status(GroupStatus value) {
        status = value;
    }

    /** Returns the results of its pods, in their order; empty for a composite group. */
    public List<MemberResult> members() {
        return members;
    }

    @Nullable
    CycleState placementState() {
        return placementState;
    }

    // Returns whether a pod of it, or of a group below it, has a node that it did not have before.
    boolean isAnyScheduled() {
        return anyScheduled;
    }

    /** Returns whether it is unschedulable until preemption has made room. */
    public boolean waitsOnPreemption() {
        return waitsOnPreemption;
    }

    void waitOnPreemption() {
        waitsOnPreemption = true;
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
            result = of(group, ofParent);
            results.put(group.key(), result);
        }
        for (GroupTree child : group.children()) {
            complete(child, results, result.status);
        }
        for (int i = result.members.size(); i < group.members().size(); i++) {
            result.members.add(MemberResult.notReached(group.members().get(i), result.status));
        }
    }

    void nominate(int member, Nomination nomination) {
        members.set(member, members.get(member).with(nomination));
    }

    void addAssignments(List<ProposedAssignment> assignments) {
        for (MemberResult member : members) {
            if (member.isScheduled()) {
                assignments.add(new ProposedAssignment(member.pod(), member.nodeName(), member.state()));
            }
        }
    }
}
