// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.plugin.RunningCall;
import org.moorage.runtime.internal.queue.SchedulingQueue;

/**
 * Detects plugin calls that do not return in time, by polling all threads and the holder of the queue's lock. Such a
 * call is logged with its stack and counts as a failure of the plugin. The loop abandons a cycle that is blocked by it,
 * and continues. A call under the queue's lock blocks everything, so a health check fails until the lock is released.
 */
public final class PluginCallWatch {
    private static final Log LOG = Log.of(PluginCallWatch.class);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(1);
    private static final int LOOKS = 10;

    private final Duration limit;
    private final InstantSource clock;
    private final SchedulerThreads threads;
    private final SchedulingQueue queue;
    private final SchedulingLoop loop;
    private final List<PluginCaller> plugins;
    private final Listeners listeners;
    private final AtomicBoolean started = new AtomicBoolean();

    // Used only by the thread that polls.
    private final Map<Thread, Sighting> sightings = new HashMap<>();
    private @Nullable Sighting queueSighting;

    private volatile @Nullable QueueHold queueHold;

    /** A call, or a hold of the queue's lock, and when it was first seen. */
    private static final class Sighting {
        private final long number;
        private final Instant since;
        private boolean reported;

        Sighting(long number, Instant since) {
            this.number = number;
            this.since = since;
        }
    }

    private record QueueHold(long acquisition, String message) {}

    /**
     * Creates a watch that is not started.
     *
     * @param limit how long a call may take; zero for no limit
     * @param clock measures how long a call takes
     */
    public PluginCallWatch(
            Duration limit,
            InstantSource clock,
            SchedulerThreads threads,
            SchedulingQueue queue,
            SchedulingLoop loop,
            List<PluginCaller> plugins,
            Listeners listeners) {
        this.limit = limit;
        this.clock = clock;
        this.threads = threads;
        this.queue = queue;
        this.loop = loop;
        this.plugins = plugins;
        this.listeners = listeners;
    }

    /** Starts polling, unless there is no limit. Further calls have no effect. */
    public void start() {
        if (!limit.isZero() && !started.getAndSet(true)) {
            Duration interval = limit.dividedBy(LOOKS);
            interval = interval.compareTo(LONGEST_INTERVAL) < 0 ? interval : LONGEST_INTERVAL;
            threads.every(interval.compareTo(SHORTEST_INTERVAL) > 0 ? interval : SHORTEST_INTERVAL, this::look);
        }
    }

    private void look() {
        Instant now = clock.instant();
        for (PluginThread thread : threads.alive()) {
            long call = thread.runningCall();
            Sighting seen = sightings.get(thread);
            if (call == 0) {
                sightings.remove(thread);
            } else if (seen == null || seen.number != call) {
                sightings.put(thread, new Sighting(call, now));
            } else if (isOverdue(seen, now)) {
                callIsOverdue(thread, call);
            }
        }
        sightings.keySet().removeIf(thread -> !thread.isAlive());
        lookAtQueue(now);
    }

    private boolean isOverdue(Sighting seen, Instant now) {
        if (seen.reported || now.isBefore(seen.since.plus(limit))) {
            return false;
        }
        seen.reported = true;
        return true;
    }

    private void callIsOverdue(PluginThread thread, long call) {
        StackTraceElement[] stack = thread.getStackTrace();
        // A plugin may call the queue, which calls other plugins; the thread does not record those calls.
        Optional<RunningCall> inQueue = queue.holder() == thread ? PluginCaller.queueCall(plugins) : Optional.empty();
        RunningCall running = inQueue.or(thread::call).orElse(null);
        if (running == null || thread.runningCall() != call) {
            // It has just returned.
            return;
        }
        report(running, thread, stack);
        if (queue.holder() != thread) {
            loop.abandon(thread, running.plugin(), running.failure(text()));
        }
    }

    private void lookAtQueue(Instant now) {
        Thread holder = queue.holder();
        long acquisition = queue.acquisitions();
        Sighting seen = queueSighting;
        if (holder == null) {
            queueSighting = null;
        } else if (seen == null || seen.number != acquisition) {
            queueSighting = new Sighting(acquisition, now);
        } else if (isOverdue(seen, now)) {
            StackTraceElement[] stack = holder.getStackTrace();
            RunningCall running = PluginCaller.queueCall(plugins).orElse(null);
            String who = running == null ? "thread " + holder.getName() : running.failure(text());
            queueHold = new QueueHold(acquisition, "the queue's lock is held: " + who);
            if (running != null) {
                report(running, holder, stack);
            }
        }
    }

    private String text() {
        return "did not return within " + GoDuration.format(limit);
    }

    private void report(RunningCall call, Thread thread, StackTraceElement[] stack) {
        LOG.atError()
                .addKeyValue("plugin", call.plugin())
                .addKeyValue("method", call.method())
                .addKeyValue("thread", thread.getName())
                .addKeyValue("stack", Arrays.stream(stack).map(Object::toString).collect(Collectors.joining("\n")))
                .addKeyValue("limit", GoDuration.format(limit))
                .log("Plugin did not return in time");
        listeners.on(listener ->
                listener.pluginCallOverdue(call.plugin(), call.method().toString()));
        call.caller().overdue(call.method(), text());
    }

    /** Returns the failure if a plugin holds the queue's lock for too long; empty if none does. */
    public Optional<String> queueFailure() {
        QueueHold hold = queueHold;
        return hold != null && queue.holder() != null && queue.acquisitions() == hold.acquisition
                ? Optional.of(hold.message)
                : Optional.empty();
    }
}
