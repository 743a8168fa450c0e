// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import java.util.Arrays;
import org.moorage.api.CycleState;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupState;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementScorePlugin;

/**
 * Prefers placements in which more pods of the group are scheduled. Pods that already have a node count too, wherever
 * they are. Same decisions as kube-scheduler's PodGroupPodsCount.
 */
public final class PodGroupPodsCount implements PlacementScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "PodGroupPodsCount";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, PodGroupPodsCount.class, PodGroupPodsCount::new);

    private final Handle handle;

    PodGroupPodsCount(Handle handle) {
        this.handle = handle;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
        long count = assignments.proposed().size();
        for (PodGroupState members :
                PodGroupHierarchy.podGroups(handle.snapshot().podGroups(), group.key())) {
            count += members.scheduledPodsCount();
        }
        return count;
    }

    @Override
    public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
        if (Arrays.stream(scores.toArray()).allMatch(score -> score == 0)) {
            throw new PluginException("no pods from pod group are assigned to any of the candidate placements");
        }
        return scores.scaledTo100();
    }
}
