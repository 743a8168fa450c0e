// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** Calls the plugins that are controllers for the objects that they add to their queues, and retries failed calls. */
public final class PluginControllers {
    private static final Log LOG = Log.of(PluginControllers.class);
    /** The calls of one plugin at a time, so that plugins that block leave threads to others. */
    private static final int MOST_CALLS = 4;
    /** The time between two calls for an object, so that many changes of one object cause few requests. */
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(1);

    private final List<ObjectQueue> queues = new ArrayList<>();
    private final ClusterSource source;
    private final SchedulerThreads threads;
    private final Listeners listeners;
    private final AtomicBoolean started = new AtomicBoolean();

    /**
     * Creates the queues of the plugins that are controllers, and calls nothing yet.
     *
     * @param plugins the plugins of all profiles; the first of a name is called
     * @param source lists pods that have ended
     */
    public PluginControllers(
            List<PluginCaller> plugins, ClusterSource source, SchedulerThreads threads, Listeners listeners) {
        this.source = source;
        this.threads = threads;
        this.listeners = listeners;
        Map<String, PluginCaller> byName = new LinkedHashMap<>();
        for (PluginCaller plugin : plugins) {
            if (plugin.plugin() instanceof ControllerPlugin) {
                byName.putIfAbsent(plugin.name(), plugin);
            }
        }
        byName.values().forEach(plugin -> queues.add(new ObjectQueue(plugin)));
    }

    /** Starts the controllers. Further calls have no effect. */
    public void start() {
        if (!started.getAndSet(true)) {
            queues.forEach(queue -> queue.execute(queue::start));
        }
    }

    private record ObjectName(String kind, String namespace, String name) {
        @Override
        public String toString() {
            return kind + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
        }
    }

    /** The state of an object from its first request until an interval without requests has passed. */
    private static final class Progress {
        boolean isRequested;
        /** The time until the next call after a failure. */
        Duration retryInterval = INTERVAL;
    }

    /** The objects of one plugin. */
    private final class ObjectQueue implements ControllerPlugin.Context {
        private final PluginCaller plugin;

        @GuardedBy("this")
        private final Map<ObjectName, Progress> progressByObject = new HashMap<>();

        @GuardedBy("this")
        private final Deque<ObjectName> ready = new ArrayDeque<>();

        @GuardedBy("this")
        private int calls;

        ObjectQueue(PluginCaller plugin) {
            this.plugin = plugin;
        }

        void start() {
            try {
                plugin.startController(this);
                LOG.atInfo().addKeyValue("plugin", plugin.name()).log("Started the controller");
            } catch (PluginFailure failed) {
                LOG.atError()
                        .addKeyValue("plugin", plugin.name())
                        .setCause(failed)
                        .log("The controller cannot start");
                listeners.on(listener -> listener.reconciled(plugin.name(), false));
            }
        }

        @Override
        public void add(String kind, String namespace, String name) {
            ObjectName object = new ObjectName(
                    Objects.requireNonNull(kind, "kind"),
                    Objects.requireNonNull(namespace, "namespace"),
                    Objects.requireNonNull(name, "name"));
            synchronized (this) {
                Progress known = progressByObject.get(object);
                if (known != null) {
                    known.isRequested = true;
                    return;
                }
                progressByObject.put(object, new Progress());
                ready.add(object);
            }
            callNext();
        }

        @Override
        public List<Pod> endedPods(String label, String value) {
            return source.endedPods(Objects.requireNonNull(label, "label"), Objects.requireNonNull(value, "value"));
        }

        private void callNext() {
            synchronized (this) {
                if (calls == MOST_CALLS || ready.isEmpty()) {
                    return;
                }
                calls++;
            }
            execute(this::callAll);
        }

        private void callAll() {
            while (true) {
                ObjectName object;
                synchronized (this) {
                    object = ready.poll();
                    if (object == null) {
                        calls--;
                        return;
                    }
                    progress(object).isRequested = false;
                }
                boolean succeeded = false;
                try {
                    succeeded = call(object);
                } finally {
                    called(object, succeeded);
                }
            }
        }

        private boolean call(ObjectName object) {
            try {
                plugin.reconcile(object.kind(), object.namespace(), object.name());
            } catch (PluginFailure failed) {
                LOG.atWarn()
                        .addKeyValue("plugin", plugin.name())
                        .addKeyValue("object", object)
                        .addKeyValue("err", failed.what())
                        .log("The controller failed, and retries");
                listeners.on(listener -> listener.reconciled(plugin.name(), false));
                return false;
            }
            listeners.on(listener -> listener.reconciled(plugin.name(), true));
            return true;
        }

        private void called(ObjectName object, boolean succeeded) {
            Duration interval;
            synchronized (this) {
                Progress progress = progress(object);
                progress.isRequested |= !succeeded;
                interval = succeeded ? INTERVAL : progress.retryInterval;
                progress.retryInterval = succeeded ? INTERVAL : longer(interval);
            }
            try {
                ScheduledFuture<?> ignored =
                        threads.timers().schedule(() -> rested(object), interval.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException stopping) {
                // The next leader reconciles all objects.
            }
        }

        private static Duration longer(Duration interval) {
            Duration doubled = interval.multipliedBy(2);
            return doubled.compareTo(LONGEST_INTERVAL) < 0 ? doubled : LONGEST_INTERVAL;
        }

        private void rested(ObjectName object) {
            synchronized (this) {
                if (!progress(object).isRequested) {
                    progressByObject.remove(object);
                    return;
                }
                ready.add(object);
            }
            callNext();
        }

        @GuardedBy("this")
        private Progress progress(ObjectName object) {
            return Objects.requireNonNull(progressByObject.get(object));
        }

        private void execute(Runnable task) {
            try {
                threads.background().execute(task);
            } catch (RejectedExecutionException stopping) {
                // The next leader reconciles all objects.
            }
        }
    }
}
