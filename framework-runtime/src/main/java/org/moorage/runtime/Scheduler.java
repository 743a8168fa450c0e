// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.moorage.api.GroupKey;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.config.ConfigException;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.debug.CacheComparison;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.HintEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.cluster.PodLookup;
import org.moorage.runtime.internal.cycle.PodEvaluation;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.internal.loop.TimedCycles;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.whatif.FrozenCluster;
import org.moorage.runtime.internal.whatif.FrozenWhatIf;
import org.moorage.runtime.internal.whatif.Given;
import org.moorage.runtime.internal.whatif.WhatIfWriter;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.whatif.WhatIf;

/**
 * Schedules the pending pods of a {@link Cluster}, one at a time.
 *
 * <pre>{@code
 * try (Scheduler scheduler = Scheduler.builder(config, registry, cluster).build()) {
 *     scheduler.start();
 *     scheduler.run();          // until close() is called, or
 *     scheduler.scheduleNext(); // one pod, or
 *     scheduler.evaluate(pod);  // evaluates a pod without scheduling it
 *     scheduler.whatIf();       // answers what-if questions on an in-memory copy
 * }
 * }</pre>
 *
 * <p>All methods may be called from any thread. {@link #start} is called once, before all others. The caller must not
 * call {@link #run} and {@link #scheduleNext} concurrently. All other methods may be called at any time, also while one
 * of these two runs.
 */
public final class Scheduler implements AutoCloseable {
    private static final Log LOG = Log.of(Scheduler.class);
    private static final Duration FLUSH_BACKOFF = Duration.ofSeconds(1);
    private static final Duration FLUSH_UNSCHEDULABLE = Duration.ofSeconds(30);

    // Deadlines of the phases of stop(), measured from its beginning. LONGEST_CLOSE limits closing the plugins.
    private static final Duration LONGEST_CYCLE = Duration.ofSeconds(2);
    private static final Duration LONGEST_BINDING = Duration.ofSeconds(4);
    private static final Duration LONGEST_REPORT = Duration.ofSeconds(5);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

    private final SchedulerAssembly parts;
    private final AtomicBoolean flushes = new AtomicBoolean();
    private final Object stopLock = new Object();

    /** The cluster at the last call of {@link #whatIf()}. */
    @GuardedBy("itself")
    private final ClusterSnapshot latest = new ClusterSnapshot();

    private volatile boolean started;

    @GuardedBy("stopLock")
    private boolean stopped;

    @GuardedBy("stopLock")
    private boolean closed;

    Scheduler(SchedulerAssembly parts) {
        this.parts = parts;
    }

    /** Returns a builder for a scheduler with a configuration, plugins and the default features. */
    public static SchedulerBuilder builder(SchedulerConfig config, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(cluster, "cluster");
        return builder(config, registry, cluster, cluster);
    }

    /**
     * Returns a builder for a scheduler that reads the cluster from a source and changes it through a writer.
     *
     * @param source closed with the scheduler
     */
    public static SchedulerBuilder builder(
            SchedulerConfig config, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        return new SchedulerBuilder(config, registry, source, writer, null);
    }

    /**
     * Returns a builder for a scheduler with a loaded configuration; problems are reported with their location in it.
     */
    public static SchedulerBuilder builder(LoadedConfig loaded, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(cluster, "cluster");
        return builder(loaded, registry, cluster, cluster);
    }

    /**
     * As {@link #builder(SchedulerConfig, PluginRegistry, ClusterSource, ClusterWriter)}, for a loaded configuration.
     */
    public static SchedulerBuilder builder(
            LoadedConfig loaded, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        Objects.requireNonNull(loaded, "loaded");
        return new SchedulerBuilder(loaded.config(), registry, source, writer, loaded);
    }

    /**
     * Lists and watches the objects of the cluster; returns when all of them are known. Called once, before all other
     * methods.
     *
     * @throws ClusterException if the objects cannot be listed
     */
    public void start() {
        parts.source.watch(parts.store.kindsToWatch(), parts.json, parts.store);
        started = true;
        if (parts.threads.areGiven()) {
            startFlushes();
        }
    }

    /**
     * Schedules pods as they arrive, until {@link #close} is called or the thread is interrupted; the interrupt status
     * stays set. The cycles run on another thread. Not for concurrent use.
     *
     * @throws Error if the virtual machine can no longer be relied on
     */
    public void run() {
        startFlushes();
        parts.loop.run();
    }

    private void startFlushes() {
        if (!flushes.getAndSet(true)) {
            parts.watch.start();
            parts.controllers.start();
            parts.threads.everyInQueue(FLUSH_BACKOFF, parts.queue::flushBackoff);
            parts.threads.everyInQueue(FLUSH_UNSCHEDULABLE, parts.queue::flushUnschedulable);
        }
    }

    /**
     * Schedules the next ready pod or group of pods, without waiting for one. Not for concurrent use, and not while
     * {@link #run} runs.
     *
     * @return the decision on the pod, or on the last pod of the group; listeners receive every decision. Empty if no
     *     pod is ready
     */
    public Optional<Decision> scheduleNext() {
        return scheduleNext(pod -> true);
    }

    /**
     * As {@link #scheduleNext()}, for the next of the selected pods; the others keep their places in the queue.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     */
    public Optional<Decision> scheduleNext(Predicate<Pod> which) {
        Objects.requireNonNull(which, "which");
        while (true) {
            Optional<QueuedEntity> queued = parts.queue.poll(which);
            if (queued.isEmpty()) {
                return Optional.empty();
            }
            Optional<Decision> decision = parts.loop.schedule(queued.get());
            if (decision.isPresent()) {
                return decision;
            }
        }
    }

    /** Returns whether {@link #scheduleNext} would schedule a pod or a group of pods now. */
    public boolean isReady() {
        return isReady(pod -> true);
    }

    /**
     * Returns whether {@link #scheduleNext(Predicate)} would schedule one of these pods or a group of them now.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     */
    public boolean isReady(Predicate<Pod> which) {
        return parts.queue.isReady(Objects.requireNonNull(which, "which"));
    }

    /**
     * Makes the pods ready whose backoff has ended by the scheduler's clock. {@link #run} does so every second; callers
     * of {@link #scheduleNext} with a virtual clock call this after advancing the clock.
     */
    public void flushBackoff() {
        parts.queue.flushBackoff();
    }

    /**
     * Returns the first instant at which {@link #flushBackoff} makes one of these pods ready.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     * @return empty if none of these pods is in backoff
     */
    public Optional<Instant> nextBackoffFlush(Predicate<Pod> which) {
        return parts.queue.nextBackoffFlush(Objects.requireNonNull(which, "which"));
    }

    /**
     * Retries the selected pods that have been unschedulable or gated for longer than {@link
     * SchedulerBuilder#maxInUnschedulable}. {@link #run} does so with all pods every 30 seconds.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     */
    public void flushUnschedulable(Predicate<Pod> which) {
        parts.queue.flushUnschedulable(Objects.requireNonNull(which, "which"));
    }

    /** Returns the unschedulable and gated pods, and when {@link #flushUnschedulable} retries them. */
    public List<PodState.Unschedulable> unschedulablePods() {
        return parts.queue.unschedulablePods();
    }

    /**
     * Evaluates a pod against every node with the plugins, without a decision or a change. The pod does not have to
     * exist in the cluster. For a pod that has a node, pass {@link Pod#withoutNode}. The plugins are those of the
     * running scheduler, with their reservations; {@link #whatIf} has separate ones, for a changed cluster.
     *
     * <p>Evaluations run concurrently with one another and with a scheduling cycle; each uses the state of the cluster
     * at its beginning.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws IllegalStateException before {@link #start}, when no objects are known
     * @throws RuntimeException if a plugin fails before PostFilter; the message names it
     */
    public Evaluation evaluate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        Profile profile = parts.profiles.of(pod);
        demandStarted();
        return parts.engines.evaluate(algorithm -> {
            algorithm.snapshot().update(parts.cache);
            return PodEvaluation.evaluate(algorithm, profile, parts.view.of(pod));
        });
    }

    /**
     * Simulates the next attempt at a group of pods: whether its pods are scheduled together, how far it gets in each
     * placement, the reasons of a failure, and the pods that would be preempted. Nothing is decided. The attempt runs
     * as in a scheduling cycle, with all pods of the group that are pending then, even those that are not ready in the
     * queue. Plugins reserve and unreserve for its pods meanwhile, so the next scheduling cycle waits for it.
     *
     * <p>May be called at any time after {@link #start}, from any thread that is not running a cycle.
     *
     * @param group a pod group or a composite pod group. If it has a parent, its topmost ancestor is tried
     * @throws IllegalStateException before {@link #start}, when no objects are known, and in a scheduling cycle or
     *     evaluation
     */
    public GroupEvaluation evaluate(GroupKey group) {
        Objects.requireNonNull(group, "group");
        demandStarted();
        return parts.engines.evaluateBetweenCycles(algorithm -> parts.groupCycle.evaluate(group, algorithm));
    }

    private void demandStarted() {
        if (!started) {
            throw new IllegalStateException(
                    "evaluate: the scheduler knows no objects yet (expected: start() before it)");
        }
    }

    /**
     * Evaluates the queueing hints for a change of an object and a pod that plugins rejected: whether the pod would be
     * retried, and which plugins request it. Nothing is changed, and neither the pod nor the object has to exist in the
     * cluster.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     */
    public HintEvaluation hints(Pod pod, ObjectChange<? extends ClusterObject> change) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(change, "change");
        Profile ignored = parts.profiles.of(pod);
        ObjectChange<ClusterObject> seen = parts.view.of(change);
        return parts.eventHandlers.hints(parts.view.of(pod), ObjectKind.of(seen.latest()), seen);
    }

    /**
     * Returns parts of scheduling cycles with the plugins of a profile, in place of {@link #run}, for another scheduler
     * that continues with the results. Called before {@link #start}; plugin calls that do not return are detected from
     * then on.
     *
     * @param profile the name of the profile
     * @param limit the time limit of each part
     * @throws IllegalArgumentException if there is no such profile
     */
    public PartialCycles partialCycles(String profile, Duration limit) {
        Objects.requireNonNull(profile, "profile");
        Objects.requireNonNull(limit, "limit");
        parts.watch.start();
        return new PartialCycles(
                parts.profiles.named(profile),
                new TimedCycles(parts.engines, parts.threads, limit, parts.settings.monotonicClock()),
                parts.cache,
                new PodLookup(parts.store.lister(ObjectKind.POD), parts.source, parts.view),
                parts.threads,
                limit);
    }

    /**
     * Returns the current cluster, including assumed pods, for what-if questions. It has the profiles of this
     * scheduler, with separate plugin instances. The cost is linear in the number of nodes and objects. It blocks the
     * scheduler only while copying what changed since the last call, and does not use it afterwards. It lacks
     * reservations of Reserve plugins for pods that are being bound, as far as no object shows them yet.
     *
     * @return to be closed
     * @throws IllegalStateException before {@link #start}, when no objects are known
     */
    public WhatIf whatIf() {
        return whatIf(false);
    }

    private WhatIf whatIf(boolean hasUnboundClaims) {
        demandStarted();
        ClusterSnapshot nodes;
        synchronized (latest) {
            // An incremental update: the cache is locked only while the changes are copied.
            parts.cache.updateSnapshot(latest);
            nodes = latest.copy();
        }
        return new FrozenWhatIf(new FrozenCluster(new FrozenCluster.State(
                parts.settings,
                parts.store.stored(),
                nodes,
                parts.nominator.nominatedPods(),
                parts.engines.nextNode(),
                hasUnboundClaims)));
    }

    /**
     * Returns a cluster with the given objects for what-if questions; it never schedules.
     *
     * @param objects as the API server would return them
     * @return to be closed
     * @throws IllegalArgumentException if two objects have the same kind, namespace and name, two pods have the same
     *     UID, or a pod has none
     * @throws ConfigException if the profiles cannot be built from the plugins; it names every problem
     */
    public static WhatIf whatIf(
            Collection<? extends ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(registry, "registry");
        ClusterSource source = ClusterSource.of(Given.objects(objects));
        try (Scheduler scheduler =
                builder(config, registry, source, new WhatIfWriter()).build()) {
            scheduler.start();
            return scheduler.whatIf(true);
        }
    }

    /** Returns the names of the profiles, which pods may use as their scheduler name. */
    public Set<String> profileNames() {
        return parts.profiles.byName().keySet();
    }

    /** Returns the current contents of the scheduler. */
    public SchedulerDump dump() {
        PodGroups groups = parts.cache.podGroups();
        return new SchedulerDump(
                parts.cache.dump(),
                parts.queue.dump(),
                parts.nominator.nominatedPods(),
                parts.waitingPods.all().stream()
                        .map(waiting -> new SchedulerDump.WaitingForPermit(waiting.pod(), waiting.timeLeft()))
                        .toList(),
                parts.podsInPreBind.all(),
                parts.uncertainBindings.waiting(),
                parts.statusPatches.uids(),
                parts.store.counts(),
                groups.podGroups(),
                groups.compositePodGroups());
    }

    /**
     * Returns where a pod is and why it is pending.
     *
     * @return empty if no pod of that name is known
     */
    public Optional<PodState> podState(String namespace, String name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        return parts.store.lister(ObjectKind.POD).get(namespace, name).map(this::podState);
    }

    private PodState podState(Pod pod) {
        Optional<PodState.Queued> queued = parts.queue.state(pod);
        Map<String, Duration> permits =
                parts.waitingPods.find(pod.uid()).map(WaitingPod::timeLeft).orElse(Map.of());
        PodState.Place place;
        if (pod.status().isTerminal()) {
            place = PodState.Place.ENDED;
        } else if (pod.isBound()) {
            place = PodState.Place.BOUND;
        } else if (!parts.isResponsible(pod)) {
            place = PodState.Place.OTHER_SCHEDULER;
        } else if (queued.isPresent()) {
            place = PodState.Place.QUEUED;
        } else if (!permits.isEmpty()) {
            place = PodState.Place.WAITING_FOR_PERMIT;
        } else {
            place = parts.queue.isInFlight(pod) || parts.cache.isAssumed(pod.uid())
                    ? PodState.Place.IN_FLIGHT
                    : PodState.Place.ELSEWHERE;
        }
        return new PodState(pod, place, queued, permits);
    }

    /** Compares the cache and the queue with the objects that the cluster has reported. */
    public CacheComparison compareCache() {
        return parts.comparer.compare();
    }

    /** Returns the current numbers of nodes, pods and events in the scheduler, for metrics. */
    public SchedulerGauges gauges() {
        return parts.queue.gauges(parts.cache.counts());
    }

    /**
     * Returns why a PreEnqueue plugin gates a pod.
     *
     * @return the status of the PreEnqueue plugin that gates the pod, an error if the plugin failed; empty if none
     *     gates it
     */
    public Optional<PluginStatus> gate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return parts.queue.gate(pod);
    }

    /** Returns the pods that wait for a permit. */
    public Collection<WaitingPod> waitingPods() {
        return parts.waitingPods.all();
    }

    /** Returns the health checks. */
    public SchedulerHealth health() {
        return () -> List.of(
                new SchedulerHealth.Check("scheduling-loop", parts.loop.failure()),
                new SchedulerHealth.Check("scheduling-queue", parts.watch.queueFailure()),
                new SchedulerHealth.Check("threads", parts.threads.fatal().map(Throwable::toString)));
    }

    /**
     * Stops within eight seconds. No new cycle begins, pods that are being bound are bound, pods that wait for a permit
     * or pause in PreBind are rejected and unreserved, and pending reports are sent. The plugins are not closed. May be
     * called at any time from any thread; further calls wait until it is done and have no effect.
     */
    public void stop() {
        synchronized (stopLock) {
            if (stopped) {
                return;
            }
            stopped = true;
            Instant begin = parts.settings.monotonicClock().instant();
            parts.queue.close();
            parts.loop.close(LONGEST_CYCLE);
            parts.waitingPods.close();
            parts.podsInPreBind.close();
            parts.threads.finishBindings(() -> left(begin, LONGEST_BINDING));
            parts.extenders.close();
            parts.threads.finishReports(() -> left(begin, LONGEST_REPORT));
            parts.threads.close();
            parts.source.close();
        }
    }

    private Duration left(Instant begin, Duration atMost) {
        return Duration.between(parts.settings.monotonicClock().instant(), begin.plus(atMost));
    }

    /** Stops and closes the plugins, within ten seconds. May be called at any time from any thread, also repeatedly. */
    @Override
    public void close() {
        stop();
        synchronized (stopLock) {
            if (!closed) {
                closed = true;
                closePlugins(parts.threads, parts.profiles.plugins());
            }
        }
    }

    // On another thread, so that a plugin that does not return cannot block the end of the process.
    private static void closePlugins(SchedulerThreads threads, List<PluginCaller> plugins) {
        Thread closing = threads.newThread("scheduler-close", () -> ProfileBuilder.closeAll(plugins), null);
        closing.start();
        try {
            closing.join(LONGEST_CLOSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            LOG.atWarn().log("Plugins do not close in time");
        }
    }
}
