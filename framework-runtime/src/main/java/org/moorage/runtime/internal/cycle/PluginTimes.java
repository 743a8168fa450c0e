// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

    /** Runs the point, and ends with the code of its answer, or as an error if it throws. */
    public PluginStatus time(Function<PluginTimes, PluginStatus> run) {
        return time(run, answer -> answer.status().code());
    }

    /** Runs the point, which is a success unless it throws. */
    public void run(Consumer<PluginTimes> run) {
        Boolean ignored = time(
                times -> {
                    run.accept(times);
                    return true;
                },
                done -> Code.SUCCESS);
    }

    /** As {@link #time(Function)}, for answers of other types. */
    public <T extends @Nullable Object> T time(Function<PluginTimes, T> run, Function<T, Code> codeOf) {
        Code code = Code.ERROR;
        try {
            T answer = run.apply(this);
            code = codeOf.apply(answer);
            return answer;
        } finally {
            metrics.extensionPointRan(profile, point, code, System.nanoTime() - start);
        }
    }
}
