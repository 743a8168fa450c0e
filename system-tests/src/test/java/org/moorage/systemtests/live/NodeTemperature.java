// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.ScorePlugin;

/** Keeps pods off nodes whose annotation says that they are hotter than the pod's annotation allows, and prefers cool ones. */
public record NodeTemperature() implements FilterPlugin, ScorePlugin {
    private static final String NAME = "NodeTemperature";

    @Override
    public String name() {
        return NAME;
    }

    private static int temperature(NodeInfo node) {
        return Integer.parseInt(node.node().metadata().annotations().getOrDefault("temperature", "0"));
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        int limit = Integer.parseInt(pod.metadata().annotations().getOrDefault("limit", "90"));
        return temperature(node) < limit
                ? Status.success()
                : Status.unschedulable("temperature " + temperature(node) + " >= " + limit);
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return temperature(node);
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100().reversed();
    }

    /** As a service. */
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
        public Plugin create(PluginArgs.None args, Handle handle) {
            return new NodeTemperature();
        }
    }
}
