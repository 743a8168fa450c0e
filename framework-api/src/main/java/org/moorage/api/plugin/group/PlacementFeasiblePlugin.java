// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import org.moorage.api.CycleState;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.Plugin;

/**
 * A plugin that decides whether enough pods of a group have found a node in a placement.
 *
 * <p>This is not an extension point of the configuration: each plugin of the profile that implements it is called,
 * regardless of the points at which it is enabled.
 */
@Experimental
public interface PlacementFeasiblePlugin extends Plugin {
    /**
     * Returns the feasibility of the placement. Called before the first pod of a group, or the first child of a
     * composite group, is tried, and after each one.
     *
     * @param state the state of the placement that is tried, whose {@link CycleState#parent()} is that of the group
     * @param group the group
     * @param progress the progress so far
     * @return whether the pods scheduled so far are enough, not yet enough, or cannot become enough, which ends the
     *     attempt
     */
    PlacementFeasibleResult placementFeasible(CycleState state, PodGroupInfo group, PlacementProgress progress);
}
