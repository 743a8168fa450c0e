// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginLogger;

/** Synchronizes the cache of NodeResourceTopologyMatch when a step does, instead of periodically. */
final class TopologyResync {
    static final String PLUGIN = "NodeResourceTopologyMatch";

    private final List<String> dirty = new ArrayList<>();
    private @Nullable Runnable task;

    /** Returns the handle of the plugin, with its periodic task held back. */
    Handle observed(Handle handle) {
        PluginLogger logger = SequenceRun.proxy(PluginLogger.class, (proxy, method, arguments) -> {
            if (method.getName().equals("debug") && arguments != null) {
                readNodes((Object[]) arguments[arguments.length - 1]);
            }
            return SequenceRun.invoke(handle.logger(), method, arguments);
        });
        Handle.Tasks tasks = new Handle.Tasks() {
            @Override
            public Executor background() {
                return handle.tasks().background();
            }

            @Override
            public void backgroundAfter(Duration delay, Runnable periodic) {
                task = periodic;
            }
        };
        return SequenceRun.proxy(Handle.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "logger" -> logger;
            case "tasks" -> tasks;
            default -> SequenceRun.invoke(handle, method, arguments);
        });
    }

    // The plugin logs the nodes that remain marked.
    private void readNodes(Object[] keysAndValues) {
        for (int i = 0; i < keysAndValues.length - 1; i += 2) {
            if (keysAndValues[i].equals("dirty")) {
                ((Collection<?>) keysAndValues[i + 1]).forEach(node -> dirty.add((String) node));
            }
        }
    }

    /** Synchronizes, and returns the nodes that remain marked. */
    List<String> run() {
        dirty.clear();
        if (task != null) {
            task.run();
        }
        return List.copyOf(dirty);
    }
}
