// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.Snapshot;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.KeptJson;
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
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.UncertainBindings;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.ChangeHandler;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.ObjectEventHandlers;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cluster.PodEventHandlers;
import org.moorage.runtime.internal.cluster.PodLookup;
import org.moorage.runtime.internal.cycle.PodEvaluation;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.loop.CycleWorkspace;
import org.moorage.runtime.internal.loop.EvaluationWorkspaces;
import org.moorage.runtime.internal.loop.PluginCallWatch;
import org.moorage.runtime.internal.loop.PodGroupCycle;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.internal.loop.SchedulingCycle;
import org.moorage.runtime.internal.loop.SchedulingLoop;
import org.moorage.runtime.internal.loop.TimedCycles;
import org.moorage.runtime.internal.plugin.Breaker;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.profile.ProfileHandle;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueueGauges;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.QueuedEntity;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.report.BindingResults;
import org.moorage.runtime.internal.report.BreakerReports;
import org.moorage.runtime.internal.report.PodGroupConditions;
import org.moorage.runtime.internal.report.PodGroupEvents;
import org.moorage.runtime.internal.report.SchedulingFailures;
import org.moorage.runtime.internal.report.StatusPatches;
import org.moorage.runtime.internal.whatif.FrozenCluster;
import org.moorage.runtime.internal.whatif.FrozenWhatIf;
import org.moorage.runtime.internal.whatif.Given;
import org.moorage.runtime.internal.whatif.WhatIfWriter;
import org.moorage.runtime.metrics.SchedulerGauges;
import org.moorage.runtime.metrics.SchedulerListener;
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

    private final FrozenCluster.Settings settings;
    private final ClusterSource source;
    private final Listeners listeners;
    private final SchedulerThreads threads;
    private final Set<KeptJson> json;
    private final Extenders extenders;

    private final SchedulerCache cache;
    private final FeatureView view;
    private final ObjectStore store;
    private final CacheComparer comparer;
    private final Nominator nominator;
    private final WaitingPods waitingPods;
    private final PodsInPreBind podsInPreBind = new PodsInPreBind();
    private final UncertainBindings uncertainBindings;
    private final StatusPatches statusPatches;
    private final ProfileBuilder.Profiles profiles;
    private final SchedulingQueue queue;
    private final SchedulingLoop loop;
    private final PluginCallWatch watch;
    private final ObjectEventHandlers eventHandlers;
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

    private Scheduler(Builder builder, Listeners listeners, SchedulerThreads threads) {
        Problems problems = Problems.collector();
        extenders =
                Extenders.of(builder.config.extenders(), this::snapshot, builder.monotonicClock, listeners, problems);
        json = builder.config.keptJson(builder.registry);
        source = builder.source;
        ClusterWriter writer = builder.writer;
        this.listeners = listeners;
        this.threads = threads;
        cache = new SchedulerCache(builder.featureGates);
        view = new FeatureView(builder.featureGates);
        settings = new FrozenCluster.Settings(
                builder.config, builder.registry, builder.featureGates, view, builder.clock, builder.monotonicClock);
        store = new ObjectStore(view, new Changes());
        ObjectLister<Pod> pods = store.lister(ObjectKind.POD);
        store.lister(ObjectKind.NODE);
        if (builder.featureGates.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
            store.lister(ObjectKind.POD_GROUP);
        }
        if (builder.featureGates.isEnabled(FeatureGates.COMPOSITE_POD_GROUP)) {
            store.lister(ObjectKind.COMPOSITE_POD_GROUP);
        }
        nominator = new Nominator(pods::get);
        waitingPods = new WaitingPods(threads.timers());
        ProfileHandle.Services services = new ProfileHandle.Services(
                store,
                this::snapshot,
                source,
                writer,
                builder.featureGates,
                builder.clock,
                builder.monotonicClock,
                builder.random,
                threads,
                nominator,
                waitingPods,
                podsInPreBind,
                listeners,
                extenders,
                new ConcurrentHashMap<>(),
                this::queue,
                cache::podGroups);
        profiles = new ProfileBuilder(
                        builder.registry,
                        (name, plugin) -> caller(name, plugin, builder),
                        (profile, plugin) -> new ProfileHandle(profile, plugin, services),
                        nominator::nominatedPods,
                        listeners)
                .build(builder.config, problems);
        logMissing(profiles.missing());
        queue = new SchedulingQueue(
                profiles.queueSort(),
                profiles.queueProfiles(),
                new QueueSettings(
                        Duration.ofSeconds(builder.config.podInitialBackoffSeconds()),
                        Duration.ofSeconds(builder.config.podMaxBackoffSeconds()),
                        builder.maxInUnschedulable,
                        builder.featureGates,
                        builder.rejectedEarlyPops),
                builder.monotonicClock,
                nominator,
                listeners,
                (pod, failure) -> SchedulingFailures.reportEvent(writer, pod, failure.getMessage()));
        comparer = new CacheComparer(store, cache, queue, this::isResponsible, builder.featureGates);
        statusPatches = new StatusPatches(pods, cache, writer, threads.reports());
        uncertainBindings = new UncertainBindings(source, pods, threads.binding(), threads.timers());
        SchedulingFailures failures = new SchedulingFailures(
                pods, queue, nominator, writer, statusPatches, listeners, builder.featureGates::isTriedForResize);
        BindingCycle binding = new BindingCycle(
                waitingPods,
                podsInPreBind,
                pods,
                writer,
                threads.binding(),
                threads.waitingBindings(),
                builder.featureGates,
                extenders,
                uncertainBindings,
                new BindingResults(cache, queue, failures, listeners));
        SchedulingCycle cycle =
                new SchedulingCycle(profiles.byName(), cache, queue, nominator, binding, failures, listeners);
        PodGroupCycle groupCycle = new PodGroupCycle(
                profiles.byName(),
                cache,
                queue,
                cycle,
                failures,
                new PodGroupConditions(writer, threads.reports()),
                new PodGroupEvents(writer),
                builder.featureGates,
                builder.randomTies ? builder.random : null,
                listeners);
        int percentage = builder.config.percentageOfNodesToScore();
        loop = new SchedulingLoop(
                threads,
                firstNode -> new CycleWorkspace(
                        percentage, firstNode, threads, extenders, builder.random, builder.randomTies),
                new EvaluationWorkspaces(() -> new CycleWorkspace(extenders, new SplittableRandom())),
                queue,
                cycle,
                groupCycle);
        watch = new PluginCallWatch(
                builder.pluginCallTimeout, builder.monotonicClock, threads, queue, loop, profiles.plugins(), listeners);
        eventHandlers = new ObjectEventHandlers(
                new PodEventHandlers(
                        cache, queue, nominator, waitingPods, podsInPreBind, this::isResponsible, builder.featureGates),
                cache,
                queue,
                store,
                listeners);
    }

    // Plugins receive the store, which calls these methods, before the event handlers, the profiles and the queue
    // exist.
    private final class Changes implements ChangeHandler {
        @Override
        public <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
            eventHandlers.changed(kind, change);
        }

        @Override
        public void availabilityChanged() {
            eventHandlers.availabilityChanged();
        }
    }

    // Not an error: a program may omit plugins that its pods do not need.
    private static void logMissing(Set<String> missing) {
        if (!missing.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("plugins", missing)
                    .log("Enabled plugins are not registered and have no part in any decision (KubeSchedulerPlugins"
                            + " has all)");
        }
    }

    private PluginCaller caller(String name, Plugin plugin, Builder builder) {
        FailurePolicy policy = builder.failurePolicies.get(name);
        return policy == null
                ? PluginCaller.of(name, plugin)
                : new PluginCaller(
                        name,
                        plugin,
                        new Breaker(
                                name,
                                policy == FailurePolicy.IGNORE,
                                builder.monotonicClock,
                                new BreakerReports(builder.writer, listeners)));
    }

    private SchedulingQueue queue() {
        return queue;
    }

    private Snapshot snapshot() {
        return loop.snapshot();
    }

    /** Returns a builder for a scheduler with a configuration, plugins and the default features. */
    public static Builder builder(SchedulerConfig config, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(cluster, "cluster");
        return builder(config, registry, cluster, cluster);
    }

    /**
     * Returns a builder for a scheduler that reads the cluster from a source and changes it through a writer.
     *
     * @param source closed with the scheduler
     */
    public static Builder builder(
            SchedulerConfig config, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(writer, "writer");
        return new Builder(config, registry, source, writer, null);
    }

    /**
     * Returns a builder for a scheduler with a loaded configuration; problems are reported with their location in it.
     */
    public static Builder builder(LoadedConfig loaded, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(loaded, "loaded");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(cluster, "cluster");
        return builder(loaded, registry, cluster, cluster);
    }

    /**
     * As {@link #builder(SchedulerConfig, PluginRegistry, ClusterSource, ClusterWriter)}, for a loaded configuration.
     */
    public static Builder builder(
            LoadedConfig loaded, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        Objects.requireNonNull(loaded, "loaded");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(writer, "writer");
        return new Builder(loaded.config(), registry, source, writer, loaded);
    }

    /**
     * Lists and watches the objects of the cluster; returns when all of them are known. Called once, before all other
     * methods.
     *
     * @throws ClusterException if the objects cannot be listed
     */
    public void start() {
        source.watch(store.kindsToWatch(), json, store);
        started = true;
        if (threads.areGiven()) {
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
        loop.run();
    }

    private void startFlushes() {
        if (!flushes.getAndSet(true)) {
            watch.start();
            threads.everyInQueue(FLUSH_BACKOFF, queue::flushBackoff);
            threads.everyInQueue(FLUSH_UNSCHEDULABLE, queue::flushUnschedulable);
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
        while (true) {
            Optional<QueuedEntity> queued = queue.poll();
            if (queued.isEmpty()) {
                return Optional.empty();
            }
            Optional<Decision> decision = loop.schedule(queued.get());
            if (decision.isPresent()) {
                return decision;
            }
        }
    }

    /**
     * Returns whether {@link #scheduleNext} would schedule a pod or a group of pods now. May be called at any time from
     * any thread.
     */
    public boolean isReady() {
        return queue.isReady();
    }

    /**
     * Makes the pods ready whose backoff has ended by the scheduler's clock. {@link #run} does so every second; callers
     * of {@link #scheduleNext} with a virtual clock call this after advancing the clock. May be called at any time from
     * any thread.
     */
    public void flushBackoff() {
        queue.flushBackoff();
    }

    /**
     * Returns the first instant at which {@link #flushBackoff} makes one of these pods ready. May be called at any time from any thread.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     * @return empty if none of these pods is in backoff
     */
    public Optional<Instant> nextBackoffFlush(Predicate<Pod> which) {
        return queue.nextBackoffFlush(Objects.requireNonNull(which, "which"));
    }

    /**
     * Retries the selected pods that have been unschedulable or gated for longer than {@link
     * Builder#maxInUnschedulable}. {@link #run} does so with all pods every 30 seconds. May be called at any time from
     * any thread.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     */
    public void flushUnschedulable(Predicate<Pod> which) {
        queue.flushUnschedulable(Objects.requireNonNull(which, "which"));
    }

    /**
     * Returns the unschedulable and gated pods, and when {@link #flushUnschedulable} retries them. May be called at any
     * time from any thread.
     */
    public List<PodState.Unschedulable> unschedulablePods() {
        return queue.unschedulablePods();
    }

    /**
     * Evaluates a pod against every node with the plugins, without a decision or a change. The pod does not have to
     * exist in the cluster. For a pod that has a node, pass {@link Pod#withoutNode}. For questions about a modified
     * cluster use {@link #whatIf}.
     *
     * <p>May be called at any time from any thread after {@link #start}. Evaluations run concurrently with one another
     * and with a scheduling cycle; each uses the state of the cluster at its beginning.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws IllegalStateException before {@link #start}, when no objects are known
     * @throws RuntimeException if a plugin fails before PostFilter; the message names it
     */
    public Evaluation evaluate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        Profile profile = responsible(pod);
        demandStarted();
        return loop.evaluate((algorithm, snapshot) -> {
            snapshot.update(cache);
            return PodEvaluation.evaluate(algorithm, profile, view.of(pod), snapshot);
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
        return loop.evaluate(group);
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
     * cluster. May be called at any time from any thread.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     */
    public HintEvaluation hints(Pod pod, ObjectChange<? extends ClusterObject> change) {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(change, "change");
        Profile ignored = responsible(pod);
        ObjectChange<ClusterObject> seen = view.of(change);
        return eventHandlers.hints(view.of(pod), ObjectKind.of(seen.latest()), seen);
    }

    private boolean isResponsible(Pod pod) {
        return profiles.byName().containsKey(pod.spec().schedulerName());
    }

    private Profile responsible(Pod pod) {
        return profiles.named(pod.spec().schedulerName(), "pod " + pod.key() + ": spec.schedulerName");
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
        watch.start();
        return new PartialCycles(
                profiles.named(profile, "profile"),
                new TimedCycles(loop, threads, limit, settings.monotonicClock()),
                cache,
                new PodLookup(store.lister(ObjectKind.POD), source, view),
                threads,
                limit);
    }

    /**
     * Returns the current cluster, including assumed pods, for what-if questions. It has the profiles of this
     * scheduler, with separate plugin instances. The cost is linear in the number of nodes and objects. It blocks the
     * scheduler only while copying what changed since the last call, and does not use it afterwards. It lacks
     * reservations of Reserve plugins for pods that are being bound, as far as no object shows them yet.
     *
     * <p>May be called at any time from any thread after {@link #start}.
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
            cache.updateSnapshot(latest);
            nodes = latest.copy();
        }
        return new FrozenWhatIf(new FrozenCluster(
                settings,
                store.stored(),
                nodes,
                nominator.nominatedPods(),
                loop.current().nextNode(),
                hasUnboundClaims));
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

    /**
     * Returns the names of the profiles, which pods may use as their scheduler name. May be called at any time from any
     * thread.
     */
    public Set<String> profileNames() {
        return profiles.byName().keySet();
    }

    /** Returns the current contents of the scheduler. May be called at any time from any thread. */
    public SchedulerDump dump() {
        PodGroups groups = cache.podGroups();
        return new SchedulerDump(
                cache.dump(),
                queue.dump(),
                nominator.nominatedPods(),
                waitingPods.all().stream()
                        .map(waiting -> new SchedulerDump.WaitingForPermit(waiting.pod(), waiting.timeLeft()))
                        .toList(),
                podsInPreBind.all(),
                uncertainBindings.waiting(),
                statusPatches.uids(),
                store.counts(),
                groups.podGroups(),
                groups.compositePodGroups());
    }

    /**
     * Returns where a pod is and why it is pending. May be called at any time from any thread.
     *
     * @return empty if no pod of that name is known
     */
    public Optional<PodState> podState(String namespace, String name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        return store.lister(ObjectKind.POD).get(namespace, name).map(this::podState);
    }

    private PodState podState(Pod pod) {
        Optional<PodState.Queued> queued = queue.state(pod);
        Map<String, Duration> permits =
                waitingPods.find(pod.uid()).map(WaitingPod::timeLeft).orElse(Map.of());
        PodState.Place place;
        if (pod.status().isTerminal()) {
            place = PodState.Place.ENDED;
        } else if (pod.isBound()) {
            place = PodState.Place.BOUND;
        } else if (!isResponsible(pod)) {
            place = PodState.Place.OTHER_SCHEDULER;
        } else if (queued.isPresent()) {
            place = PodState.Place.QUEUED;
        } else if (!permits.isEmpty()) {
            place = PodState.Place.WAITING_FOR_PERMIT;
        } else {
            place = queue.isInFlight(pod) || cache.isAssumed(pod.uid())
                    ? PodState.Place.IN_FLIGHT
                    : PodState.Place.ELSEWHERE;
        }
        return new PodState(pod, place, queued, permits);
    }

    /**
     * Compares the cache and the queue with the objects that the cluster has reported. May be called at any time from
     * any thread.
     */
    public CacheComparison compareCache() {
        return comparer.compare();
    }

    /**
     * Returns the current numbers of nodes, pods and events in the scheduler, for metrics. May be called at any time
     * from any thread.
     */
    public SchedulerGauges gauges() {
        QueueGauges pods = queue.gauges();
        SchedulerCache.Counts counts = cache.counts();
        return new SchedulerGauges(
                pods.pendingPods(),
                pods.queuedPods(),
                pods.queuedPodGroups(),
                pods.inFlightEvents(),
                pods.unschedulablePods(),
                counts.nodes(),
                counts.pods(),
                counts.assumedPods());
    }

    /**
     * Returns why a PreEnqueue plugin gates a pod.
     *
     * @return the status of the PreEnqueue plugin that gates the pod, an error if the plugin failed; empty if none
     *     gates it
     */
    public Optional<PluginStatus> gate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return queue.gate(pod);
    }

    /** Returns the pods that wait for a permit. May be called at any time from any thread. */
    public Collection<WaitingPod> waitingPods() {
        return waitingPods.all();
    }

    /** Returns the health checks. May be called at any time from any thread. */
    public SchedulerHealth health() {
        return () -> List.of(
                new SchedulerHealth.Check("scheduling-loop", loop.failure()),
                new SchedulerHealth.Check("scheduling-queue", watch.queueFailure()),
                new SchedulerHealth.Check("threads", threads.fatal().map(Throwable::toString)));
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
            Instant begin = settings.monotonicClock().instant();
            queue.close();
            loop.close(LONGEST_CYCLE);
            waitingPods.close();
            podsInPreBind.close();
            threads.finishBindings(() -> left(begin, LONGEST_BINDING));
            extenders.close();
            threads.finishReports(() -> left(begin, LONGEST_REPORT));
            threads.close();
            source.close();
        }
    }

    private Duration left(Instant begin, Duration atMost) {
        return Duration.between(settings.monotonicClock().instant(), begin.plus(atMost));
    }

    /** Stops and closes the plugins, within ten seconds. May be called at any time from any thread, also repeatedly. */
    @Override
    public void close() {
        stop();
        synchronized (stopLock) {
            if (!closed) {
                closed = true;
                closePlugins(threads, profiles.plugins());
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

    /** A builder for a {@link Scheduler}. Not safe for use by several threads. */
    public static final class Builder {
        private SchedulerConfig config;
        private final PluginRegistry registry;
        private final ClusterSource source;
        private final ClusterWriter writer;
        private final @Nullable LoadedConfig loaded;
        private final List<SchedulerListener> listeners = new ArrayList<>();
        private FeatureGates featureGates;
        private InstantSource clock = InstantSource.system();
        private InstantSource monotonicClock = MonotonicClock.system();
        private RandomGenerator random = RandomGenerator.getDefault();
        private boolean randomTies;
        private int rejectedEarlyPops;
        private Duration maxInUnschedulable = Duration.ofMinutes(5);
        private Duration pluginCallTimeout = Duration.ofSeconds(30);
        private Map<String, FailurePolicy> failurePolicies = Map.of();
        private @Nullable ScheduledExecutorService timers;
        private BiFunction<Integer, Listeners, SchedulerThreads> threads =
                (parallelism, told) -> new SchedulerThreads(parallelism, null, timers, told);

        private Builder(
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
        public Builder listener(SchedulerListener added) {
            listeners.add(Objects.requireNonNull(added, "added"));
            return this;
        }

        /** Sets the feature gates; those of the loaded configuration, or the defaults, if not set. */
        public Builder featureGates(FeatureGates value) {
            featureGates = Objects.requireNonNull(value, "featureGates");
            return this;
        }

        /** Sets the extenders, which are called in addition to the plugins; those of the configuration if not set. */
        public Builder extenders(List<ExtenderConfig> value) {
            Objects.requireNonNull(value, "value");
            config = config.withExtenders(value);
            return this;
        }

        /** Sets the clock for both the time of day and durations; the system's if not set. */
        public Builder clock(InstantSource value) {
            clock = Objects.requireNonNull(value, "clock");
            monotonicClock = value;
            return this;
        }

        /** Sets the clock for durations, if it differs from {@link #clock}. It never goes back. */
        public Builder monotonicClock(InstantSource value) {
            monotonicClock = Objects.requireNonNull(value, "monotonicClock");
            return this;
        }

        /**
         * Sets the source of random numbers; one seeded by the system if not set. If it is not safe for use by several
         * threads, concurrent evaluations may draw the same numbers.
         */
        public Builder random(RandomGenerator value) {
            random = Objects.requireNonNull(value, "random");
            return this;
        }

        /**
         * Sets whether a pod is scheduled to a random one of its best nodes. If not set, the choice is the one that
         * kube-scheduler makes when its goroutines finish in the order of the nodes, and the same cluster gives the
         * same decisions. On a real cluster they finish in any order, which spreads pods for which all nodes score the
         * same.
         */
        public Builder randomTies(boolean value) {
            randomTies = value;
            return this;
        }

        /**
         * Sets how many of the pods that are tried before the end of their backoff, since no other pod is ready, may be
         * rejected per second. If not set or 0, there is no limit, as in kube-scheduler, where only CPU time limits
         * them. The other pods wait for the end of their backoff or the next second. Ready pods and pods that are
         * scheduled do not count.
         */
        public Builder rejectedEarlyPops(int perSecond) {
            if (perSecond < 0) {
                throw new IllegalArgumentException("rejectedEarlyPops: " + perSecond + " (expected: zero or more)");
            }
            rejectedEarlyPops = perSecond;
            return this;
        }

        /** Sets the time after which a rejected pod is retried without an event; 5 minutes if not set. */
        public Builder maxInUnschedulable(Duration value) {
            maxInUnschedulable = Objects.requireNonNull(value, "maxInUnschedulable");
            return this;
        }

        /**
         * Sets the executor that binds pods, evicts victims and reports failures; the scheduler's own threads if not
         * set. With {@code Runnable::run} a pod is bound when {@link Scheduler#scheduleNext} returns. Timers and passes
         * over nodes still use the scheduler's own threads; programs that want none call {@link #executor}. The later
         * of the two calls wins.
         */
        public Builder bindingExecutor(Executor value) {
            Objects.requireNonNull(value, "value");
            threads = (parallelism, told) -> new SchedulerThreads(parallelism, value, timers, told);
            return this;
        }

        /**
         * Sets the executor of timers, such as time limits of permits and tasks that plugins schedule; a thread of the
         * scheduler if not set. For callers of {@link Scheduler#scheduleNext} with a virtual clock. {@link #executor}
         * takes precedence.
         */
        public Builder timers(ScheduledExecutorService value) {
            timers = Objects.requireNonNull(value, "timers");
            return this;
        }

        /**
         * Sets how long a call into a plugin may take while {@link Scheduler#run} runs, before it is logged and counted
         * as a failure; 30 seconds if not set, zero for no limit. Time in {@link Handle#pause} does not count.
         */
        public Builder pluginCallTimeout(Duration value) {
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
        public Builder failurePolicies(Map<String, FailurePolicy> byPlugin) {
            Objects.requireNonNull(byPlugin, "byPlugin");
            failurePolicies = Map.copyOf(byPlugin);
            return this;
        }

        /**
         * Sets the executor of all work except scheduling cycles, from {@link Scheduler#start} on: timers, bindings,
         * evictions, status updates and the plugins' background tasks. The scheduler then starts no threads, and does
         * not shut the executor down. For single-threaded simulations with a virtual clock.
         *
         * @param value the executor
         * @param pauses called while a PreBind plugin pauses, to advance the time and let {@code value} do other work
         */
        public Builder executor(ScheduledExecutorService value, Consumer<Duration> pauses) {
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
                Scheduler scheduler = new Scheduler(this, logged, made);
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
}
