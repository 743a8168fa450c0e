// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import java.util.Map;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.Extenders;

/** Is shown what the plugins answer in a cycle, by whoever asks why. */
interface CycleRecorder {
    /** The nodes that the cycle is about: those to choose from, or some of them. */
    default List<NodeInfo> nodes(TrialSnapshot snapshot) {
        return snapshot.candidates();
    }

    /** PreFilter is over. */
    void preFiltered(FilterRun answer);

    /** A node was filtered. Called once for each node that PreFilter left, in their order. */
    void filtered(NodeInfo node, PluginStatus answer);

    /** Extenders have left these of the feasible nodes, and given some nodes a status. */
    void extended(List<NodeInfo> left, Map<String, Status> statuses);

    /** A plugin has scored the feasible nodes. */
    void scored(String plugin, NodeScores weighted);

    /** An extender has scored nodes. */
    void scored(Extenders.Scores scores);
}
