// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;

/** Looks at the pod once before the nodes are filtered. */
public interface PreFilterPlugin extends Plugin {
    /**
     * Called once per scheduling cycle, in the order of the profile. Here a plugin computes what its Filter will need and
     * puts it into the state.
     *
     * @param state what the plugin keeps for this cycle
     * @param pod the pod to schedule
     * @param snapshot the cluster
     * @return {@link PreFilterResult#allNodes}, {@link PreFilterResult#onlyNodes} to have no others looked at, {@link
     *     PreFilterResult#skip} if this plugin's Filter has no say, or a rejection of the pod as a whole. A rejection that
     *     cannot be resolved ends the cycle at once; after another one the remaining plugins are still asked.
     */
    PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot);
}
