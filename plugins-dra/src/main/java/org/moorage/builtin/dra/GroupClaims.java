// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.CycleState;
import org.moorage.api.StateKey;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceClaim;

/**
 * The claims of the pods of a group that is simulated, as their PreFilter found them. Each simulation has one, in the
 * state of the group: in-flight allocations for it are also used by its other pods. For use by one thread at a time.
 */
final class GroupClaims {
    /** The key of a group's value in the state of the group. */
    static final StateKey<GroupClaims> KEY = StateKey.of(DynamicResources.NAME + "/group");

    private final Map<String, Member> members = new LinkedHashMap<>();

    /** A pod of the group. */
    static final class Member {
        private final ClaimStore claims;
        // Filter adds to it for several nodes at once.
        private final Set<Integer> unavailable = ConcurrentHashMap.newKeySet(1);

        private Member(ClaimStore claims) {
            this.claims = claims;
        }

        /** Records that a node lacked nothing but this claim, which is allocated elsewhere. */
        void addUnavailable(int claim) {
            unavailable.add(claim);
        }

        /** Returns the pod's claims; none if PreFilter rejected it. */
        ClaimStore claims() {
            return claims;
        }

        /** Returns the indexes of the claims that were not available on a node, in order. */
        List<Integer> unavailable() {
            List<Integer> indexes = new ArrayList<>(unavailable);
            indexes.sort(null);
            return indexes;
        }
    }

    /**
     * Returns the state of the group with which a pod is simulated; empty for a pod that is scheduled alone, or will be
     * bound.
     */
    static Optional<CycleState> stateOfGroup(CycleState pod) {
        return pod.parent().flatMap(CycleState::parent);
    }

    /** Returns the claims of the group with which a pod is simulated, if there is one. */
    static Optional<GroupClaims> of(CycleState pod) {
        return stateOfGroup(pod).flatMap(group -> group.find(KEY));
    }

    /** Returns the same as {@link #of}; creates it for the first pod of the group. */
    static Optional<GroupClaims> ofMember(CycleState pod) {
        Optional<CycleState> group = stateOfGroup(pod);
        if (group.isPresent() && group.get().find(KEY).isEmpty()) {
            group.get().put(KEY, new GroupClaims());
        }
        return of(pod);
    }

    /** Records a pod of the group, replacing its earlier entry. */
    Member put(Pod pod, ClaimStore claims) {
        Member member = new Member(claims);
        members.put(pod.uid(), member);
        return member;
    }

    /** Returns the entry of a pod of the group; empty if it was not tried. */
    Optional<Member> find(Pod pod) {
        return Optional.ofNullable(members.get(pod.uid()));
    }

    /** Returns the claims of all pods that were not available on a node. */
    List<ResourceClaim> unavailable() {
        List<ResourceClaim> claims = new ArrayList<>(0);
        for (Member member : members.values()) {
            for (int index : member.unavailable()) {
                claims.add(member.claims.all().get(index));
            }
        }
        return claims;
    }
}
