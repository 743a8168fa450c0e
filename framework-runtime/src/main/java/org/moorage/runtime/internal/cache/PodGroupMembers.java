// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;

/** An immutable pod group with its members; each change returns a new instance. */
final class PodGroupMembers implements PodGroupState {
    static final PodGroupMembers NONE =
            new PodGroupMembers(null, SharedTree.empty(Comparator.<String>naturalOrder()), 0, 0, 0);

    private enum MemberPlace {
        UNSCHEDULED,
        ASSUMED,
        ASSIGNED,
        /** Removed in a trial. */
        GONE
    }

    /**
     * A member of the group.
     *
     * @param known the pod as the cluster reported it; null if it has not
     * @param assumed the pod with the node that was chosen for it; null if none is
     * @param isGone whether it is removed in a trial
     */
    private record GroupMember(
            @Nullable Pod known, @Nullable Pod assumed, boolean isGone) {
        MemberPlace place() {
            if (isGone) {
                return MemberPlace.GONE;
            }
            if (known != null && known.isBound()) {
                return MemberPlace.ASSIGNED;
            }
            return assumed == null ? MemberPlace.UNSCHEDULED : MemberPlace.ASSUMED;
        }
    }

    private final @Nullable PodGroup podGroup;
    private final SharedTree<String, GroupMember> memberByUid;
    private final int unscheduled;
    private final int assumed;
    private final int assigned;

    // Created on first use; a race between threads only creates equal lists.
    private @Nullable List<Pod> unscheduledPods;
    private @Nullable List<Pod> assumedPods;
    private @Nullable List<Pod> assignedPods;

    private PodGroupMembers(
            @Nullable PodGroup podGroup,
            SharedTree<String, GroupMember> memberByUid,
            int unscheduled,
            int assumed,
            int assigned) {
        this.podGroup = podGroup;
        this.memberByUid = memberByUid;
        this.unscheduled = unscheduled;
        this.assumed = assumed;
        this.assigned = assigned;
    }

    @Override
    public Optional<PodGroup> podGroup() {
        return Optional.ofNullable(podGroup);
    }

    @Override
    public List<Pod> unscheduledPods() {
        List<Pod> pods = unscheduledPods;
        if (pods == null) {
            pods = pods(MemberPlace.UNSCHEDULED, unscheduled);
            unscheduledPods = pods;
        }
        return pods;
    }

    @Override
    public List<Pod> assumedPods() {
        List<Pod> pods = assumedPods;
        if (pods == null) {
            pods = pods(MemberPlace.ASSUMED, assumed);
            assumedPods = pods;
        }
        return pods;
    }

    @Override
    public List<Pod> assignedPods() {
        List<Pod> pods = assignedPods;
        if (pods == null) {
            pods = pods(MemberPlace.ASSIGNED, assigned);
            assignedPods = pods;
        }
        return pods;
    }

    // Ordered by UID.
    private List<Pod> pods(MemberPlace place, int count) {
        List<Pod> pods = new ArrayList<>(count);
        memberByUid.forEach((uid, member) -> {
            if (member.place() == place) {
                pods.add(member.assumed == null || place == MemberPlace.ASSIGNED ? member.known : member.assumed);
            }
        });
        return Collections.unmodifiableList(pods);
    }

    @Override
    public int scheduledPodsCount() {
        return assumed + assigned;
    }

    @Override
    public int allPodsCount() {
        return unscheduled + assumed + assigned;
    }

    /** Returns whether there is neither the object nor a member. */
    boolean isEmpty() {
        return podGroup == null && allPodsCount() == 0;
    }

    /** Returns whether it contains nothing, not even a member that is removed in a trial. */
    boolean isForgotten() {
        return podGroup == null && memberByUid.isEmpty();
    }

    /** Returns the group with the given object, or without an object. */
    PodGroupMembers withObject(@Nullable PodGroup object) {
        return new PodGroupMembers(object, memberByUid, unscheduled, assumed, assigned);
    }

    /** Returns the group with a member that the cluster reported. */
    PodGroupMembers with(Pod pod) {
        GroupMember before = memberByUid.get(pod.uid());
        return change(
                pod.uid(),
                before,
                new GroupMember(pod, pod.isBound() || before == null ? null : before.assumed, false));
    }

    PodGroupMembers without(String uid) {
        return change(uid, memberByUid.get(uid), null);
    }

    /**
     * Returns the group with a member that was assumed on a node, or restored in a trial. An unknown pod is added only
     * if the group is otherwise empty.
     */
    PodGroupMembers assume(Pod pod) {
        GroupMember before = memberByUid.get(pod.uid());
        if (before == null) {
            return isForgotten() ? change(pod.uid(), null, new GroupMember(null, pod, false)) : this;
        }
        boolean hasNode = before.known != null && before.known.isBound();
        return change(pod.uid(), before, new GroupMember(before.known, hasNode ? null : pod, false));
    }

    /** Returns the group with a member that is no longer assumed. */
    PodGroupMembers forget(String uid) {
        GroupMember before = memberByUid.get(uid);
        if (before == null || before.assumed == null) {
            return this;
        }
        return change(uid, before, before.known == null ? null : new GroupMember(before.known, null, before.isGone));
    }

    /** Returns the group with a member that is removed in a trial and may be restored. */
    PodGroupMembers gone(String uid) {
        GroupMember before = memberByUid.get(uid);
        return before == null ? this : change(uid, before, new GroupMember(before.known, before.assumed, true));
    }

    private PodGroupMembers change(String uid, @Nullable GroupMember before, @Nullable GroupMember after) {
        if (before == null && after == null) {
            return this;
        }
        return new PodGroupMembers(
                podGroup,
                after == null ? memberByUid.without(uid) : memberByUid.with(uid, after),
                unscheduled + difference(MemberPlace.UNSCHEDULED, before, after),
                assumed + difference(MemberPlace.ASSUMED, before, after),
                assigned + difference(MemberPlace.ASSIGNED, before, after));
    }

    private static int difference(MemberPlace place, @Nullable GroupMember before, @Nullable GroupMember after) {
        return (after != null && after.place() == place ? 1 : 0) - (before != null && before.place() == place ? 1 : 0);
    }
}
