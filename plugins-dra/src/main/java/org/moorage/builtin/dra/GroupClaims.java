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
 * The claims of the pods of a group that is tried, as their PreFilter found them. One for each try, in the state of the group: allocations
 * that are in flight for it are used by its other pods, too. For one thread at a time.
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

        /** Takes note that a node lacked nothing but this claim, which is allocated elsewhere. */
        void addUnavailable(int claim) {
            unavailable.add(claim);
        }

        /** The pod's claims; none if PreFilter rejected it. */
        ClaimStore claims() {
            return claims;
        }

        /** The indexes of the claims that were not available on a node, in order. */
        List<Integer> unavailable() {
            List<Integer> indexes = new ArrayList<>(unavailable);
            indexes.sort(null);
            return indexes;
        }
    }

    /** The state of the group with which a pod is tried; empty for a pod that is scheduled alone, or is to be bound. */
    static Optional<CycleState> stateOfGroup(CycleState pod) {
        return pod.parent().flatMap(CycleState::parent);
    }

    /** The claims of the group with which a pod is tried, if there is one. */
    static Optional<GroupClaims> of(CycleState pod) {
        return stateOfGroup(pod).flatMap(group -> group.find(KEY));
    }

    /** The same, made for the first pod of the group. */
    static Optional<GroupClaims> ofMember(CycleState pod) {
        Optional<CycleState> group = stateOfGroup(pod);
        if (group.isPresent() && group.get().find(KEY).isEmpty()) {
            group.get().put(KEY, new GroupClaims());
        }
        return of(pod);
    }

    /** Takes note of a pod of the group, in place of what was known of it. */
    Member put(Pod pod, ClaimStore claims) {
        Member member = new Member(claims);
        members.put(pod.uid(), member);
        return member;
    }

    /** What is known of a pod of the group; empty if it was not tried. */
    Optional<Member> find(Pod pod) {
        return Optional.ofNullable(members.get(pod.uid()));
    }

    /** The claims of all pods that were not available on a node. */
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
