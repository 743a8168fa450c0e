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
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.moorage.runtime.whatif.WhatIf;

/**
 * Places the waiting pods of a {@link Cluster}, one after the other.
 *
 * <pre>{@code
 * try (Scheduler scheduler = Scheduler.builder(config, registry, cluster).build()) {
 *     scheduler.start();
 *     scheduler.run();          // until close() is called, or
 *     scheduler.scheduleNext(); // one pod, or
 *     scheduler.evaluate(pod);  // only ask
 *     scheduler.whatIf();       // ask what would be if the cluster were another
 * }
 * }</pre>
 *
 * <p>All methods may be called from any thread. {@link #start} comes first, once; {@link #run} and {@link #scheduleNext} exclude one
 * another, which is up to the caller. All others may be called at any time, also while one of those runs.
 */
public final class Scheduler implements AutoCloseable {
    private static final Log LOG = Log.of(Scheduler.class);
    private static final Duration FLUSH_BACKOFF = Duration.ofSeconds(1);
    private static final Duration FLUSH_UNSCHEDULABLE = Duration.ofSeconds(30);

    // When each part of stopping is over at the latest, counted from its beginning.
    private static final Duration LONGEST_CYCLE = Duration.ofSeconds(2);
    private static final Duration LONGEST_BINDING = Duration.ofSeconds(4);
    private static final Duration LONGEST_REPORT = Duration.ofSeconds(5);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

    private final FrozenCluster.Settings settings;
    private final ClusterSource source;
    private final SchedulerListener listener;
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

    /** The cluster when it was last given for questions. */
    @GuardedBy("itself")
    private final ClusterSnapshot latest = new ClusterSnapshot();

    private volatile boolean started;

    @GuardedBy("stopLock")
    private boolean stopped;

    @GuardedBy("stopLock")
    private boolean closed;

    private Scheduler(Builder builder, SchedulerListener listener, SchedulerThreads threads) {
        Problems problems = Problems.collector();
        extenders = Extenders.of(
                builder.config.extenders(), this::snapshot, builder.monotonicClock, builder.metrics, problems);
        json = builder.config.keptJson(builder.registry);
        source = builder.source;
        ClusterWriter writer = builder.writer;
        this.listener = listener;
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
                listener,
                extenders,
                new ConcurrentHashMap<>(),
                this::queue,
                cache::podGroups);
        profiles = new ProfileBuilder(
                        builder.registry,
                        (name, plugin) -> caller(name, plugin, builder),
                        (profile, plugin) -> new ProfileHandle(profile, plugin, services),
                        nominator::nominatedPods,
                        builder.metrics)
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
                builder.metrics,
                (pod, failure) -> SchedulingFailures.reportEvent(writer, pod, failure.getMessage()));
        comparer = new CacheComparer(store, cache, queue, this::isResponsible, builder.featureGates);
        statusPatches = new StatusPatches(pods, cache, writer, threads.reports());
        uncertainBindings = new UncertainBindings(source, pods, threads.binding(), threads.timers());
        SchedulingFailures failures = new SchedulingFailures(
                listener,
                pods,
                queue,
                nominator,
                writer,
                statusPatches,
                builder.metrics,
                builder.featureGates::isTriedForResize);
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
                new BindingResults(cache, queue, failures, listener));
        SchedulingCycle cycle =
                new SchedulingCycle(profiles.byName(), cache, queue, nominator, binding, failures, listener);
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
                listener);
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
                builder.pluginCallTimeout, builder.monotonicClock, threads, queue, loop, profiles.plugins(), listener);
        eventHandlers = new ObjectEventHandlers(
                new PodEventHandlers(
                        cache, queue, nominator, waitingPods, podsInPreBind, this::isResponsible, builder.featureGates),
                cache,
                queue,
                store,
                builder.metrics);
    }

    // The plugins are given what calls these methods before the event handlers, the profiles and the queue are made.
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

    // Not refused: a program may leave out what its pods do not need.
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
                                new BreakerReports(builder.writer, listener)));
    }

    private SchedulingQueue queue() {
        return queue;
    }

    private Snapshot snapshot() {
        return loop.snapshot();
    }

    /** A builder for a scheduler of that configuration, with these plugins and the features that are on by default. */
    public static Builder builder(SchedulerConfig config, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(cluster, "cluster");
        return builder(config, registry, cluster, cluster);
    }

    /**
     * A builder for a scheduler that sees the cluster in one way and changes it in another.
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

    /** A builder for a scheduler of a configuration that was read; what is wrong with it is told with its place there. */
    public static Builder builder(LoadedConfig loaded, PluginRegistry registry, Cluster cluster) {
        Objects.requireNonNull(loaded, "loaded");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(cluster, "cluster");
        return builder(loaded, registry, cluster, cluster);
    }

    /** As {@link #builder(SchedulerConfig, PluginRegistry, ClusterSource, ClusterWriter)}, for a configuration that was read. */
    public static Builder builder(
            LoadedConfig loaded, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        Objects.requireNonNull(loaded, "loaded");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(writer, "writer");
        return new Builder(loaded.config(), registry, source, writer, loaded);
    }

    /**
     * Has the cluster tell about its objects, and returns when all of them are known. Called once, before anything else.
     *
     * @throws ClusterException if the objects cannot be had
     */
    public void start() {
        source.watch(store.kindsToWatch(), json, store);
        started = true;
        if (threads.areGiven()) {
            startFlushes();
        }
    }

    /**
     * Schedules pods as they come, until {@link #close} is called or the thread is interrupted, which it then still is. The
     * cycles run on another thread. For one thread at a time.
     *
     * @throws Error if the virtual machine cannot be relied on any more
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
     * Schedules the next pod or group of pods that is ready, without waiting for one. For one thread at a time, and not while {@link #run}
     * runs.
     *
     * @return what came of the pod, or of the last pod of the group; listeners are told of each. Empty if no pod is ready
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

    /** Returns whether {@link #scheduleNext} has a pod or a group of pods to try now. May be called at any time from any thread. */
    public boolean isReady() {
        return queue.isReady();
    }

    /**
     * Makes those pods ready whose backoff is over by the scheduler's clock. {@link #run} does so every second; callers of {@link
     * #scheduleNext} with a virtual clock call this when that has advanced. May be called at any time from any thread.
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
     * Retries those of these pods that have been unschedulable or gated for longer than {@link Builder#maxInUnschedulable}. {@link #run} does
     * so with all pods every 30 seconds. May be called at any time from any thread.
     *
     * @param which selects pods; a group of pods is selected if one of its pods is
     */
    public void flushUnschedulable(Predicate<Pod> which) {
        queue.flushUnschedulable(Objects.requireNonNull(which, "which"));
    }

    /** Returns the pods that wait for an event, and when {@link #flushUnschedulable} retries them. May be called at any time from any thread. */
    public List<PodState.Unschedulable> unschedulablePods() {
        return queue.unschedulablePods();
    }

    /**
     * Asks what the plugins say about a pod on every node. Nothing is decided or changed, and the pod need not be
     * one of the cluster's. Of one that has a node, ask {@link Pod#withoutNode}. What would be if the cluster were another is asked of {@link
     * #whatIf}.
     *
     * <p>May be called at any time from any thread after {@link #start}. Evaluations run beside one another and beside a scheduling
     * cycle, each over the cluster as it is when it begins, which does not change for it.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws IllegalStateException before {@link #start}, when no objects are known
     * @throws RuntimeException if a plugin fails before PostFilter; the message says which one
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
     * Asks what the next attempt at a group of pods would find: whether its pods get nodes together, how far it comes in each placement, what
     * stops it, and who would have to leave. Nothing is decided. It is tried as in a scheduling cycle, with the pods that wait by then,
     * whatever else keeps them out of the queue; since plugins reserve for its pods meanwhile, and give that back, the next scheduling cycle
     * waits for it.
     *
     * <p>May be called at any time after {@link #start}, from any thread that runs no cycle.
     *
     * @param group a pod group or a composite one. If it has a parent, it is the group above it without one that is tried
     * @throws IllegalStateException before {@link #start}, when no objects are known, and in a scheduling cycle or evaluation
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
     * Asks what a change of an object means for a pod that the plugins reject: whether the pod would be tried again, and which
     * plugins say so. Nothing is changed, and neither the pod nor the object need be one of the cluster's. May be called at any time
     * from any thread.
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
     * Parts of cycles with the plugins of a profile, in place of {@link #run}, for a scheduler elsewhere that goes on with the answers.
     * Called before {@link #start}; from then on plugins that do not return are noticed.
     *
     * @param profile the name of the profile
     * @param limit how long each part may take
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
     * The cluster as it is now, with the pods that are assumed, for questions: with the profiles of this scheduler, whose plugins are made
     * once more. It costs what a look at each node and object costs; the scheduler is held up for what has changed since the last call, and
     * is needed no more. What Reserve plugins keep for pods that are being bound, and no object says yet, is not in it.
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
            // So that the cache is held up no longer than what has changed takes.
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
     * A cluster of these objects, for questions: a scheduler that never schedules.
     *
     * @param objects as the API server would have them
     * @return to be closed
     * @throws IllegalArgumentException if two objects have one kind, namespace and name, two pods have one UID, or a pod has none
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

    /** The names of the profiles: what pods may name as their scheduler. May be called at any time from any thread. */
    public Set<String> profileNames() {
        return profiles.byName().keySet();
    }

    /** What is in the scheduler now. May be called at any time from any thread. */
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
     * Where a pod is and what it waits for. May be called at any time from any thread.
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

    /** Compares the cache and the queue with the objects that the cluster has told of. May be called at any time from any thread. */
    public CacheComparison compareCache() {
        return comparer.compare();
    }

    /** What is in the scheduler now, for metrics. May be called at any time from any thread. */
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
     * What keeps a pod out of the queue.
     *
     * @return the answer of the PreEnqueue plugin that gates the pod, an error if the plugin failed; empty if none gates it
     */
    public Optional<PluginStatus> gate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return queue.gate(pod);
    }

    /** The pods that wait for a permit. May be called at any time from any thread. */
    public Collection<WaitingPod> waitingPods() {
        return waitingPods.all();
    }

    /** The health checks. May be called at any time from any thread. */
    public SchedulerHealth health() {
        return () -> List.of(
                new SchedulerHealth.Check("scheduling-loop", loop.failure()),
                new SchedulerHealth.Check("scheduling-queue", watch.queueFailure()),
                new SchedulerHealth.Check("threads", threads.fatal().map(Throwable::toString)));
    }

    /**
     * Stops, within eight seconds: no cycle begins any more, pods that are being bound get there, pods that wait for a permit or in
     * PreBind are given back, and what there is to report is sent. The plugins are still there. May be called at any time from any
     * thread; calling it again waits until it is done and does no harm.
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

    /** Stops, and closes the plugins; ten seconds in all. May be called at any time from any thread, also again. */
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

    // On another thread: a plugin that does not return must not keep the process from ending.
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

    /** Collects what a {@link Scheduler} is made of. For one thread. */
    public static final class Builder {
        private SchedulerConfig config;
        private final PluginRegistry registry;
        private final ClusterSource source;
        private final ClusterWriter writer;
        private final @Nullable LoadedConfig loaded;
        private final List<SchedulerListener> listeners = new ArrayList<>();
        private SchedulerMetrics metrics = SchedulerMetrics.NONE;
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
        private BiFunction<Integer, SchedulerListener, SchedulerThreads> threads =
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

        /** Adds one who is told what happens, after those that were added before. */
        public Builder listener(SchedulerListener added) {
            listeners.add(Objects.requireNonNull(added, "added"));
            return this;
        }

        /** Sets whom to tell what is measured; nobody if not set. */
        public Builder metrics(SchedulerMetrics value) {
            metrics = Objects.requireNonNull(value, "metrics");
            return this;
        }

        /** Sets which features are on; those of the configuration that was read, or the defaults, if not set. */
        public Builder featureGates(FeatureGates value) {
            featureGates = Objects.requireNonNull(value, "featureGates");
            return this;
        }

        /** Sets which extenders have a say beside the plugins; those of the configuration if not set. */
        public Builder extenders(List<ExtenderConfig> value) {
            Objects.requireNonNull(value, "value");
            config = config.withExtenders(value);
            return this;
        }

        /** Sets the clock for both the time of day and all that is measured; the system's if not set. */
        public Builder clock(InstantSource value) {
            clock = Objects.requireNonNull(value, "clock");
            monotonicClock = value;
            return this;
        }

        /** Sets the clock for all that is measured, where it is another than {@link #clock}. It never goes back. */
        public Builder monotonicClock(InstantSource value) {
            monotonicClock = Objects.requireNonNull(value, "monotonicClock");
            return this;
        }

        /**
         * Sets the source of random numbers; one seeded by the system if not set. If it is not safe for use by several threads, evaluations
         * that run at once may draw the same numbers.
         */
        public Builder random(RandomGenerator value) {
            random = Objects.requireNonNull(value, "random");
            return this;
        }

        /**
         * Sets whether a pod goes to any of its best nodes, chosen at random. If not set, the choice among them is the one that
         * kube-scheduler makes as long as its goroutines finish in the order of the nodes, and the same cluster gives the same
         * decisions. On a cluster they finish in any order, which keeps pods that all nodes suit alike from going to one node.
         */
        public Builder randomTies(boolean value) {
            randomTies = value;
            return this;
        }

        /**
         * Sets how many of the pods that are tried before the end of their backoff, since no other pod is ready, may be rejected in a
         * second; any number if not set, or if 0, as with kube-scheduler, whose processor is the limit. The others wait for the end of
         * their backoff or the next second. Pods that are ready and pods that find a node do not count.
         */
        public Builder rejectedEarlyPops(int perSecond) {
            if (perSecond < 0) {
                throw new IllegalArgumentException("rejectedEarlyPops: " + perSecond + " (expected: zero or more)");
            }
            rejectedEarlyPops = perSecond;
            return this;
        }

        /** Sets after what time a rejected pod is tried again although nothing happened; 5 minutes if not set. */
        public Builder maxInUnschedulable(Duration value) {
            maxInUnschedulable = Objects.requireNonNull(value, "maxInUnschedulable");
            return this;
        }

        /**
         * Sets where pods are bound, victims evicted and failures reported; threads of the scheduler's own if not set. With {@code
         * Runnable::run} a pod is bound when {@link Scheduler#scheduleNext} returns. Timers and passes over nodes still have threads of
         * the scheduler's own; {@link #executor} is for programs that want none, and the later of the two calls counts.
         */
        public Builder bindingExecutor(Executor value) {
            Objects.requireNonNull(value, "value");
            threads = (parallelism, told) -> new SchedulerThreads(parallelism, value, timers, told);
            return this;
        }

        /**
         * Sets what runs timers, such as time limits of permits and tasks that plugins schedule; a thread of the scheduler's own if not set.
         * For callers of {@link Scheduler#scheduleNext} with a virtual clock. {@link #executor} takes precedence.
         */
        public Builder timers(ScheduledExecutorService value) {
            timers = Objects.requireNonNull(value, "timers");
            return this;
        }

        /**
         * Sets how long a call into a plugin may take while {@link Scheduler#run} runs, before it is logged and counts as a failure; 30
         * seconds if not set, zero for no limit. Pauses by {@link Handle#pause} do not count.
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
         * Sets which plugins are not called for a minute when a method of theirs failed five times in a row, and what becomes of pods
         * in the meantime; none if not set.
         *
         * @param byPlugin the policies by the names of the plugins
         */
        public Builder failurePolicies(Map<String, FailurePolicy> byPlugin) {
            Objects.requireNonNull(byPlugin, "byPlugin");
            failurePolicies = Map.copyOf(byPlugin);
            return this;
        }

        /**
         * Sets what does all work but the scheduling cycles, from {@link Scheduler#start} on: timers, bindings, evictions, status
         * updates and the plugins' background tasks. The scheduler then has no threads of its own, and does not shut it down. For
         * simulations that run on one thread, with a clock of their own.
         *
         * @param value does the work
         * @param pauses lets time pass while a PreBind plugin pauses, where {@code value} can do other work
         */
        public Builder executor(ScheduledExecutorService value, Consumer<Duration> pauses) {
            Objects.requireNonNull(value, "value");
            Objects.requireNonNull(pauses, "pauses");
            threads = (parallelism, told) -> new SchedulerThreads(value, pauses, told);
            return this;
        }

        /**
         * The scheduler.
         *
         * @throws ConfigException if the profiles cannot be built from the plugins; it names
         *     every problem
         */
        public Scheduler build() {
            SchedulerListener logged = new LoggedListeners(listeners);
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
