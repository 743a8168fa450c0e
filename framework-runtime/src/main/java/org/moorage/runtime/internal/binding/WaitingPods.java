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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.moorage.api.Rejection;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.config.GoDuration;

/** The pods that plugins have wait before they are bound. */
public final class WaitingPods {
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);

    private final Map<String, Waiting> byUid = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timers;

    /** No pods; their time limits run on these timers. */
    public WaitingPods(ScheduledExecutorService timers) {
        this.timers = timers;
    }

    /**
     * Has a pod wait for these plugins, for each at most so long.
     *
     * @return comes true when the verdict is there: a success, a rejection, or an error if the pod was preempted
     */
    CompletableFuture<Rejection> add(Pod pod, Map<String, Duration> limitByPlugin) {
        Waiting waiting = new Waiting(pod);
        byUid.put(pod.uid(), waiting);
        waiting.startTimers(limitByPlugin);
        return waiting.verdict.whenComplete((verdict, thrown) -> byUid.remove(pod.uid(), waiting));
    }

    /** All waiting pods. */
    public Collection<WaitingPod> all() {
        return List.copyOf(byUid.values());
    }

    /** The waiting pod of that uid, or empty. */
    public Optional<WaitingPod> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** Rejects a pod because it is gone. Does nothing if it does not wait. */
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
        // Completed once; later verdicts come too late.
        private final CompletableFuture<Rejection> verdict = new CompletableFuture<>();
        private final Map<String, Future<?>> timerByPlugin = new LinkedHashMap<>();

        Waiting(Pod pod) {
            this.pod = pod;
        }

        synchronized void startTimers(Map<String, Duration> limitByPlugin) {
            limitByPlugin.forEach((plugin, limit) -> {
                Duration bounded = limit.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : limit;
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
                verdict.complete(new Rejection("", Status.success()));
            }
        }

        @Override
        public void reject(String plugin, String message) {
            end(new Rejection(plugin, Status.unschedulable(message)));
        }

        @Override
        public boolean preempt(String plugin, String message) {
            return end(new Rejection(plugin, Status.error(message)));
        }

        // Completed outside the monitor, since whoever waits for the verdict runs then.
        private boolean end(Rejection rejection) {
            List<Future<?>> running;
            synchronized (this) {
                running = new ArrayList<>(timerByPlugin.values());
            }
            for (Future<?> timer : running) {
                timer.cancel(false);
            }
            return verdict.complete(rejection);
        }
    }
}
