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

/** What was found for a group. Changed by the algorithm and what follows it, on one thread, until the group is committed. */
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

    /** The group. */
    public GroupTree group() {
        return group;
    }

    /** What came of it. */
    public GroupStatus status() {
        return status;
    }

    void status(GroupStatus value) {
        status = value;
    }

    /** What came of its pods, in their order; none of a composite group. */
    public List<MemberResult> members() {
        return members;
    }

    @Nullable
    CycleState placementState() {
        return placementState;
    }

    // Whether a pod of it, or of a group below it, has a node that it did not have before.
    boolean isAnyScheduled() {
        return anyScheduled;
    }

    /** Whether it is unschedulable until pods have left that are on their way. */
    public boolean waitsOnPreemption() {
        return waitsOnPreemption;
    }

    void waitOnPreemption() {
        waitsOnPreemption = true;
    }

    /**
     * Has a result for each group and each pod: a group that was not looked at, or succeeded although its parent did not, has its parent's
     * status; a pod that was not tried has that of its group.
     *
     * @param results the results of the root and of groups below it, which are completed
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
