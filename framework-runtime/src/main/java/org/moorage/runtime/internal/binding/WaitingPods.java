// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.binding;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.decision.PluginStatus;

/** The pods that wait for permits of plugins before they are bound. */
public final class WaitingPods implements PermitWaits, AutoCloseable {
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(15);

    private static final String STOPS = "the scheduler stops";

    private volatile boolean closed;
    private final Map<String, Waiting> byUid = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timers;

    /** Creates an instance without pods, which uses the given timers for timeouts. */
    public WaitingPods(ScheduledExecutorService timers) {
        this.timers = timers;
    }

    /**
     * Adds a pod that waits for the given plugins, each with its timeout.
     *
     * @return completed with the result: a success, a rejection, or an error if the pod was preempted
     */
    CompletableFuture<PluginStatus> add(Pod pod, Map<String, Duration> timeoutByPlugin) {
        Waiting waiting = new Waiting(pod);
        // Before the pod becomes visible, since a plugin can only allow it while its timer exists.
        waiting.startTimers(timeoutByPlugin);
        byUid.put(pod.uid(), waiting);
        if (closed) {
            waiting.reject("", STOPS);
        }
        return waiting.result.whenComplete((result, thrown) -> byUid.remove(pod.uid(), waiting));
    }

    /** Rejects all pods, also those that are added later. */
    @Override
    public void close() {
        closed = true;
        byUid.values().forEach(waiting -> waiting.reject("", STOPS));
    }

    @Override
    public Collection<WaitingPod> all() {
        return List.copyOf(byUid.values());
    }

    @Override
    public Optional<WaitingPod> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** Rejects a pod because it is gone. Has no effect if it does not wait. */
    public boolean remove(String uid) {
        Waiting waiting = byUid.get(uid);
        if (waiting == null) {
            return false;
        }
        waiting.reject("", "removed");
        return true;
    }

    private final class Waiting implements WaitingPod {
        private final Pod pod;
        // Completed by the first caller.
        private final CompletableFuture<PluginStatus> result = new CompletableFuture<>();
        private final Map<String, ScheduledFuture<?>> timerByPlugin = new LinkedHashMap<>();

        Waiting(Pod pod) {
            this.pod = pod;
        }

        synchronized void startTimers(Map<String, Duration> timeoutByPlugin) {
            timeoutByPlugin.forEach((plugin, timeout) -> {
                Duration bounded = timeout.compareTo(MAX_TIMEOUT) > 0 ? MAX_TIMEOUT : timeout;
                String message =
                        "rejected due to timeout after waiting " + GoDuration.format(bounded) + " at plugin " + plugin;
                timerByPlugin.put(
                        plugin,
                        timers.schedule(() -> reject(plugin, message), bounded.toNanos(), TimeUnit.NANOSECONDS));
            });
        }

        @Override
        public Pod pod() {
            return pod;
        }

        @Override
        public synchronized Set<String> pendingPlugins() {
            return Set.copyOf(timerByPlugin.keySet());
        }

        @Override
        public synchronized Map<String, Duration> timeLeft() {
            Map<String, Duration> left = new TreeMap<>();
            timerByPlugin.forEach((plugin, timer) ->
                    left.put(plugin, Duration.ofNanos(Math.max(0, timer.getDelay(TimeUnit.NANOSECONDS)))));
            return left;
        }

        @Override
        public void allow(String plugin) {
            boolean last;
            synchronized (this) {
                Future<?> timer = timerByPlugin.remove(plugin);
                if (timer == null) {
                    return;
                }
                timer.cancel(false);
                last = timerByPlugin.isEmpty();
            }
            if (last) {
                result.complete(PluginStatus.SUCCESS);
            }
        }

        @Override
        public void reject(String plugin, String message) {
            end(new PluginStatus(plugin, Status.unschedulable(message)));
        }

        @Override
        public boolean preempt(String plugin, String message) {
            return end(PluginStatus.error(plugin, message));
        }

        // Completed outside the monitor, since this runs the dependent stages.
        private boolean end(PluginStatus answer) {
            List<Future<?>> running;
            synchronized (this) {
                running = new ArrayList<>(timerByPlugin.values());
            }
            for (Future<?> timer : running) {
                timer.cancel(false);
            }
            return result.complete(answer);
        }
    }
}
