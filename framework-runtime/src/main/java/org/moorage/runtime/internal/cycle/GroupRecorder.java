// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.moorage.runtime.internal.cache.TrialSnapshot;

/**
 * Follows an attempt at a group, to explain its result. The calls are in order, and those for a group are nested in
 * those for its parent.
 */
public interface GroupRecorder {
    /** A recorder that ignores everything. */
    GroupRecorder NONE = new GroupRecorder() {};

    /**
     * Begins a group; later calls are about it.
     *
     * @param placedBefore how many pods of a pod group were scheduled before
     */
    default void began(GroupTree group, int placedBefore) {}

    /**
     * Begins a placement of the group.
     *
     * @param placement the name; empty for all nodes
     * @param nodes how many nodes it has
     */
    default void began(String placement, int nodes) {}

    /**
     * The attempt stopped: too few pods are left for the group to be feasible, or enough pods were scheduled before and
     * none of the others fits a node.
     *
     * @param last the pod that was tried last, for which there is no node
     * @param snapshot the nodes, with the pods before it in place
     */
    default void stopped(MemberResult last, TrialSnapshot snapshot) {}

    /** Ends a placement, with its result. */
    default void tried(GroupResult result) {}

    /** The placement of that number was chosen for the group; it counts from 0 among those that were tried. */
    default void chose(int placement) {}

    /** Ends a group, with its result; later calls are about its parent. */
    default void ended(GroupResult result) {}
}
