// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;

/**
 * Sorts the queue by priority, highest first, and then by the time when the pods were queued. Same decisions as
 * kube-scheduler's PrioritySort.
 */
public final class PrioritySort implements QueueSortPlugin {
    /** The plugin's name. */
    public static final String NAME = "PrioritySort";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, PrioritySort.class, handle -> new PrioritySort());

    PrioritySort() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean less(QueuedPod first, QueuedPod second) {
        int firstPriority = first.priority();
        int secondPriority = second.priority();
        return firstPriority > secondPriority
                || firstPriority == secondPriority && first.timestamp().isBefore(second.timestamp());
    }
}
