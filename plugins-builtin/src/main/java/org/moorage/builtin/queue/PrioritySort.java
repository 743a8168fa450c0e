// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.queue;

import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.api.plugin.QueuedPod;

/**
 * Tries pods of higher priority first, and of equal priority the one that was queued earlier. Same decisions as
 * kube-scheduler's PrioritySort.
 */
public final class PrioritySort implements QueueSortPlugin {
    /** The plugin's name. */
    public static final String NAME = "PrioritySort";

    private PrioritySort() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean less(QueuedPod first, QueuedPod second) {
        int firstPriority = first.pod().spec().priority();
        int secondPriority = second.pod().spec().priority();
        return firstPriority > secondPriority
                || firstPriority == secondPriority && first.timestamp().isBefore(second.timestamp());
    }

    /** Makes the plugin. */
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
        public PrioritySort create(PluginArgs.None args, Handle handle) {
            return new PrioritySort();
        }
    }
}
