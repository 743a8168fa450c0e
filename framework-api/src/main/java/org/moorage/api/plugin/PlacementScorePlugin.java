// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.ProposedAssignment;

/** Says how good a placement is that a group fits in. The one with the highest sum of weighted scores is taken. */
public interface PlacementScorePlugin extends Plugin {
    /**
     * Called for each placement that the group fits in, if there is more than one.
     *
     * @param state the state of the placement, whose {@link CycleState#parent()} is that of the group
     * @param group the group
     * @param placement the placement
     * @param assignments which pods would get which nodes of it
     * @return any number; after {@link #normalizePlacementScores} from 0 to 100
     */
    long scorePlacement(
            CycleState state, PodGroupInfo group, Placement placement, List<ProposedAssignment> assignments);

    /**
     * Called once, with the scores of all placements.
     *
     * @param state the state of the group
     * @param group the group
     * @param scores by the index of the placement; each is to become one from 0 to 100
     */
    default void normalizePlacementScores(CycleState state, PodGroupInfo group, long[] scores) {}
}
