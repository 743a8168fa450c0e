// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.Breaker;

/** Reports that a plugin is suspended, in the log, to the listener, and in an event of the pod for which it failed. */
public final class BreakerReports implements Breaker.Watcher {
    private static final Log LOG = Log.of(BreakerReports.class);

    private final ClusterWriter writer;
    private final Listeners listeners;

    public BreakerReports(ClusterWriter writer, Listeners listeners) {
        this.writer = writer;
        this.listeners = listeners;
    }

    @Override
    public void opened(String plugin, String reason, Optional<Pod> pod) {
        LOG.atError()
                .addKeyValue("plugin", plugin)
                .addKeyValue("reason", reason)
                .log("Plugin is suspended");
        listeners.on(listener -> listener.pluginSuspended(plugin, reason));
        pod.ifPresent(failed -> report(failed, "Plugin " + plugin + " is " + reason));
    }

    private void report(Pod pod, String note) {
        try {
            writer.report(new PodEvent(pod, Optional.empty(), PodEvent.WARNING, "PluginSuspended", "Scheduling", note));
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            LOG.atError().addKeyValue("pod", pod.key()).setCause(thrown).log("Failed to report an event");
        }
    }

    @Override
    public void closed(String plugin) {
        LOG.atInfo().addKeyValue("plugin", plugin).log("Plugin is called again");
        listeners.on(listener -> listener.pluginResumed(plugin));
    }
}
