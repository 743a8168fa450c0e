// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.profile;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.plugin.PodInPreBind;
import org.moorage.api.plugin.Trial;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.internal.binding.PermitWaits;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cycle.PodAttempt;
import org.moorage.runtime.internal.cycle.SnapshotTrial;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.internal.plugin.PluginThread;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.PodActivation;

/** The handle of a plugin of a profile, and all groups of its methods. */
public final class ProfileHandle
        implements Handle, Handle.Cluster, Handle.Queue, Handle.Binding, Handle.Preemption, Handle.Tasks {
    private static final Log LOG = Log.of(ProfileHandle.class);

    private static final Duration FIRST_READ_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_READ_WAIT = Duration.ofSeconds(5);
    private static final Duration MOST_READ_WAITS = Duration.ofMinutes(1);

    private final String profileName;
    private final String plugin;
    private final PluginLogger logger;
    private final Services services;

    /**
     * The services behind the handles of all profiles.
     *
     * @param store the objects of the cluster
     * @param snapshot returns the nodes of the cycle; throws if no cycle runs
     * @param source reads single objects
     * @param writer changes the cluster
     * @param featureGates the enabled features
     * @param clock the time of day
     * @param monotonicClock measures durations
     * @param random the source of random numbers
     * @param threads run background work
     * @param nominator the nominated pods and their nodes
     * @param waitingPods the pods that wait for a permit
     * @param podsInPreBind the pods that PreBind plugins work on
     * @param listeners receive the failures of background tasks
     * @param extenders the extenders, in addition to the plugins
     * @param shared the values that plugins share with one another, by key; several threads may change the map
     * @param queue the pending pods, once the queue is built
     * @param podGroups the current groups of pods
     */
    public record Services(
            ObjectStore store,
            Supplier<Snapshot> snapshot,
            ClusterSource source,
            ClusterWriter writer,
            FeatureGates featureGates,
            InstantSource clock,
            InstantSource monotonicClock,
            RandomGenerator random,
            SchedulerThreads threads,
            Nominator nominator,
            PermitWaits waitingPods,
            PodsInPreBind podsInPreBind,
            Listeners listeners,
            Extenders extenders,
            Map<StateKey<?>, Object> shared,
            Supplier<? extends PodActivation> queue,
            Supplier<? extends PodGroupLister> podGroups) {}

    public ProfileHandle(String profileName, String plugin, Services services) {
        this.profileName = profileName;
        this.plugin = plugin;
        logger = new PluginLog(plugin);
        this.services = services;
    }

    @Override
    public String profileName() {
        return profileName;
    }

    @Override
    public Snapshot snapshot() {
        return services.snapshot().get();
    }

    @Override
    public Cluster cluster() {
        return this;
    }

    @Override
    public Queue queue() {
        return this;
    }

    @Override
    public Binding binding() {
        return this;
    }

    @Override
    public Preemption preemption() {
        return this;
    }

    @Override
    public Tasks tasks() {
        return this;
    }

    @Override
    public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind) {
        return services.store().lister(kind, plugin);
    }

    @Override
    public <T extends ClusterObject> void onChange(ObjectKind<T> kind, Consumer<ObjectChange<T>> listener) {
        services.store().onChange(kind, plugin, change -> runLogged(() -> listener.accept(change)));
    }

    @Override
    public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
        return services.source().read(kind, namespace, name);
    }

    @Override
    public <T extends ClusterObject> Optional<T> readInPreBind(
            Pod pod, ObjectKind<T> kind, String namespace, String name) {
        Duration wait = FIRST_READ_WAIT;
        Duration waited = Duration.ZERO;
        while (true) {
            try {
                return services.source().read(kind, namespace, name);
            } catch (ClusterException failed) {
                if (waited.compareTo(MOST_READ_WAITS) >= 0) {
                    throw failed;
                }
                pause(pod, wait);
                waited = waited.plus(wait);
                wait = wait.multipliedBy(2).compareTo(LONGEST_READ_WAIT) < 0 ? wait.multipliedBy(2) : LONGEST_READ_WAIT;
            }
        }
    }

    @Override
    public ClusterWriter writer() {
        return services.writer();
    }

    @Override
    @SuppressWarnings("unchecked") // what is stored under a key has the key's type
    public <T> T shared(StateKey<T> key, Supplier<T> make) {
        return (T) services.shared().computeIfAbsent(key, any -> Objects.requireNonNull(make.get(), key.toString()));
    }

    @Override
    public FeatureGates featureGates() {
        return services.featureGates();
    }

    @Override
    public Executor background() {
        return task -> services.threads().background().execute(() -> runLogged(task));
    }

    private void runLogged(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            Throwable copy = Thrown.caught(thrown);
            LOG.atError()
                    .addKeyValue("profile", profileName)
                    .addKeyValue("plugin", plugin)
                    .setCause(copy)
                    .log("Background task failed");
            services.listeners().on(listener -> listener.backgroundTaskFailed(profileName, copy));
        }
    }

    @Override
    public void backgroundAfter(Duration delay, Runnable task) {
        Runnable logged = () -> runLogged(task);
        try {
            ScheduledFuture<?> ignored = services.threads()
                    .timers()
                    .schedule(
                            () -> services.threads().background().execute(logged),
                            delay.toNanos(),
                            TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            LOG.atDebug().addKeyValue("profile", profileName).log("The scheduler stops; a task of a plugin is dropped");
        }
    }

    @Override
    public InstantSource clock() {
        return services.clock();
    }

    @Override
    public InstantSource monotonicClock() {
        return services.monotonicClock();
    }

    @Override
    public void pause(Pod pod, Duration time) {
        Duration actual = services.threads().pause(time);
        PluginThread.whilePausing(() -> services.podsInPreBind().pause(pod, actual));
    }

    @Override
    public PluginLogger logger() {
        return logger;
    }

    @Override
    public RandomGenerator random() {
        return services.random();
    }

    @Override
    public Collection<WaitingPod> waitingPods() {
        return services.waitingPods().all();
    }

    @Override
    public Optional<WaitingPod> waitingPod(String uid) {
        return services.waitingPods().find(uid);
    }

    @Override
    public Optional<PodInPreBind> podInPreBind(String uid) {
        return services.podsInPreBind().find(uid);
    }

    // The queue reads a copy: it holds its lock, and the collection's class may be the plugin's.
    @Override
    public void activate(Collection<Pod> pods) {
        List<Pod> copies = List.copyOf(pods);
        services.listeners().on(listener -> listener.activated(plugin, copies));
        services.queue().get().activate(copies);
    }

    @Override
    public void activateAfterBackoff(Collection<Pod> pods) {
        services.queue().get().activateAfterBackoff(List.copyOf(pods));
    }

    @Override
    public List<Pod> nominatedPods(String nodeName) {
        return services.nominator().nominatedPodsFor(nodeName);
    }

    @Override
    public Map<String, List<Pod>> nominatedPods() {
        return services.nominator().nominatedPods();
    }

    @Override
    public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
        return PodAttempt.of(state).filters().filter(state, node).status();
    }

    @Override
    public PodGroupLister podGroups() {
        return services.podGroups().get();
    }

    @Override
    public List<Extender> extenders() {
        return services.extenders().all();
    }

    @Override
    public Trial trial(CycleState state, Pod pod) {
        return SnapshotTrial.of(state, pod);
    }
}
