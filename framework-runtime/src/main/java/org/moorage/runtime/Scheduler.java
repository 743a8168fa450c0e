// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Rejection;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceSlice;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.NodeDraft;
import org.moorage.api.plugin.NodeResourceClaims;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.PodInPreBind;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.config.ConfigException;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.config.SchedulerConfig;
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.binding.Candidate;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cluster.PodChanges;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.Evaluator;
import org.moorage.runtime.internal.cycle.PluginFailure;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.queue.NodeEvents;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.ObjectEvents;
import org.moorage.runtime.internal.queue.PluginEvents;
import org.moorage.runtime.internal.queue.QueueEntry;
import org.moorage.runtime.internal.queue.QueueObserver;
import org.moorage.runtime.internal.queue.QueueProfile;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.Rejectors;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.queue.WellKnownEvents;
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
    private final FeatureGates featureGates;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final SchedulerThreads threads;
    private final Executor reports;
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
    private final PodChanges podChanges;
    private final SchedulingAlgorithm algorithm;
    private final BindingCycle binding;
    private final Map<StateKey<?>, Object> shared = new ConcurrentHashMap<>();
    // Serialises cycles and evaluations, which share the snapshot.
    private final Object cycle = new Object();
    private volatile boolean closed;

    private Scheduler(Builder builder) {
        cluster = builder.cluster;
        listener = builder.listener;
        featureGates = builder.featureGates;
        clock = builder.clock;
        random = builder.random;
        threads = new SchedulerThreads(builder.config.parallelism(), builder.bindingExecutor);
        reports = builder.bindingExecutor == null ? threads.reports() : builder.bindingExecutor;
        view = new FeatureView(featureGates);
        store = new ObjectStore(view, this::changed);
        ObjectLister<Pod> pods = store.lister(ObjectKind.POD);
        store.lister(ObjectKind.NODE);
        nominator = new Nominator(pods::get);
        waitingPods = new WaitingPods(threads.timers());
        ProfileBuilder.Profiles built = new ProfileBuilder(
                        builder.registry, ProfileHandle::new, nominator::nominatedPodsFor)
                .build(builder.config);
        profiles = built.byName();
        built.pluginsByProfile().values().forEach(plugins::addAll);
        podJson = built.needsPodJson();
        queue = new SchedulingQueue(
                queueSort(profiles),
                queueProfiles(built),
                new QueueSettings(
                        Duration.ofSeconds(builder.config.podInitialBackoffSeconds()),
                        Duration.ofSeconds(builder.config.podMaxBackoffSeconds()),
                        builder.maxInUnschedulable,
                        builder.featureGates),
                clock,
                nominator,
                QueueObserver.NONE);
        podChanges = new PodChanges(
                cache,
                queue,
                nominator,
                waitingPods,
                pod -> profiles.containsKey(pod.spec().schedulerName()));
        algorithm = new SchedulingAlgorithm(builder.config.percentageOfNodesToScore(), threads.parallelism());
        binding = new BindingCycle(
                waitingPods, podsInPreBind, cluster, threads.binding(), featureGates, new BindingOutcome());
    }

    private static QueueSortPlugin queueSort(Map<String, Profile> profiles) {
        return profiles.values()
                .iterator()
                .next()
                .at(ExtensionPoint.QUEUE_SORT, QueueSortPlugin.class)
                .get(0);
    }

    private static Map<String, QueueProfile> queueProfiles(ProfileBuilder.Profiles built) {
        Map<String, QueueProfile> all = new LinkedHashMap<>();
        for (Profile profile : built.byName().values()) {
            List<PluginEvents> events = new ArrayList<>();
            for (Plugin plugin : built.pluginsByProfile().getOrDefault(profile.name(), List.of())) {
                events.add(PluginEvents.of(plugin));
            }
            all.put(
                    profile.name(),
                    new QueueProfile(profile.at(ExtensionPoint.PRE_ENQUEUE, PreEnqueuePlugin.class), events));
        }
        return all;
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
        ScheduledExecutorService timers = threads.timers();
        every(timers, FLUSH_BACKOFF, queue::flushBackoff);
        every(timers, FLUSH_UNSCHEDULABLE, queue::flushUnschedulable);
        while (!closed) {
            queue.pop(POLL).ifPresent(this::scheduleGuarded);
        }
    }

    private static void every(ScheduledExecutorService timers, Duration period, Runnable task) {
        ScheduledFuture<?> ignored = timers.scheduleAtFixedRate(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException thrown) {
                        LOG.atError().setCause(thrown).log("Timer task failed");
                    }
                },
                period.toMillis(),
                period.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Schedules the next pod that is ready, without waiting for one.
     *
     * @return what came of it, or empty if no pod is ready
     */
    public Optional<Decision> scheduleNext() {
        while (true) {
            Optional<QueueEntry> entry = queue.poll();
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
        Profile profile = profiles.get(pod.spec().schedulerName());
        if (profile == null) {
            throw new IllegalArgumentException("pod " + pod.key() + ": spec.schedulerName: \""
                    + pod.spec().schedulerName() + "\" (expected: one of the profiles " + profiles.keySet() + ")");
        }
        synchronized (cycle) {
            cache.update(snapshot);
            return Evaluator.evaluate(profile, view.of(pod), snapshot);
        }
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
    private Optional<Decision> scheduleGuarded(QueueEntry entry) {
        synchronized (cycle) {
            try {
                return schedule(entry);
            } catch (RuntimeException thrown) {
                LOG.atError()
                        .addKeyValue("pod", entry.pod().key())
                        .setCause(thrown)
                        .log("Error scheduling pod; retrying");
                String message = thrown.getMessage();
                return Optional.of(
                        fail(entry, Decision.Outcome.ERROR, message == null ? thrown.toString() : message, 0));
            }
        }
    }

    private Optional<Decision> schedule(QueueEntry entry) {
        Pod pod = entry.pod();
        Profile profile = profiles.get(pod.spec().schedulerName());
        if (profile == null || cache.isAssumed(pod.uid())) {
            queue.done(entry);
            return Optional.empty();
        }
        if (pod.metadata().isDeleting()) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Skip schedule deleting pod");
            report(pod, PodEvent.WARNING, "FailedScheduling", "skip schedule deleting pod: " + pod.key());
            queue.done(entry);
            return Optional.empty();
        }
        LOG.atDebug().addKeyValue("pod", pod.key()).log("Attempting to schedule pod");
        cache.update(snapshot);
        if (snapshot.nodes().isEmpty()) {
            return Optional.of(fail(
                    entry,
                    Decision.Outcome.UNSCHEDULABLE,
                    "no nodes available to schedule pods",
                    0,
                    Rejectors.NONE,
                    Nomination.CLEAR));
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

    private Decision failedBy(QueueEntry entry, PluginFailure failure) {
        LOG.atError()
                .addKeyValue("pod", entry.pod().key())
                .addKeyValue("plugin", failure.plugin())
                .setCause(failure)
                .log("Error scheduling pod; retrying");
        return fail(entry, Decision.Outcome.ERROR, String.valueOf(failure.getMessage()), 0);
    }

    private Decision unschedulable(
            QueueEntry entry, Profile profile, CycleState state, Diagnosis diagnosis, int evaluated) {
        String postFilterMessage = "";
        Nomination nomination = Nomination.KEEP;
        Profile.PostFiltered answer;
        try {
            answer = profile.postFilter(state, entry.pod(), diagnosis, Profile.Deeds.DONE);
            if (answer == null) {
                nomination = Nomination.CLEAR;
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
        return fail(
                entry,
                Decision.Outcome.UNSCHEDULABLE,
                diagnosis.message(postFilterMessage),
                evaluated,
                rejectors(diagnosis),
                nomination);
    }

    private static Rejectors rejectors(Diagnosis diagnosis) {
        return new Rejectors(diagnosis.unschedulablePlugins(), diagnosis.pendingPlugins());
    }

    // What an earlier attempt left in the status does not hold for this one.
    private static Pod withClaims(Pod pod, CycleState state, String nodeName) {
        List<PodStatus.NodeResourceClaim> claims = state.find(NodeResourceClaims.KEY)
                .map(found -> found.on(nodeName))
                .orElse(List.of());
        return claims.equals(pod.status().nodeResourceClaims())
                ? pod
                : pod.withStatus(
                        pod.status().toBuilder().nodeResourceClaims(claims).build());
    }

    private Decision place(
            QueueEntry entry, Profile profile, CycleState state, NodeInfo node, SchedulingAlgorithm.Result result) {
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
        Candidate candidate = new Candidate(entry, profile, state, assumed, decision);
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
            return fail(
                    entry,
                    Decision.Outcome.UNSCHEDULABLE,
                    diagnosis.message(""),
                    result.evaluated(),
                    rejectors(diagnosis),
                    Nomination.CLEAR);
        }
        LOG.atError()
                .addKeyValue("pod", pod.key())
                .addKeyValue("plugin", answer.plugin())
                .addKeyValue("err", answer.status().message())
                .log("Error scheduling pod; retrying");
        return fail(entry, Decision.Outcome.ERROR, answer.status().message(), result.evaluated());
    }

    private Decision fail(QueueEntry entry, Decision.Outcome outcome, String message, int evaluated) {
        return fail(entry, outcome, message, evaluated, Rejectors.NONE, Nomination.CLEAR);
    }

    // Puts the pod back into the queue as it is by now, and tells the cluster why.
    private Decision fail(
            QueueEntry entry,
            Decision.Outcome outcome,
            String message,
            int evaluated,
            Rejectors rejectors,
            Nomination nomination) {
        Pod pod = entry.pod();
        Decision decision = new Decision(pod, outcome, "", 0, message, evaluated, 0, entry.attempts());
        listener.decided(decision);
        Optional<Pod> current = store.lister(ObjectKind.POD).get(pod.namespace(), pod.name());
        if (current.isEmpty() || current.get().isBound() || !current.get().uid().equals(pod.uid())) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("Pod is gone or has a node by now; not queued again");
            queue.done(entry);
            return decision;
        }
        queue.requeue(entry, current.get(), rejectors);
        nominator.add(current.get(), nomination);
        String reason = outcome == Decision.Outcome.UNSCHEDULABLE ? "Unschedulable" : "SchedulerError";
        reports.execute(() -> reportFailure(current.get(), reason, message, nomination));
        return decision;
    }

    private void reportFailure(Pod pod, String reason, String message, Nomination nomination) {
        report(pod, PodEvent.WARNING, "FailedScheduling", message);
        PodCondition condition = new PodCondition(
                PodCondition.POD_SCHEDULED,
                "False",
                reason,
                message,
                pod.metadata().generation());
        boolean same = pod.status().condition(PodCondition.POD_SCHEDULED).equals(Optional.of(condition));
        boolean renominated = nomination instanceof Nomination.To to
                && !to.nodeName().equals(pod.status().nominatedNodeName());
        if (same && !renominated) {
            // Written again, it would come back as an update of the pod.
            return;
        }
        try {
            cluster.patchStatus(
                    pod, same ? Optional.empty() : Optional.of(condition), renominated ? nomination : Nomination.KEEP);
        } catch (ClusterException thrown) {
            if (!thrown.isNotFound()) {
                LOG.atError().addKeyValue("pod", pod.key()).setCause(thrown).log("Error updating pod");
            }
        }
    }

    private void report(Pod pod, String type, String reason, String note) {
        cluster.report(new PodEvent(pod, Optional.empty(), type, reason, "Scheduling", note));
    }

    /** What follows the end of a binding cycle. */
    private final class BindingOutcome implements BindingCycle.Outcome {
        @Override
        public void permitted(Candidate candidate) {
            queue.done(candidate.entry());
        }

        @Override
        public void bound(Candidate candidate) {
            listener.bound(candidate.pod(), candidate.pod().nodeName(), candidate.decision());
        }

        @Override
        public void refused(Candidate candidate, Rejection why) {
            Diagnosis diagnosis = Diagnosis.ofChosenNode(why);
            rejected(candidate, why, diagnosis.message(""), rejectors(diagnosis));
        }

        @Override
        public void failed(Candidate candidate, Rejection why) {
            if (why.status().isRejection()) {
                // The plugin said no too late for events to bring the pod back, so it backs off as after a failure.
                rejected(candidate, why, why.status().message(), Rejectors.NONE);
                return;
            }
            Pod pod = candidate.pod();
            boolean forgotten = forget(pod);
            listener.bindingFailed(pod, pod.nodeName(), why.status().message());
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", pod.nodeName())
                    .addKeyValue("err", why.status().message())
                    .log("Error scheduling pod; retrying");
            if (forgotten) {
                queue.moved(WellKnownEvents.ASSIGNED_POD_DELETE, ObjectChange.deleted(pod));
            }
            fail(candidate.entry(), Decision.Outcome.ERROR, why.status().message(), 0);
        }

        private void rejected(Candidate candidate, Rejection why, String message, Rejectors rejectors) {
            Pod pod = candidate.pod();
            boolean forgotten = forget(pod);
            listener.bindingFailed(pod, pod.nodeName(), why.status().message());
            fail(candidate.entry(), Decision.Outcome.UNSCHEDULABLE, message, 0, rejectors, Nomination.CLEAR);
            if (forgotten) {
                // Only now, and not for the pod itself: its own leaving must not wake it.
                queue.moved(
                        WellKnownEvents.ASSIGNED_POD_DELETE,
                        ObjectChange.deleted(pod),
                        other -> !other.uid().equals(pod.uid()));
            }
        }

        private boolean forget(Pod pod) {
            try {
                cache.forget(pod);
                return true;
            } catch (IllegalStateException confirmed) {
                LOG.atError().addKeyValue("pod", pod.key()).setCause(confirmed).log("Failed to forget pod");
                return false;
            }
        }
    }

    private <T extends ClusterObject> void changed(ObjectKind<T> kind, ObjectChange<T> change) {
        if (kind.equals(ObjectKind.POD)) {
            podChanges.changed(change.as(Pod.class));
        } else if (kind.equals(ObjectKind.NODE)) {
            nodeChanged(change.as(Node.class));
        } else if (kind.equals(ObjectKind.DEVICE_TAINT_RULE)) {
            taintRuleChanged(change.as(DeviceTaintRule.class));
        } else {
            queue.moved(ObjectEvents.of(kind, change), change);
        }
    }

    // As for kube-scheduler's plugins, what changes with a rule is the slices of the devices that it taints.
    private void taintRuleChanged(ObjectChange<DeviceTaintRule> change) {
        ClusterEvent event = ClusterEvent.of(EventResource.RESOURCE_SLICE, ActionType.UPDATE);
        for (ResourceSlice slice : store.lister(ObjectKind.RESOURCE_SLICE).all()) {
            ResourceSlice before = tainted(slice, change.before());
            ResourceSlice after = tainted(slice, change.after());
            if (!before.equals(after)) {
                queue.moved(event, ObjectChange.updated(before, after));
            }
        }
    }

    private static ResourceSlice tainted(ResourceSlice slice, Optional<DeviceTaintRule> rule) {
        return DeviceTaintRule.applied(rule.map(List::of).orElse(List.of()), slice);
    }

    private void nodeChanged(ObjectChange<Node> change) {
        Node before = change.before().orElse(null);
        Node after = change.after().orElse(null);
        if (after == null) {
            cache.removeNode(change.latest().name());
            queue.moved(WellKnownEvents.NODE_DELETE, change);
            return;
        }
        cache.putNode(after);
        if (before == null) {
            queue.moved(WellKnownEvents.NODE_ADD, change);
            return;
        }
        for (ClusterEvent event : NodeEvents.of(before, after)) {
            queue.moved(event, change);
        }
    }

    /** What the plugins of one profile may ask. */
    private final class ProfileHandle implements Handle {
        private final String profileName;

        ProfileHandle(String profileName) {
            this.profileName = profileName;
        }

        private Profile profile() {
            return Objects.requireNonNull(profiles.get(profileName));
        }

        @Override
        public String profileName() {
            return profileName;
        }

        @Override
        public Snapshot snapshot() {
            return snapshot;
        }

        @Override
        public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind) {
            return store.lister(kind);
        }

        @Override
        public ClusterWriter writer() {
            return cluster;
        }

        @Override
        @SuppressWarnings("unchecked") // what is stored under a key has the key's type
        public <T> T shared(StateKey<T> key, Supplier<T> make) {
            return (T) shared.computeIfAbsent(key, any -> Objects.requireNonNull(make.get(), key.toString()));
        }

        @Override
        public FeatureGates featureGates() {
            return featureGates;
        }

        @Override
        public Executor background() {
            return threads.binding();
        }

        @Override
        public InstantSource clock() {
            return clock;
        }

        @Override
        public void pause(Pod pod, Duration time) {
            podsInPreBind.pause(pod, threads.pause(time));
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public Collection<WaitingPod> waitingPods() {
            return waitingPods.all();
        }

        @Override
        public Optional<WaitingPod> waitingPod(String uid) {
            return waitingPods.find(uid);
        }

        @Override
        public Optional<PodInPreBind> podInPreBind(String uid) {
            return podsInPreBind.find(uid);
        }

        @Override
        public void activate(Collection<Pod> pods) {
            queue.activate(pods);
        }

        @Override
        public List<Pod> nominatedPods(String nodeName) {
            return nominator.nominatedPodsFor(nodeName);
        }

        @Override
        public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
            return profile().filterWithNominatedPods(state, pod, node);
        }

        @Override
        public NodeDraft draft(CycleState state, Pod pod, NodeInfo node) {
            return profile().draft(state, pod, node);
        }
    }

    /** Collects what a {@link Scheduler} is made of. */
    public static final class Builder {
        private final SchedulerConfig config;
        private final PluginRegistry registry;
        private final Cluster cluster;
        private final @Nullable LoadedConfig loaded;
        private SchedulerListener listener = SchedulerListener.NONE;
        private final FeatureGates featureGates;
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
