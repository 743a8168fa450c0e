// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.List;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that examines the pod and the feasible nodes once, before the nodes are scored. */
public interface PreScorePlugin extends Plugin {
    /**
     * Examines the pod and the feasible nodes. Called once per scheduling cycle with more than one feasible node. A
     * plugin computes the data for its Score here and puts it into the state.
     *
     * @param state the state of this cycle
     * @param pod the pod to schedule
     * @param nodes the feasible nodes
     * @return success, or skip to skip this plugin's Score; any other status fails the cycle
     */
    Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes);
}
