// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import org.moorage.api.CycleState;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.Plugin;

/**
 * A plugin that generates the sets of nodes on which a group may be placed together, such as the nodes of each rack. A
 * profile has at most one.
 */
@Experimental
public interface PlacementGeneratePlugin extends Plugin {
    /**
     * Returns the placements to try. Called once for a group; for a group in a composite group, once for each placement
     * of the composite group.
     *
     * @param state the state of the group, whose {@link CycleState#parent()} is that of the composite group's
     *     placement, if the group is in one
     * @param group the group
     * @param parent the nodes to choose from
     * @param snapshot the cluster as the cycle sees it
     * @return the placements to try, in their order, or the reason why there are none
     */
    PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot);
}
