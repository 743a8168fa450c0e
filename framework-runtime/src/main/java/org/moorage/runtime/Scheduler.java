// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Rejection;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.NodeAllocatableResourceClaims;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.config.ConfigException;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.config.SchedulerConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.HintEvaluation;
import org.moorage.runtime.internal.binding.AssumedPod;
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.ObjectEventHandlers;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cluster.PodEventHandlers;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.Evaluator;
import org.moorage.runtime.internal.cycle.PluginFailure;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueueObserver;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.QueuedPodInfo;
import org.moorage.runtime.internal.queue.RejectorPlugins;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.plugin.PluginRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places the waiting pods of a {@link Cluster}, one after the other.
 *
 * <pre>{@code
 * try (Scheduler scheduler = Scheduler.builder(config, registry, cluster).build()) {
 *     scheduler.start();
 *     scheduler.run();          // until close() is called, or
 *     scheduler.scheduleNext(); // one pod, or
 *     scheduler.evaluate(pod);  // only ask
 * }
 * }</pre>
 *
 * <p>{@link #run}, {@link #scheduleNext} and {@link #evaluate} exclude one another; all other methods may be called at any
 * time from any thread.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration FLUSH_BACKOFF = Duration.ofSeconds(1);
    private static final Duration FLUSH_UNSCHEDULABLE = Duration.ofSeconds(30);

    private final Cluster cluster;
    private final SchedulerListener listener;
    private final SchedulerThreads threads;
    private final boolean podJson;

    private final SchedulerCache cache = new SchedulerCache();
    private final ClusterSnapshot snapshot = new ClusterSnapshot();
    private final FeatureView view;
    private final ObjectStore store;
    private final Nominator nominator;
    private final WaitingPods waitingPods;
    private final PodsInPreBind podsInPreBind = new PodsInPreBind();
    private final Map<String, Profile> profiles;
    private final List<Plugin> plugins = new ArrayList<>();
    private final SchedulingQueue queue;
    private final SchedulingAlgorithm algorithm;
    private final SchedulingFailures failures;
    private final BindingCycle binding;
    private final ObjectEventHandlers changes;
    // Serialises cycles and evaluations, which share the snapshot.
    private final Object cycle = new Object();
    private volatile boolean closed;

    private Scheduler(Builder builder) {
        cluster = builder.cluster;
        listener = builder.listener;
        threads = new SchedulerThreads(builder.config.parallelism(), builder.bindingExecutor);
        view = new FeatureView(builder.featureGates);
        store = new ObjectStore(view, this::changed);
        ObjectLister<Pod> pods = store.lister(ObjectKind.POD);
        store.lister(ObjectKind.NODE);
        nominator = new Nominator(pods::get);
        waitingPods = new WaitingPods(threads.timers());
        ProfileHandle.Services services = new ProfileHandle.Services(
                store,
                snapshot,
                cluster,
                builder.featureGates,
                builder.clock,
                builder.random,
                threads,
                nominator,
                waitingPods,
                podsInPreBind,
                new ConcurrentHashMap<>(),
                this::profile,
                this::queue);
        ProfileBuilder.Profiles built = new ProfileBuilder(
                        builder.registry, name -> new ProfileHandle(name, services), nominator::nominatedPodsFor)
                .build(builder.config);
        profiles = built.byName();
        built.pluginsByProfile().values().forEach(plugins::addAll);
        podJson = built.needsPodJson();
        queue = new SchedulingQueue(
                built.queueSort(),
                built.queueProfiles(),
                new QueueSettings(
                        Duration.ofSeconds(builder.config.podInitialBackoffSeconds()),
                        Duration.ofSeconds(builder.config.podMaxBackoffSeconds()),
                        builder.maxInUnschedulable,
                        builder.featureGates),
                builder.clock,
                nominator,
                QueueObserver.NONE);
        algorithm = new SchedulingAlgorithm(builder.config.percentageOfNodesToScore(), threads.parallelism());
        failures = new SchedulingFailures(
                listener,
                pods,
                queue,
                nominator,
                cluster,
                builder.bindingExecutor == null ? threads.reports() : builder.bindingExecutor);
        binding = new BindingCycle(
                waitingPods,
                podsInPreBind,
                cluster,
                threads.binding(),
                builder.featureGates,
                new BindingResults(cache, queue, failures, listener));
        changes = new ObjectEventHandlers(
                new PodEventHandlers(
                        cache,
                        queue,
                        nominator,
                        waitingPods,
                        pod -> profiles.containsKey(pod.spec().schedulerName())),
                cache,
                queue,
                store);
    }

    // Plugins see the objects, whose changes move the queue, which asks the plugins; these methods close that circle.
    private <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
        changes.changed(kind, change);
    }

    private Profile profile(String name) {
        return Objects.requireNonNull(profiles.get(name), name);
    }

    private SchedulingQueue queue() {
        return queue;
    }

    /** A builder for a scheduler of that configuration, with these plugins and the features that are on by default. */
    public static Builder builder(SchedulerConfig config, PluginRegistry registry, Cluster cluster) {
        return new Builder(config, registry, cluster, null);
    }

    /** A builder for a scheduler of a configuration that was read; what is wrong with it is told with its place there. */
    public static Builder builder(LoadedConfig loaded, PluginRegistry registry, Cluster cluster) {
        return new Builder(loaded.config(), registry, cluster, loaded);
    }

    /**
     * Has the cluster tell about its objects, and returns when all of them are known. Called once, before anything else.
     *
     * @throws ClusterException if the objects cannot be had
     */
    public void start() {
        cluster.watch(store.kinds(), podJson, store);
    }

    /** Schedules pods as they come, until {@link #close} is called. */
    public void run() {
        threads.every(FLUSH_BACKOFF, queue::flushBackoff);
        threads.every(FLUSH_UNSCHEDULABLE, queue::flushUnschedulable);
        while (!closed) {
            queue.pop(POLL).ifPresent(this::scheduleGuarded);
        }
    }

    /**
     * Schedules the next pod that is ready, without waiting for one.
     *
     * @return what came of it, or empty if no pod is ready
     */
    public Optional<Decision> scheduleNext() {
        while (true) {
            Optional<QueuedPodInfo> entry = queue.poll();
            if (entry.isEmpty()) {
                return Optional.empty();
            }
            Optional<Decision> decision = scheduleGuarded(entry.get());
            if (decision.isPresent()) {
                return decision;
            }
        }
    }

    /**
     * Asks what the plugins say about a pod on every node. Nothing is decided or changed, and the pod need not be one of the
     * cluster's.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     * @throws RuntimeException if a plugin fails
     */
    public Evaluation evaluate(Pod pod) {
        Profile profile = responsible(pod);
        synchronized (cycle) {
            cache.update(snapshot);
            return Evaluator.evaluate(profile, view.of(pod), snapshot);
        }
    }

    /**
     * Asks what a change of an object means for a pod that the plugins reject: whether the pod would be tried again, and which
     * plugins say so. Nothing is changed, and neither the pod nor the object need be one of the cluster's.
     *
     * @throws IllegalArgumentException if no profile is responsible for the pod
     */
    public HintEvaluation hints(Pod pod, ObjectChange<? extends ClusterObject> change) {
        Profile ignored = responsible(pod);
        ObjectChange<ClusterObject> seen = view.of(change);
        return changes.hints(view.of(pod), ObjectKind.of(seen.latest()), seen);
    }

    private Profile responsible(Pod pod) {
        Profile profile = profiles.get(pod.spec().schedulerName());
        if (profile == null) {
            throw new IllegalArgumentException("pod " + pod.key() + ": spec.schedulerName: \""
                    + pod.spec().schedulerName() + "\" (expected: one of the profiles " + profiles.keySet() + ")");
        }
        return profile;
    }

    /** The names of the profiles: what pods may name as their scheduler. */
    public Set<String> profileNames() {
        return profiles.keySet();
    }

    /** The pods that wait for a permit. */
    public Collection<WaitingPod> waitingPods() {
        return waitingPods.all();
    }

    /** Stops. Pods that are being bound are given a moment to get there. Calling it again does no harm. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        queue.close();
        podsInPreBind.close();
        threads.close();
        cluster.close();
        for (Plugin plugin : plugins) {
            if (plugin instanceof AutoCloseable closeable) {
                closePlugin(plugin.name(), closeable);
            }
        }
    }

    private static void closePlugin(String name, AutoCloseable plugin) {
        try {
            plugin.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception thrown) {
            LOG.atWarn().addKeyValue("plugin", name).setCause(thrown).log("Plugin failed to close");
        }
    }

    // Whatever goes wrong in a cycle, the pod goes back to the queue and the loop goes on.
    private Optional<Decision> scheduleGuarded(QueuedPodInfo entry) {
        synchronized (cycle) {
            try {
                return schedule(entry);
            } catch (RuntimeException thrown) {
                LOG.atError()
                        .addKeyValue("pod", entry.pod().key())
                        .setCause(thrown)
                        .log("Error scheduling pod; retrying");
                String message = thrown.getMessage();
                return Optional.of(failures.error(entry, message == null ? thrown.toString() : message, 0));
            }
        }
    }

    private Optional<Decision> schedule(QueuedPodInfo entry) {
        Pod pod = entry.pod();
        Profile profile = profiles.get(pod.spec().schedulerName());
        if (profile == null || cache.isAssumed(pod.uid())) {
            queue.done(entry);
            return Optional.empty();
        }
        if (pod.metadata().isDeleting()) {
            failures.skipDeleting(entry);
            return Optional.empty();
        }
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Attempting to schedule pod");
        cache.update(snapshot);
        if (snapshot.nodes().isEmpty()) {
            return Optional.of(failures.unschedulable(
                    entry, "no nodes available to schedule pods", 0, RejectorPlugins.NONE, Nomination.clear()));
        }
        CycleState state = new CycleState();
        SchedulingAlgorithm.Result result;
        try {
            result = algorithm.find(profile, state, pod, snapshot);
        } catch (PluginFailure failure) {
            return Optional.of(failedBy(entry, failure));
        }
        NodeInfo node = result.node();
        if (node == null) {
            return Optional.of(unschedulable(
                    entry, profile, state, Objects.requireNonNull(result.diagnosis()), result.evaluated()));
        }
        return Optional.of(place(entry, profile, state, node, result));
    }

    private Decision failedBy(QueuedPodInfo entry, PluginFailure failure) {
        LOG.atError()
                .addKeyValue("pod", entry.pod().key())
                .addKeyValue("plugin", failure.plugin())
                .setCause(failure)
                .log("Error scheduling pod; retrying");
        return failures.error(entry, String.valueOf(failure.getMessage()), 0);
    }

    private Decision unschedulable(
            QueuedPodInfo entry, Profile profile, CycleState state, Diagnosis diagnosis, int evaluated) {
        String postFilterMessage = "";
        Nomination nomination = Nomination.keep();
        Profile.PostFiltered answer;
        try {
            answer = profile.postFilter(state, entry.pod(), diagnosis, Profile.Deeds.DONE);
            if (answer == null) {
                nomination = Nomination.clear();
            } else {
                postFilterMessage = answer.result().status().message();
                nomination = answer.result().nomination();
            }
        } catch (PluginFailure failure) {
            LOG.atError()
                    .addKeyValue("pod", entry.pod().key())
                    .addKeyValue("plugin", failure.plugin())
                    .setCause(failure)
                    .log("Status after running PostFilter plugins for pod");
            postFilterMessage = String.valueOf(failure.getMessage());
        }
        return failures.unschedulable(
                entry,
                diagnosis.message(postFilterMessage),
                evaluated,
                SchedulingFailures.rejectors(diagnosis),
                nomination);
    }

    // What an earlier attempt left in the status does not hold for this one.
    private static Pod withClaims(Pod pod, CycleState state, String nodeName) {
        List<PodStatus.NodeResourceClaim> claims =
                state.find(NodeAllocatableResourceClaims.KEY, nodeName).orElse(List.of());
        return claims.equals(pod.status().nodeResourceClaims())
                ? pod
                : pod.withStatus(
                        pod.status().toBuilder().nodeResourceClaims(claims).build());
    }

    private Decision place(
            QueuedPodInfo entry, Profile profile, CycleState state, NodeInfo node, SchedulingAlgorithm.Result result) {
        Pod pod = entry.pod();
        Pod assumed = withClaims(pod, state, node.name()).withNode(node.name());
        Decision decision = new Decision(
                pod,
                Decision.Outcome.SCHEDULED,
                node.name(),
                result.score(),
                "",
                result.evaluated(),
                result.feasible(),
                entry.attempts());
        cache.assume(assumed);
        nominator.delete(pod);
        AssumedPod candidate = new AssumedPod(entry, profile, state, assumed, decision);
        // Told before the binding begins, which may be over before begin() returns.
        listener.decided(decision);
        Rejection answer = binding.begin(candidate);
        if (answer.status().isSuccess()) {
            return decision;
        }
        cache.forget(assumed);
        listener.bindingFailed(pod, node.name(), answer.status().message());
        if (answer.status().isRejection()) {
            Diagnosis diagnosis = Diagnosis.ofChosenNode(answer);
            return failures.unschedulable(
                    entry,
                    diagnosis.message(""),
                    result.evaluated(),
                    SchedulingFailures.rejectors(diagnosis),
                    Nomination.clear());
        }
        LOG.atError()
                .addKeyValue("pod", pod.key())
                .addKeyValue("plugin", answer.plugin())
                .addKeyValue("err", answer.status().message())
                .log("Error scheduling pod; retrying");
        return failures.error(entry, answer.status().message(), result.evaluated());
    }

    /** Collects what a {@link Scheduler} is made of. */
    public static final class Builder {
        private final SchedulerConfig config;
        private final PluginRegistry registry;
        private final Cluster cluster;
        private final @Nullable LoadedConfig loaded;
        private SchedulerListener listener = SchedulerListener.NONE;
        private FeatureGates featureGates;
        private InstantSource clock = InstantSource.system();
        private RandomGenerator random = RandomGenerator.getDefault();
        private Duration maxInUnschedulable = Duration.ofMinutes(5);
        private @Nullable Executor bindingExecutor;

        private Builder(
                SchedulerConfig config, PluginRegistry registry, Cluster cluster, @Nullable LoadedConfig loaded) {
            this.config = Objects.requireNonNull(config, "config");
            this.registry = Objects.requireNonNull(registry, "registry");
            this.cluster = Objects.requireNonNull(cluster, "cluster");
            this.loaded = loaded;
            featureGates = loaded == null ? FeatureGates.DEFAULTS : loaded.featureGates();
        }

        /** Sets whom to tell what happens; nobody if not set. */
        public Builder listener(SchedulerListener value) {
            listener = Objects.requireNonNull(value, "listener");
            return this;
        }

        /** Sets which features are on; those of the configuration that was read, or the defaults, if not set. */
        public Builder featureGates(FeatureGates value) {
            featureGates = Objects.requireNonNull(value, "featureGates");
            return this;
        }

        /** Sets the clock; the system's if not set. */
        public Builder clock(InstantSource value) {
            clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /** Sets the source of chance; one seeded by the system if not set. */
        public Builder random(RandomGenerator value) {
            random = Objects.requireNonNull(value, "random");
            return this;
        }

        /** Sets after what time a rejected pod is tried again although nothing happened; 5 minutes if not set. */
        public Builder maxInUnschedulable(Duration value) {
            maxInUnschedulable = Objects.requireNonNull(value, "maxInUnschedulable");
            return this;
        }

        /**
         * Sets where pods are bound, victims evicted and failures reported; threads of the scheduler's own if not set. With {@code
         * Runnable::run} a pod is bound when {@link Scheduler#scheduleNext} returns.
         */
        public Builder bindingExecutor(Executor value) {
            bindingExecutor = Objects.requireNonNull(value, "bindingExecutor");
            return this;
        }

        /**
         * The scheduler.
         *
         * @throws ConfigException if the profiles cannot be built from the plugins; it names
         *     every problem
         */
        public Scheduler build() {
            try {
                return new Scheduler(this);
            } catch (ConfigException refused) {
                throw loaded == null ? refused : loaded.refusal(refused.problems());
            }
        }
    }
}
