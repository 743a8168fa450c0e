// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.function.Function;
import org.moorage.api.Code;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.metrics.SchedulerMetrics;

/** How long an extension point and its plugins take for one pod. Serves one thread. */
public final class PluginTimes {
    private final SchedulerMetrics metrics;
    private final String profile;
    private final String point;
    private final boolean timesPlugins;
    private final long start = System.nanoTime();
    private long pluginStart;

    private PluginTimes(SchedulerMetrics metrics, String profile, String point) {
        this.metrics = metrics;
        this.profile = profile;
        this.point = point;
        timesPlugins = metrics.timesPlugins();
    }

    /** The point begins now. */
    public static PluginTimes of(Profile profile, String point) {
        return new PluginTimes(profile.metrics(), profile.name(), point);
    }

    /** A plugin's call begins. */
    public void begin() {
        if (timesPlugins) {
            pluginStart = System.nanoTime();
        }
    }

    /** The plugin's call is over. */
    public void ran(String plugin, Code status) {
        if (timesPlugins) {
            metrics.pluginRan(plugin, point, status, System.nanoTime() - pluginStart);
        }
    }

    /** Runs the point, and ends with the code of its answer. */
    public PluginStatus time(Function<PluginTimes, PluginStatus> run) {
        Code code = Code.ERROR;
        try {
            PluginStatus answer = run.apply(this);
            code = answer.status().code();
            return answer;
        } finally {
            end(code);
        }
    }

    /** The point is over. */
    public void end(Code status) {
        metrics.extensionPointRan(profile, point, status, System.nanoTime() - start);
    }
}
