// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.Snapshot;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.internal.binding.BindingCycle;
import org.moorage.runtime.internal.binding.BindingResults;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.binding.UncertainBindings;
import org.moorage.runtime.internal.binding.WaitingPods;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.cluster.ChangeHandler;
import org.moorage.runtime.internal.cluster.FeatureView;
import org.moorage.runtime.internal.cluster.ObjectEventHandlers;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cluster.PodEventHandlers;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.loop.Engines;
import org.moorage.runtime.internal.loop.PluginCallWatch;
import org.moorage.runtime.internal.loop.PluginControllers;
import org.moorage.runtime.internal.loop.PodGroupCycle;
import org.moorage.runtime.internal.loop.SchedulerThreads;
import org.moorage.runtime.internal.loop.SchedulingCycle;
import org.moorage.runtime.internal.loop.SchedulingLoop;
import org.moorage.runtime.internal.plugin.Breaker;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.profile.ProfileHandle;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.QueueSettings;
import org.moorage.runtime.internal.queue.SchedulingQueue;
import org.moorage.runtime.internal.report.PodGroupConditions;
import org.moorage.runtime.internal.report.PodGroupEvents;
import org.moorage.runtime.internal.report.SchedulingFailures;
import org.moorage.runtime.internal.report.StatusPatches;
import org.moorage.runtime.internal.whatif.FrozenCluster;

/**
 * The parts of a scheduler, each made with the parts that it uses. The cluster's objects come from {@link #source}
 * through {@link #store} and {@link #eventHandlers} into {@link #cache} and {@link #queue}; {@link #loop} schedules the
 * pods of the queue with the plugins of {@link #profiles}.
 */
final class SchedulerAssembly {
    private static final Log LOG = Log.of(SchedulerAssembly.class);

    final FrozenCluster.Settings settings;
    final ClusterSource source;
    final Listeners listeners;
    final SchedulerThreads threads;
    final Set<KeptJson> json;
    final Extenders extenders;

    final SchedulerCache cache;
    final FeatureView view;
    final ObjectStore store;
    final CacheComparer comparer;
    final Nominator nominator;
    final WaitingPods waitingPods;
    final PodsInPreBind podsInPreBind = new PodsInPreBind();
    final UncertainBindings uncertainBindings;
    final StatusPatches statusPatches;
    final ProfileBuilder.Profiles profiles;
    final SchedulingQueue queue;
    final Engines engines;
    final PodGroupCycle groupCycle;
    final SchedulingLoop loop;
    final PluginCallWatch watch;
    final PluginControllers controllers;
    final ObjectEventHandlers eventHandlers;

    SchedulerAssembly(SchedulerBuilder builder, Listeners listeners, SchedulerThreads threads) {
        Problems problems = Problems.collector();
        extenders =
                Extenders.of(builder.config.extenders(), this::snapshot, builder.monotonicClock, listeners, problems);
        engines = new Engines(
                builder.config.percentageOfNodesToScore(), extenders, builder.random, builder.randomTies, threads);
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
        groupCycle = new PodGroupCycle(
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
        loop = new SchedulingLoop(threads, engines, queue, cycle, groupCycle);
        watch = new PluginCallWatch(
                builder.pluginCallTimeout, builder.monotonicClock, threads, queue, loop, profiles.plugins(), listeners);
        controllers = new PluginControllers(profiles.plugins(), source, threads, listeners);
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

    private PluginCaller caller(String name, Plugin plugin, SchedulerBuilder builder) {
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
                                builder.writer,
                                listeners));
    }

    private SchedulingQueue queue() {
        return queue;
    }

    private Snapshot snapshot() {
        return engines.snapshot();
    }

    boolean isResponsible(Pod pod) {
        return profiles.byName().containsKey(pod.spec().schedulerName());
    }
}
