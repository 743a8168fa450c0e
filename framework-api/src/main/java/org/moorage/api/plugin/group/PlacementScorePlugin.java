// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import org.moorage.api.CycleState;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.Plugin;

/**
 * A plugin that scores a placement that a group fits in. The placement with the highest sum of weighted scores is
 * chosen.
 */
@Experimental
public interface PlacementScorePlugin extends Plugin {
    /**
     * Returns the score of a placement. Called for each placement that the group fits in, if there are several.
     *
     * @param state the state of the placement, whose {@link CycleState#parent()} is that of the group
     * @param group the group
     * @param assignments the placement, and the proposed node of each pod
     * @return any number; from 0 to 100 after {@link #normalizePlacementScores}
     */
    long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments);

    /**
     * Normalizes this plugin's scores to the range from 0 to 100. Called once, with the scores of all placements.
     *
     * @param state the state of the group
     * @param group the group
     * @param scores the scores of the placements
     * @return the normalized scores, by default the given ones
     */
    default PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
        return scores;
    }
}
