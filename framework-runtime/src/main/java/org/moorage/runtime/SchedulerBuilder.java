// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.metrics.SchedulerListener;

/** A builder for a {@link Scheduler}. Not safe for use by several threads. */
public final class SchedulerBuilder {
    SchedulerConfig config;
    final PluginRegistry registry;
    final ClusterSource source;
    final ClusterWriter writer;
    private final @Nullable LoadedConfig loaded;
    private final List<SchedulerListener> listeners = new ArrayList<>();
    FeatureGates featureGates;
    InstantSource clock = InstantSource.system();
    InstantSource monotonicClock = MonotonicClock.system();
    RandomGenerator random = RandomGenerator.getDefault();
    boolean randomTies;
    int rejectedEarlyPops;
    Duration maxInUnschedulable = Duration.ofMinutes(5);
    Duration pluginCallTimeout = Duration.ofSeconds(30);
    Map<String, FailurePolicy> failurePolicies = Map.of();
    private @Nullable ScheduledExecutorService timers;
    private BiFunction<Integer, Listeners, SchedulerThreads> threads =
            (parallelism, told) -> new SchedulerThreads(parallelism, null, timers, told);

    SchedulerBuilder(
            SchedulerConfig config,
            PluginRegistry registry,
            ClusterSource source,
            ClusterWriter writer,
            @Nullable LoadedConfig loaded) {
        this.config = Objects.requireNonNull(config, "config");
        this.registry = Objects.requireNonNull(registry, "registry");
        this.source = Objects.requireNonNull(source, "source");
        this.writer = Objects.requireNonNull(writer, "writer");
        this.loaded = loaded;
        featureGates = loaded == null ? FeatureGates.DEFAULTS : loaded.featureGates();
    }

    /** Adds a listener, which is called after those that were added before. */
    public SchedulerBuilder listener(SchedulerListener added) {
        listeners.add(Objects.requireNonNull(added, "added"));
        return this;
    }

    /** Sets the feature gates; those of the loaded configuration, or the defaults, if not set. */
    public SchedulerBuilder featureGates(FeatureGates value) {
        featureGates = Objects.requireNonNull(value, "featureGates");
        return this;
    }

    /** Sets the extenders, which are called in addition to the plugins; those of the configuration if not set. */
    public SchedulerBuilder extenders(List<ExtenderConfig> value) {
        Objects.requireNonNull(value, "value");
        config = config.withExtenders(value);
        return this;
    }

    /** Sets the clock for both the time of day and durations; the system's if not set. */
    public SchedulerBuilder clock(InstantSource value) {
        clock = Objects.requireNonNull(value, "clock");
        monotonicClock = value;
        return this;
    }

    /** Sets the clock for durations, if it differs from {@link #clock}. It never goes back. */
    public SchedulerBuilder monotonicClock(InstantSource value) {
        monotonicClock = Objects.requireNonNull(value, "monotonicClock");
        return this;
    }

    /**
     * Sets the source of random numbers; one seeded by the system if not set. If it is not safe for use by several
     * threads, concurrent evaluations may draw the same numbers.
     */
    public SchedulerBuilder random(RandomGenerator value) {
        random = Objects.requireNonNull(value, "random");
        return this;
    }

    /**
     * Sets whether a pod is scheduled to a random one of its best nodes. If not set, the choice is the one that
     * kube-scheduler makes when its goroutines finish in the order of the nodes, and the same cluster gives the same
     * decisions. On a real cluster they finish in any order, which spreads pods for which all nodes score the same.
     */
    public SchedulerBuilder randomTies(boolean value) {
        randomTies = value;
        return this;
    }

    /**
     * Sets how many of the pods that are tried before the end of their backoff, since no other pod is ready, may be
     * rejected per second. If not set or 0, there is no limit, as in kube-scheduler, where only CPU time limits them.
     * The other pods wait for the end of their backoff or the next second. Ready pods and pods that are scheduled do
     * not count.
     */
    public SchedulerBuilder rejectedEarlyPops(int perSecond) {
        if (perSecond < 0) {
            throw new IllegalArgumentException("rejectedEarlyPops: " + perSecond + " (expected: zero or more)");
        }
        rejectedEarlyPops = perSecond;
        return this;
    }

    /** Sets the time after which a rejected pod is retried without an event; 5 minutes if not set. */
    public SchedulerBuilder maxInUnschedulable(Duration value) {
        maxInUnschedulable = Objects.requireNonNull(value, "maxInUnschedulable");
        return this;
    }

    /**
     * Sets the executor that binds pods, evicts victims and reports failures; the scheduler's own threads if not set.
     * With {@code Runnable::run} a pod is bound when {@link Scheduler#scheduleNext} returns. Timers and passes over
     * nodes still use the scheduler's own threads; programs that want none call {@link #executor}. The later of the two
     * calls wins.
     */
    public SchedulerBuilder bindingExecutor(Executor value) {
        Objects.requireNonNull(value, "value");
        threads = (parallelism, told) -> new SchedulerThreads(parallelism, value, timers, told);
        return this;
    }

    /**
     * Sets the executor of timers, such as time limits of permits and tasks that plugins schedule; a thread of the
     * scheduler if not set. For callers of {@link Scheduler#scheduleNext} with a virtual clock. {@link #executor} takes
     * precedence.
     */
    public SchedulerBuilder timers(ScheduledExecutorService value) {
        timers = Objects.requireNonNull(value, "timers");
        return this;
    }

    /**
     * Sets how long a call into a plugin may take while {@link Scheduler#run} runs, before it is logged and counted as
     * a failure; 30 seconds if not set, zero for no limit. Time in {@link Handle.Binding#pause} does not count.
     */
    public SchedulerBuilder pluginCallTimeout(Duration value) {
        Objects.requireNonNull(value, "value");
        if (value.isNegative()) {
            throw new IllegalArgumentException("pluginCallTimeout: " + value + " (expected: zero or more)");
        }
        pluginCallTimeout = value;
        return this;
    }

    /**
     * Sets the plugins that are skipped for a minute after one of their methods failed five times in a row, and how
     * pods are treated in the meantime; none if not set.
     *
     * @param byPlugin the policies by the names of the plugins
     */
    public SchedulerBuilder failurePolicies(Map<String, FailurePolicy> byPlugin) {
        Objects.requireNonNull(byPlugin, "byPlugin");
        failurePolicies = Map.copyOf(byPlugin);
        return this;
    }

    /**
     * Sets the executor of all work except scheduling cycles, from {@link Scheduler#start} on: timers, bindings,
     * evictions, status updates and the plugins' background tasks. The scheduler then starts no threads, and does not
     * shut the executor down. For single-threaded simulations with a virtual clock.
     *
     * @param value the executor
     * @param pauses called while a PreBind plugin pauses, to advance the time and let {@code value} do other work
     */
    public SchedulerBuilder executor(ScheduledExecutorService value, Consumer<Duration> pauses) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(pauses, "pauses");
        threads = (parallelism, told) -> new SchedulerThreads(value, pauses, told);
        return this;
    }

    /**
     * Returns a new scheduler.
     *
     * @throws ConfigException if the profiles cannot be built from the plugins; it names every problem
     */
    public Scheduler build() {
        Listeners logged = new Listeners(listeners);
        SchedulerThreads made = threads.apply(config.parallelism(), logged);
        boolean isBuilt = false;
        try {
            Scheduler scheduler = new Scheduler(new SchedulerAssembly(this, logged, made));
            isBuilt = true;
            return scheduler;
        } catch (ConfigException refused) {
            throw loaded == null ? refused : loaded.refusal(refused.problems());
        } finally {
            if (!isBuilt) {
                made.close();
            }
        }
    }
}
