// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.runtime.decision.PluginStatus;

/** Is shown what the plugins answer in a cycle, by whoever asks why. */
interface CycleRecorder {
    /** PreFilter is over. */
    void preFiltered(Profile.PreFiltered answer);

    /** A node was filtered. Called once for each node that PreFilter left, in their order. */
    void filtered(NodeInfo node, PluginStatus answer);

    /** A plugin has scored the feasible nodes. */
    void scored(String plugin, NodeScores weighted);
}
