// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.controllers.ClusterControllers;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.binding.PodsInPreBind;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cluster.ObjectStore;
import org.moorage.runtime.internal.cycle.Parallelism;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.extender.Extenders;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.profile.ProfileBuilder;
import org.moorage.runtime.internal.profile.ProfileHandle;
import org.moorage.runtime.internal.queue.Nominator;
import org.moorage.runtime.internal.queue.PodActivation;

/** The state of one transaction at a time: separate plugins, on a snapshot and objects that nothing else changes. */
final class WhatIfWorkspace implements AutoCloseable {
    private static final String READ_ONLY = "only objects of the snapshot: what-if questions do not read the cluster";
    final FrozenCluster.Settings settings;
    private final FrozenCluster cluster;
    final TrialSnapshot snapshot;
    final TrialObjects objects;
    final ClusterControllers controllers;
    private final WhatIfWriter writer = new WhatIfWriter();
    final TrialWaitingPods waiting;
    private final PodsInPreBind podsInPreBind = new PodsInPreBind();
    private final Extenders extenders;
    private final RepeatedRandom random = new RepeatedRandom();
    final ProfileBuilder.Profiles profiles;
    final SchedulingAlgorithm algorithm;
    private Ties ties = Ties.FIRST;

    /** Random numbers that start again with each transaction, so that the same question has the same answer. */
    private static final class RepeatedRandom implements RandomGenerator {
        // Consecutive states of a SplittableRandom differ by this, before they are mixed.
        private static final long STEP = 0x9E3779B97F4A7C15L;

        private long seed;
        private long drawn;

        @Override
        public long nextLong() {
            return new SplittableRandom(seed + STEP * drawn++).nextLong();
        }
    }

    /**
     * Creates a workspace.
     *
     * @throws ConfigException if a plugin cannot be created a second time while the running scheduler has one
     */
    WhatIfWorkspace(FrozenCluster cluster) {
        this.cluster = cluster;
        FrozenCluster.State state = cluster.state;
        settings = state.settings();
        snapshot = TrialSnapshot.of(state.nodes());
        waiting = new TrialWaitingPods(snapshot);
        ObjectStore store = ObjectStore.of(state.objects(), settings.view());
        ObjectLister<Pod> pods = store.lister(ObjectKind.POD);
        Nominator nominator = new Nominator(pods::get);
        state.nominatedPods()
                .forEach((node, nominated) -> nominated.forEach(pod -> nominator.add(pod, Nomination.to(node))));
        SchedulerConfig config = settings.config()
                .withExtenders(settings.config().extenders().stream()
                        .map(ExtenderConfig::withoutBindVerb)
                        .toList());
        Problems problems = Problems.collector();
        extenders =
                Extenders.of(config.extenders(), () -> snapshot, settings.monotonicClock(), Listeners.NONE, problems);
        ProfileHandle.Services services = new ProfileHandle.Services(
                store,
                () -> snapshot,
                ClusterSource.none(READ_ONLY),
                writer,
                settings.features(),
                settings.clock(),
                settings.monotonicClock(),
                random,
                cluster.threads,
                nominator,
                waiting,
                podsInPreBind,
                Listeners.NONE,
                extenders,
                new ConcurrentHashMap<>(),
                () -> PodActivation.NONE,
                snapshot::podGroups);
        profiles = new ProfileBuilder(
                        settings.registry(),
                        PluginCaller::of,
                        (profile, plugin) -> new ProfileHandle(profile, plugin, services),
                        nominator::nominatedPods,
                        Listeners.NONE)
                .build(config, problems);
        objects = new TrialObjects(store, snapshot);
        controllers = new ClusterControllers(objects);
        if (state.hasUnboundClaims()) {
            controllers.bindClaims();
        }
        algorithm = new SchedulingAlgorithm(
                snapshot,
                config.percentageOfNodesToScore(),
                state.firstNode(),
                Parallelism.none(),
                extenders,
                random,
                false);
    }

    /** Runs a part of a pod's placement. In it, plugins may change the objects that a binding changes. */
    PluginStatus placing(Pod pod, Supplier<PluginStatus> part) {
        return writer.placing(objects, controllers, () -> podsInPreBind.during(pod, part));
    }

    List<Pod> nominatedPods(String nodeName) {
        return cluster.state.nominatedPods().getOrDefault(nodeName, List.of());
    }

    /**
     * The state, apart from the cluster, with which the next question begins.
     *
     * @param drawn how many random numbers have been drawn
     * @param nextNode the index of the node that it begins with
     */
    record Chance(long drawn, int nextNode) {}

    Chance chance() {
        return new Chance(random.drawn, algorithm.nextNode());
    }

    void begin(Chance chance) {
        random.drawn = chance.drawn;
        algorithm.nextNode(chance.nextNode);
    }

    /**
     * Begins the first question of a transaction.
     *
     * @param ties the seed, and whether it breaks ties
     */
    void begin(Ties given) {
        ties = given;
        random.seed = given.seed();
        random.drawn = 0;
        algorithm.randomTies(given.isRandom());
        algorithm.nextNode(firstNode());
    }

    private int firstNode() {
        int nodes = snapshot.nodes().size();
        return ties.isRandom() && nodes > 0 ? random.nextInt(nodes) : cluster.state.firstNode();
    }

    /** Chooses among equally good placements of a group of pods; null for the first of them. */
    @Nullable
    RandomGenerator groupTies() {
        return ties.isRandom() ? random : null;
    }

    void release() {
        cluster.release(this);
    }

    @Override
    public void close() {
        extenders.close();
        ProfileBuilder.closeAll(profiles.plugins());
    }
}
