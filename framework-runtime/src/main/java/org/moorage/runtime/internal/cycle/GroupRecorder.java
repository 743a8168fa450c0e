// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.moorage.runtime.internal.cache.TrialSnapshot;

/** Is shown how an attempt at a group goes, by whoever asks why. What is shown is in order, and that of a group within that of its parent. */
public interface GroupRecorder {
    /** Nobody asks. */
    GroupRecorder NONE = new GroupRecorder() {};

    /**
     * From now on it is about that group.
     *
     * @param placedBefore how many pods of a pod group have been placed before
     */
    default void began(GroupTree group, int placedBefore) {}

    /**
     * The group is tried in a placement.
     *
     * @param placement the name; empty for all nodes
     * @param nodes how many nodes it has
     */
    default void began(String placement, int nodes) {}

    /**
     * So few pods are left that the group cannot be placed; or enough are placed since before, and none of the others can be.
     *
     * @param last the pod that was tried last, for which there is no node
     * @param snapshot has the pods before it in place
     */
    default void stopped(MemberResult last, TrialSnapshot snapshot) {}

    /** The placement was tried, with this result. */
    default void tried(GroupResult result) {}

    /** The group gets the placement of that number, counted from 0 among those that were tried. */
    default void chose(int placement) {}

    /** It is about the group's parent again. The result is the group's. */
    default void ended(GroupResult result) {}
}
