// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import org.moorage.api.CycleState;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;

/** A plugin that examines the pod once, before the nodes are filtered. */
public interface PreFilterPlugin extends Plugin {
    /**
     * Examines the pod. Called once per scheduling cycle, in the order of the profile. A plugin computes the data for
     * its Filter here and puts it into the state.
     *
     * @param state the state of this cycle
     * @param pod the pod to schedule
     * @param snapshot the cluster
     * @return {@link PreFilterResult#allNodes}; {@link PreFilterResult#onlyNodes} to restrict the nodes;
     *     {@link PreFilterResult#skip} to skip this plugin's Filter; or a rejection of the pod on all nodes. A
     *     rejection that cannot be resolved ends the cycle immediately; after another one the remaining plugins are
     *     still called.
     */
    PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot);
}
