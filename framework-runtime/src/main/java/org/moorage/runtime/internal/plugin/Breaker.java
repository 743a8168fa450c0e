// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;

/**
 * A circuit breaker that suspends a plugin for a while after one of its methods failed too often in a row. When the
 * time is over, calls are allowed again: a success of that method closes the breaker, and a failure opens it again. Both
 * are reported in the log and to the listeners.
 */
public final class Breaker {
    private static final Log LOG = Log.of(Breaker.class);

    /** How many failures in a row open a breaker. */
    public static final int MOST_FAILURES = 5;
    /** How long a plugin is then suspended. */
    public static final Duration OPEN_TIME = Duration.ofMinutes(1);

    private final String plugin;
    private final boolean ignores;
    private final InstantSource clock;
    private final ClusterWriter writer;
    private final Listeners listeners;
    private final AtomicIntegerArray failures = new AtomicIntegerArray(PluginMethod.values().length);
    private final AtomicReference<@Nullable Open> open = new AtomicReference<>();

    /**
     * An open breaker.
     *
     * @param method the method whose failures opened it
     * @param end when calls are allowed again
     * @param reason why the plugin is suspended, for messages
     */
    record Open(PluginMethod method, Instant end, String reason) {}

    /**
     * Creates a breaker of a plugin.
     *
     * @param plugin the plugin's name
     * @param ignores whether pods are scheduled without the plugin while it is suspended; otherwise their attempts fail
     * @param clock a monotonic clock
     * @param writer reports an event of the pod in whose attempt the plugin failed last
     * @param listeners receive that the plugin is suspended and called again
     */
    public Breaker(String plugin, boolean ignores, InstantSource clock, ClusterWriter writer, Listeners listeners) {
        this.plugin = plugin;
        this.ignores = ignores;
        this.clock = clock;
        this.writer = writer;
        this.listeners = listeners;
    }

    /** Returns whether pods are scheduled without the plugin while it is suspended. */
    boolean ignores() {
        return ignores;
    }

    /** Returns why the plugin is suspended now; null if it is not. */
    @Nullable
    Open open() {
        Open now = open.get();
        return now != null && clock.instant().isBefore(now.end) ? now : null;
    }

    /** Records that a call failed, or did not return in time. */
    void failed(PluginMethod method, String what, Optional<Pod> pod) {
        Open before = open.get();
        int inARow = failures.incrementAndGet(method.ordinal());
        boolean isOnTrial = before != null && before.method == method;
        if (inARow < MOST_FAILURES && !isOnTrial) {
            return;
        }
        Instant now = clock.instant();
        if (before != null && now.isBefore(before.end)) {
            // The call was already running when the breaker opened.
            return;
        }
        Instant end = now.plus(OPEN_TIME);
        String reason = "not called until " + end.truncatedTo(ChronoUnit.SECONDS) + ", since " + method + " failed "
                + inARow + " times in a row, last with: " + what;
        if (open.compareAndSet(before, new Open(method, end, reason))) {
            LOG.atError()
                    .addKeyValue("plugin", plugin)
                    .addKeyValue("reason", reason)
                    .log("Plugin is suspended");
            listeners.on(listener -> listener.pluginSuspended(plugin, reason));
            pod.ifPresent(suspect -> report(suspect, "Plugin " + plugin + " is " + reason));
        }
    }

    private void report(Pod pod, String note) {
        try {
            writer.report(PodEvent.warning(pod, "PluginSuspended", "Scheduling", note));
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            LOG.atError().addKeyValue("pod", pod.key()).setCause(thrown).log("Failed to report an event");
        }
    }

    /** Records that a call succeeded. */
    void succeeded(PluginMethod method) {
        if (failures.get(method.ordinal()) != 0) {
            failures.set(method.ordinal(), 0);
        }
        Open before = open.get();
        boolean isOnTrial =
                before != null && before.method == method && !clock.instant().isBefore(before.end);
        if (isOnTrial && open.compareAndSet(before, null)) {
            LOG.atInfo().addKeyValue("plugin", plugin).log("Plugin is called again");
            listeners.on(listener -> listener.pluginResumed(plugin));
        }
    }
}
