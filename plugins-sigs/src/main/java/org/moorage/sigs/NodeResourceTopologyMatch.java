// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Keeps a pod off nodes whose topology manager could not align its resources on one NUMA cell, and prefers the nodes
 * whose cells suit it best, by the NodeResourceTopology that an agent writes for each node.
 *
 * <p>Same decisions as scheduler-plugins' NodeResourceTopologyMatch. It differs where that one fails: cells with
 * unusual numbers, containers without requests, and more cells than the topology manager supports have a score.
 */
public final class NodeResourceTopologyMatch
        implements FilterPlugin, ScorePlugin, ReservePlugin, PostBindPlugin, EnqueueExtensions, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeResourceTopologyMatch";

    private static final Status STALE = Status.unschedulable("invalid node topology data");
    private static final StateKey<Set<String>> CACHED_PROFILES = StateKey.of("NodeResourceTopologyMatch/profiles");

    private final TopologyCache cache;
    private final NumaScore score;
    private final CachedNodeValues<TopologyCache, TopologyCache.OfNode> nodes =
            new CachedNodeValues<>((node, known) -> known.of(node.name()));
    private final NodeChanges changes = new NodeChanges();
    private final CachedPodValue<NumaRequests> requestsOfPod = new CachedPodValue<>(NumaRequests::of);

    /**
     * The arguments.
     *
     * @param scoringStrategy how nodes are scored
     * @param cacheResyncPeriodSeconds the time between synchronizations of the cache; 0 and less read the current
     *     objects
     * @param discardReservedNodes whether to reject nodes with pods that are not bound yet, instead of the cache
     * @param cache how the cache works
     */
    public record Args(
            ScoringStrategy scoringStrategy, long cacheResyncPeriodSeconds, boolean discardReservedNodes, Cache cache)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(
                new ScoringStrategy("LeastAllocated", ScoringStrategy.DEFAULTS.resources()), 0, false, Cache.DEFAULTS);

        @Override
        public void validate(Problems problems) {
            if (strategy(scoringStrategy.type()).isEmpty()) {
                problems.at("scoringStrategy")
                        .at("type")
                        .report("Invalid value: \"" + scoringStrategy.type() + "\": invalid ScoringStrategyType");
            }
        }
    }

    /**
     * How nodes are scored.
     *
     * @param type LeastAllocated, MostAllocated, BalancedAllocation or LeastNUMANodes
     * @param resources the weights of resources; those that are not listed have the weight 1
     */
    public record ScoringStrategy(String type, List<ResourceWeight> resources) {
        /** The values of fields that a given strategy omits; the type is required. */
        public static final ScoringStrategy DEFAULTS = new ScoringStrategy("", List.of());

        public ScoringStrategy {
            resources = resources.isEmpty()
                    ? List.of(new ResourceWeight("cpu", 1), new ResourceWeight("memory", 1))
                    : List.copyOf(resources);
        }
    }

    /**
     * The weight of a resource.
     *
     * @param name the name of the resource
     * @param weight its weight; 0 means 1
     */
    public record ResourceWeight(String name, long weight) {
        /** The values of omitted fields. */
        public static final ResourceWeight DEFAULTS = new ResourceWeight("", 1);

        public ResourceWeight {
            weight = weight == 0 ? 1 : weight;
        }
    }

    /**
     * How the cache works.
     *
     * @param foreignPodsDetect which pods of other schedulers make a node stale: All, OnlyExclusiveResources or None
     * @param resyncMethod the pods that a fingerprint is computed of: All, OnlyExclusiveResources, or Autodetect for
     *     what the agent reports
     * @param informerMode Shared counts running pods, Dedicated all pods that have started
     * @param resyncScope All, which is the default; any other scope, such as OnlyResources, ignores changes of the
     *     topology manager's settings alone
     */
    public record Cache(
            String foreignPodsDetect, String resyncMethod, String informerMode, Optional<String> resyncScope) {
        /** The values of omitted fields. */
        public static final Cache DEFAULTS = new Cache("All", "Autodetect", "Dedicated", Optional.empty());

        private OverReserveCache.Settings settings(long periodSeconds) {
            return new OverReserveCache.Settings(
                    Duration.ofSeconds(Math.min(periodSeconds, Integer.MAX_VALUE)),
                    switch (foreignPodsDetect) {
                        case "None" -> OverReserveCache.ForeignPods.NONE;
                        case "OnlyExclusiveResources" -> OverReserveCache.ForeignPods.EXCLUSIVE;
                        default -> OverReserveCache.ForeignPods.ALL;
                    },
                    switch (resyncMethod) {
                        case "Autodetect" -> OverReserveCache.FingerprintedPods.AS_REPORTED;
                        case "OnlyExclusiveResources" -> OverReserveCache.FingerprintedPods.EXCLUSIVE;
                        default -> OverReserveCache.FingerprintedPods.ALL;
                    },
                    !informerMode.equals("Dedicated"),
                    !resyncScope.orElse("All").equals("All"));
        }
    }

    private NodeResourceTopologyMatch(Args args, Handle handle) {
        TypedResources<NodeTopology> objects = new TypedResources<>(handle, NodeTopology.KIND, NodeTopology::of);
        cache = cache(args, handle, objects, changes);
        // The last weight applies if a resource is named twice.
        Map<String, Long> weightByName = new LinkedHashMap<>();
        for (ResourceWeight each : args.scoringStrategy().resources()) {
            weightByName.put(each.name(), each.weight());
        }
        List<NumaScore.Weight> weights = new ArrayList<>();
        weightByName.forEach((name, weight) -> weights.add(new NumaScore.Weight(name, weight)));
        score = new NumaScore(strategy(args.scoringStrategy().type()).orElseThrow(), weights);
    }

    private static TopologyCache cache(
            Args args, Handle handle, TypedResources<NodeTopology> objects, NodeChanges changes) {
        if (args.discardReservedNodes()) {
            return new TopologyCache.DiscardReserved(new TopologyCache.Current(handle, objects, changes));
        }
        if (args.cacheResyncPeriodSeconds() <= 0) {
            return new TopologyCache.Current(handle, objects, changes);
        }
        Set<String> profiles = handle.shared(CACHED_PROFILES, ConcurrentHashMap::newKeySet);
        profiles.add(handle.profileName());
        return new OverReserveCache(
                args.cache().settings(args.cacheResyncPeriodSeconds()), handle, objects, changes, profiles::contains);
    }

    private static Optional<NumaScore.Strategy> strategy(String type) {
        return Optional.ofNullable(Map.of(
                        "LeastAllocated", NumaScore.Strategy.LEAST_ALLOCATED,
                        "MostAllocated", NumaScore.Strategy.MOST_ALLOCATED,
                        "BalancedAllocation", NumaScore.Strategy.BALANCED_ALLOCATION,
                        "LeastNUMANodes", NumaScore.Strategy.LEAST_NUMA_NODES)
                .get(type));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(requestsOfPod.of(pod));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        NumaRequests requests = requestsOfPod.of(pod);
        if (requests.isNotAligned()) {
            return Status.success();
        }
        TopologyCache.OfNode known = nodes.of(node, cache);
        if (known.isStale()) {
            return STALE;
        }
        NodeTopology topology = known.topology();
        if (topology == null || topology.config().policy() != NodeTopology.Policy.SINGLE_NUMA_NODE) {
            return Status.success();
        }
        Status status = NumaFit.check(requests, topology, node.node());
        if (!status.isSuccess()) {
            cache.rejected(node.name());
        }
        return status;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        NumaRequests requests = requestsOfPod.of(pod);
        if (!requests.isGuaranteed()) {
            return NodeScores.MAX;
        }
        TopologyCache.OfNode known = nodes.of(node, cache);
        NodeTopology topology = known.isStale() ? null : known.topology();
        return topology == null ? 0 : score.of(requests, topology);
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        cache.reserved(nodeName, pod);
        return Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        cache.unreserved(nodeName, pod);
    }

    @Override
    public void postBind(CycleState state, Pod pod, String nodeName) {
        cache.bound(nodeName, pod);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(
                EventRegistration.always(ObjectKind.POD, Set.of(ActionType.DELETE)),
                EventRegistration.always(ObjectKind.NODE, Set.of(ActionType.ADD, ActionType.UPDATE_NODE_ALLOCATABLE)),
                EventRegistration.always(NodeTopology.KIND, ActionType.ADD_OR_UPDATE));
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of("NodeResourceTopologyMatchArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new NodeResourceTopologyMatch(args, handle);
        }
    }
}
