// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** Looks at the pod and the feasible nodes once before they are scored. */
public interface PreScorePlugin extends Plugin {
    /**
     * Called once per scheduling cycle with more than one feasible node. Here a plugin computes what its Score will need
     * and puts it into the state.
     *
     * @param state what the plugin keeps for this cycle
     * @param pod the pod to schedule
     * @param nodes the feasible nodes
     * @return success, or skip if this plugin's Score has no say; anything else fails the cycle
     */
    Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes);
}
