// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.PodEvent;
import org.moorage.runtime.internal.plugin.Breaker;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that a plugin is not called for a while, in the log, to the listener, and in an event of the pod that it failed for. */
public final class BreakerReports implements Breaker.Watcher {
    private static final Logger LOG = LoggerFactory.getLogger(BreakerReports.class);

    private final ClusterWriter writer;
    private final SchedulerListener listener;

    public BreakerReports(ClusterWriter writer, SchedulerListener listener) {
        this.writer = writer;
        this.listener = listener;
    }

    @Override
    public void opened(String plugin, String reason, Optional<Pod> pod) {
        LOG.atError()
                .addKeyValue("plugin", plugin)
                .addKeyValue("reason", reason)
                .log("Plugin is suspended");
        listener.pluginSuspended(plugin, reason);
        pod.ifPresent(failed -> writer.report(new PodEvent(
                failed,
                Optional.empty(),
                PodEvent.WARNING,
                "PluginSuspended",
                "Scheduling",
                "Plugin " + plugin + " is " + reason)));
    }

    @Override
    public void closed(String plugin) {
        LOG.atInfo().addKeyValue("plugin", plugin).log("Plugin is called again");
        listener.pluginResumed(plugin);
    }
}
