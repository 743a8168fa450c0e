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
import org.moorage.runtime.internal.plugin.PluginFailure;

/** A Filter plugin of a profile, under its name. */
final class ProfileFilter {
    private final FilterPlugin plugin;
    private final String name;
    // Plugins keep their rejections as constants, so that the next one is likely to be the same object and needs no new
    // PluginStatus. Read and written by several threads without a lock: any of the values is right.
    private PluginStatus last;

    ProfileFilter(FilterPlugin plugin) {
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
    PluginStatus filter(CycleState state, Pod pod, NodeInfo node) {
        Status status = PluginCalls.filter(plugin, state, pod, node);
        return status.isSuccess() ? PluginStatus.SUCCESS : rejection(status);
    }

    /**
     * Asks the plugin about the nodes from one index to before another that are not rejected yet.
     *
     * @param answers where the rejections go
     */
    void filter(CycleState state, Pod pod, List<NodeInfo> nodes, int from, int to, FilterAnswers answers) {
        PluginCalls.filter(plugin, state, pod, nodes, from, to, answers.statuses());
        answers.takeOver(this, from, to);
    }

    /** What the plugin has answered about one of many nodes: a rejection, or exactly {@link PluginStatus#SUCCESS}. */
    PluginStatus answer(@Nullable Status status) {
        Status checked = PluginCalls.filtered(plugin, status);
        return checked.isSuccess() ? PluginStatus.SUCCESS : rejection(checked);
    }

    @SuppressWarnings("ReferenceEquality") // comparing contents would cost more than a new PluginStatus
    private PluginStatus rejection(Status status) {
        PluginStatus known = last;
        if (known.status() != status) {
            known = new PluginStatus(name, status);
            last = known;
        }
        return known;
    }

    /** As {@link #filter}, with an error in place of what the plugin throws. */
    PluginStatus filterOrError(CycleState state, Pod pod, NodeInfo node) {
        try {
            return filter(state, pod, node);
        } catch (PluginFailure failure) {
            return PluginStatus.error(name, failure.what());
        }
    }
}
