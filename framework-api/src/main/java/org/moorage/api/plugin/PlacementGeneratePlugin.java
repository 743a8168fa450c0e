// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;

/** Says on which nodes a group may be placed together, such as those of one rack each. A profile has at most one. */
public interface PlacementGeneratePlugin extends Plugin {
    /**
     * Called once for a group, and for a group within a composite one once for each placement of that.
     *
     * @param state the state of the group, whose {@link CycleState#parent()} is that of the placement of the composite group that it is
     *     part of, if there is one
     * @param group the group
     * @param parent the nodes to choose from
     * @param snapshot the cluster as the cycle sees it
     * @return the placements to try, in their order, or why there are none
     */
    PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot);
}
