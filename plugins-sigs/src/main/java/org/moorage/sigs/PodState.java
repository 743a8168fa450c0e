// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers nodes with many terminating pods, which will have room soon, and few nominated pods, which will take room.
 * Same decisions as scheduler-plugins' PodState.
 */
public final class PodState implements ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "PodState";

    private final Handle handle;

    private PodState(Handle handle) {
        this.handle = handle;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        long terminating = 0;
        for (Pod each : node.pods()) {
            if (each.metadata().isDeleting()) {
                terminating++;
            }
        }
        return terminating - handle.preemption().nominatedPods(node.name()).size();
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.minMaxScaled();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<PluginArgs.None> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<PluginArgs.None> argsType() {
            return PluginArgs.None.class;
        }

        @Override
        public boolean ignoresArgs() {
            return true;
        }

        @Override
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new PodState(handle);
        }
    }
}
