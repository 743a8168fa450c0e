// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCalls;

/** A Filter plugin of a profile, under its name. */
final class NodeFilter {
    private final FilterPlugin plugin;
    private final String name;
    // Plugins keep their rejections as constants, so that the next one is likely to be the same object and needs no new
    // PluginStatus. Read and written by several threads without a lock: any of the values is right.
    private PluginStatus last;

    NodeFilter(FilterPlugin plugin) {
        this.plugin = plugin;
        name = plugin.name();
        last = new PluginStatus(name, Status.success());
    }

    String name() {
        return name;
    }

    FilterPlugin plugin() {
        return plugin;
    }

    /** What the plugin says of a node: a rejection, or exactly {@link PluginStatus#SUCCESS}. */
    PluginStatus ask(CycleState state, Pod pod, NodeInfo node) {
        return known(PluginCalls.filter(plugin, state, pod, node));
    }

    /**
     * Asks the plugin about the nodes from one index to before another that are not rejected yet.
     *
     * @param statuses where the rejections go, each to be taken over by {@link #answer}
     */
    void ask(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, Status[] statuses) {
        PluginCalls.filter(plugin, state, pod, nodes, from, to, statuses);
    }

    /** What the plugin has answered about one of many nodes: a rejection, or exactly {@link PluginStatus#SUCCESS}. */
    PluginStatus answer(@Nullable Status status) {
        return known(PluginCalls.filtered(plugin, status));
    }

    @SuppressWarnings("ReferenceEquality") // comparing contents would cost more than a new PluginStatus
    private PluginStatus known(Status status) {
        if (status.isSuccess()) {
            return PluginStatus.SUCCESS;
        }
        PluginStatus known = last;
        if (known.status() != status) {
            known = new PluginStatus(name, status);
            last = known;
        }
        return known;
    }
}
