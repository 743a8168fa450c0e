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

/**
 * A circuit breaker that suspends a plugin for a while after one of its methods failed too often in a row. When the
 * time is over, calls are allowed again: a success of that method closes the breaker, and a failure opens it again.
 */
public final class Breaker {
    /** How many failures in a row open a breaker. */
    public static final int MOST_FAILURES = 5;
    /** How long a plugin is then suspended. */
    public static final Duration OPEN_TIME = Duration.ofMinutes(1);

    private final String plugin;
    private final boolean ignores;
    private final InstantSource clock;
    private final Watcher watcher;
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

    /** Receives the opening and closing of breakers. */
    public interface Watcher {
        /**
         * The plugin is suspended for a while.
         *
         * @param pod the pod in whose attempt it failed last, if it was in one
         */
        void opened(String plugin, String reason, Optional<Pod> pod);

        /** The plugin is called again. */
        void closed(String plugin);
    }

    /**
     * Creates a breaker of a plugin.
     *
     * @param plugin the plugin's name
     * @param ignores whether pods are scheduled without the plugin while it is suspended; otherwise their attempts fail
     * @param clock a monotonic clock
     */
    public Breaker(String plugin, boolean ignores, InstantSource clock, Watcher watcher) {
        this.plugin = plugin;
        this.ignores = ignores;
        this.clock = clock;
        this.watcher = watcher;
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
            watcher.opened(plugin, reason, pod);
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
            watcher.closed(plugin);
        }
    }
}
