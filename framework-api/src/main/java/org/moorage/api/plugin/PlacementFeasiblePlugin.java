// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupInfo;

/**
 * Says whether what has been found of a group is enough to go on with it.
 *
 * <p>It is no point of the configuration: each plugin of the profile that can say so is asked, whatever points it is enabled at.
 */
public interface PlacementFeasiblePlugin extends Plugin {
    /**
     * Called before the first pod of a group is tried, or the first child of a composite group, and after each.
     *
     * @param state the state of the placement that is tried, whose {@link CycleState#parent()} is that of the group
     * @param group the group
     * @param progress how far it is
     * @return whether that is enough, not yet enough, or cannot become enough, which ends the try
     */
    PlacementFeasibleResult placementFeasible(CycleState state, PodGroupInfo group, PlacementProgress progress);
}
