// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.Topology;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;
import org.moorage.sigs.AppGroup.Dependency;
import org.moorage.sigs.NetworkTopology.Costs;
import org.moorage.sigs.NetworkTopology.Place;

/**
 * Keeps a pod off nodes from which the network to the pods that it depends on is too expensive, and prefers nodes from
 * which it is cheap, by an AppGroup and a NetworkTopology.
 *
 * <p>Same decisions as scheduler-plugins' NetworkOverhead. It differs where that one fails: if the AppGroup or the
 * NetworkTopology does not exist, all nodes are equal. It registers no events, so any event retries a rejected pod.
 */
public final class NetworkOverhead implements PreFilterPlugin, FilterPlugin, ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NetworkOverhead";

    private static final StateKey<Optional<Overheads>> OVERHEADS = StateKey.of("NetworkOverhead/overheads");
    private static final long SAME_ZONE = 1;
    private static final long UNKNOWN = 100;
    private static final long NO_PODS = 0;
    // Pods may name any workload. With more workloads the overheads are computed again more often.
    private static final int MOST_KEPT = 64;

    private final Args args;
    private final TypedResources<AppGroup> groups;
    private final TypedResources<NetworkTopology> topologies;
    private final CachedNodeValues<NetworkOverhead, Place> places =
            new CachedNodeValues<>((node, plugin) -> placeOf(node.node()));
    private final NodeChanges changes = new NodeChanges();
    private final Map<Workload, Bound> boundByWorkload = new ConcurrentHashMap<>();
    private final AtomicLong lastVersion = new AtomicLong();
    private final Map<Workload, Kept> keptByWorkload = new ConcurrentHashMap<>();

    /**
     * The arguments.
     *
     * @param namespaces the namespaces of AppGroups and NetworkTopologies, in the order in which they are searched
     * @param weightsName the name of the weights in the NetworkTopology
     * @param networkTopologyName the name of the NetworkTopology
     */
    public record Args(List<String> namespaces, String weightsName, String networkTopologyName) implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args(List.of(), "UserDefined", "nt-default");

        public Args {
            namespaces = namespaces.isEmpty() ? List.of("default") : List.copyOf(namespaces);
        }
    }

    /**
     * The dependencies that a node satisfies and violates, and the cost of the network.
     *
     * @param satisfied the number of satisfied dependencies
     * @param violated the number of violated dependencies
     * @param cost the sum of the costs to the pods that the pod depends on
     */
    private record Overhead(long satisfied, long violated, long cost) {
        static final Overhead NONE = new Overhead(0, 0, 0);

        Overhead plus(Overhead other) {
            return new Overhead(satisfied + other.satisfied, violated + other.violated, cost + other.cost);
        }

        Overhead times(long count) {
            return new Overhead(satisfied * count, violated * count, cost * count);
        }

        Overhead minus(Overhead other) {
            return plus(other.times(-1));
        }
    }

    /** A workload of an AppGroup, by the labels of its pods. */
    private record Workload(String group, String selector) {}

    /** The pods of a workload that have a node. */
    private static final class Bound {
        private final Map<String, Integer> countByNode = new ConcurrentHashMap<>();
        // Another one after each change, also if the last pod is gone in the meantime.
        private volatile long version;
    }

    /**
     * The overheads of the pods of one workload, and what they were computed from.
     *
     * @param versions the versions of the workloads that it depends on
     */
    private record Kept(
            NetworkTopology costs,
            List<Dependency> dependencies,
            List<Long> versions,
            Topology regions,
            Topology zones,
            Overheads overheads) {
        // A topology is the same object until the nodes or their labels change.
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(NetworkTopology someCosts, List<Dependency> some, List<Long> someVersions, Snapshot snapshot) {
            return costs == someCosts
                    && regions == snapshot.topology(NetworkTopology.REGION)
                    && zones == snapshot.topology(NetworkTopology.ZONE)
                    && dependencies.equals(some)
                    && versions.equals(someVersions);
        }
    }

    /**
     * The overheads for the pods of one workload.
     *
     * @param costs the costs of the network
     * @param countsByPlace the number of pods that the pod depends on, by their place and the dependency; empty if all
     *     nodes are equal
     * @param countsByNode the same by the index of the node; null for a node without such pods
     * @param byPlace the overheads of nodes without such pods, by place
     */
    private record Overheads(
            NetworkTopology costs,
            Map<Place, Map<Dependency, Long>> countsByPlace,
            @Nullable Map<Dependency, Long>[] countsByNode,
            Map<Place, Overhead> byPlace) {
        Signature signature() {
            return new Signature(costs, countsByPlace);
        }

        Overhead of(NodeInfo node, Place here) {
            Overhead overhead = byPlace.get(here);
            if (overhead == null) {
                overhead = inPlace(here, costs.from(here), countsByPlace);
                byPlace.put(here, overhead);
            }
            Map<Dependency, Long> onNode = countsByNode[node.index()];
            return onNode == null ? overhead : withOwnPods(overhead, here, costs.from(here), onNode);
        }
    }

    /** The part of the overheads that all nodes have in common. Those of a node also depend on the pods on it. */
    private record Signature(NetworkTopology costs, Map<Place, Map<Dependency, Long>> countsByPlace) {}

    private NetworkOverhead(Args args, Handle handle) {
        this.args = args;
        groups = new TypedResources<>(handle, AppGroup.KIND, AppGroup::of);
        topologies = new TypedResources<>(handle, NetworkTopology.KIND, NetworkTopology.parser(args.weightsName()));
        handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
    }

    private void podChanged(ObjectChange<Pod> change) {
        Optional<Pod> before = change.before();
        Optional<Pod> after = change.after();
        if (before.isPresent() && after.isPresent() && countsAlike(before.get(), after.get())) {
            return;
        }
        after.ifPresent(pod -> count(pod, 1));
        before.ifPresent(pod -> count(pod, -1));
    }

    private static boolean countsAlike(Pod before, Pod after) {
        return before.nodeName().equals(after.nodeName()) && before.labels().equals(after.labels());
    }

    private void count(Pod pod, int change) {
        String group = AppGroup.groupOf(pod);
        if (group.isEmpty() || !pod.isBound()) {
            return;
        }
        boundByWorkload.compute(new Workload(group, AppGroup.workloadOf(pod)), (name, known) -> {
            Bound bound = known == null ? new Bound() : known;
            bound.countByNode.merge(
                    pod.nodeName(), change, (before, more) -> before + more == 0 ? null : before + more);
            bound.version = lastVersion.incrementAndGet();
            return bound.countByNode.isEmpty() ? null : bound;
        });
        changes.add(pod.nodeName());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        Optional<NetworkTopology> topology = AppGroup.groupOf(pod).isEmpty()
                ? Optional.empty()
                : AppGroup.find(topologies, args.namespaces(), args.networkTopologyName());
        List<Dependency> dependencies = topology.isEmpty() ? List.of() : dependenciesOf(pod);
        if (dependencies.isEmpty()) {
            state.put(OVERHEADS, Optional.empty());
            return PreFilterResult.allNodes();
        }
        state.put(OVERHEADS, Optional.of(overheads(pod, topology.orElseThrow(), dependencies, snapshot)));
        return PreFilterResult.allNodes();
    }

    private Overheads overheads(Pod pod, NetworkTopology costs, List<Dependency> dependencies, Snapshot snapshot) {
        Workload workload = new Workload(AppGroup.groupOf(pod), AppGroup.workloadOf(pod));
        List<Long> versions = versions(workload.group(), dependencies);
        Kept kept = keptByWorkload.get(workload);
        if (kept != null && kept.isOf(costs, dependencies, versions, snapshot)) {
            return kept.overheads();
        }
        Overheads overheads = count(workload.group(), costs, dependencies, snapshot);
        // A pod may have been bound while the pods were counted.
        if (versions.equals(versions(workload.group(), dependencies))) {
            if (keptByWorkload.size() >= MOST_KEPT) {
                keptByWorkload.clear();
            }
            Topology regions = snapshot.topology(NetworkTopology.REGION);
            Topology zones = snapshot.topology(NetworkTopology.ZONE);
            keptByWorkload.put(workload, new Kept(costs, dependencies, versions, regions, zones, overheads));
        }
        return overheads;
    }

    private List<Long> versions(String group, List<Dependency> dependencies) {
        List<Long> versions = new ArrayList<>(dependencies.size());
        for (Dependency dependency : dependencies) {
            Bound bound = boundByWorkload.get(new Workload(group, dependency.to()));
            versions.add(bound == null ? NO_PODS : bound.version);
        }
        return versions;
    }

    private Overheads count(String group, NetworkTopology costs, List<Dependency> dependencies, Snapshot snapshot) {
        Map<Place, Map<Dependency, Long>> countsByPlace = new HashMap<>();
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        @Nullable
        Map<Dependency, Long>[] countsByNode = new Map[snapshot.nodes().size()];
        for (Dependency dependency : dependencies) {
            Bound bound = boundByWorkload.get(new Workload(group, dependency.to()));
            Map<String, Integer> countByNode = bound == null ? Map.of() : bound.countByNode;
            countByNode.forEach((nodeName, number) -> {
                NodeInfo node = snapshot.node(nodeName)
                        .orElseThrow(() -> new PluginException(
                                "pod hostname not found: nodeinfo not found for node name \"" + nodeName + "\""));
                countsByPlace
                        .computeIfAbsent(places.of(node, this), any -> new HashMap<>())
                        .merge(dependency, (long) number, Long::sum);
                Map<Dependency, Long> onNode = countsByNode[node.index()];
                if (onNode == null) {
                    onNode = new HashMap<>();
                    countsByNode[node.index()] = onNode;
                }
                onNode.merge(dependency, (long) number, Long::sum);
            });
        }
        return new Overheads(costs, countsByPlace, countsByNode, new ConcurrentHashMap<>());
    }

    private List<Dependency> dependenciesOf(Pod pod) {
        return AppGroup.find(groups, args.namespaces(), AppGroup.groupOf(pod))
                .map(found -> found.dependenciesOf(AppGroup.workloadOf(pod)))
                .orElse(List.of());
    }

    // Returns the overhead of a node without pods of the group.
    private static Overhead inPlace(Place here, Costs costs, Map<Place, Map<Dependency, Long>> countsByPlace) {
        Overhead sum = Overhead.NONE;
        for (Map.Entry<Place, Map<Dependency, Long>> there : countsByPlace.entrySet()) {
            for (Map.Entry<Dependency, Long> count : there.getValue().entrySet()) {
                sum = sum.plus(
                        between(here, there.getKey(), count.getKey(), costs).times(count.getValue()));
            }
        }
        return sum;
    }

    // Dependencies on pods of the same node are satisfied at no cost.
    private static Overhead withOwnPods(Overhead inPlace, Place here, Costs costs, Map<Dependency, Long> counts) {
        Overhead sum = inPlace;
        for (Map.Entry<Dependency, Long> count : counts.entrySet()) {
            sum = sum.minus(between(here, here, count.getKey(), costs).times(count.getValue()))
                    .plus(new Overhead(count.getValue(), 0, 0));
        }
        return sum;
    }

    // Returns the overhead of one dependency on a pod on another node.
    private static Overhead between(Place here, Place there, Dependency dependency, Costs costs) {
        if (there.isUnknown()) {
            return new Overhead(0, 1, UNKNOWN);
        }
        if (here.equals(there)) {
            return new Overhead(1, 0, SAME_ZONE);
        }
        Long cost = costs.to(here, there);
        if (cost == null) {
            return new Overhead(0, 0, UNKNOWN);
        }
        return cost <= dependency.maxNetworkCost() ? new Overhead(1, 0, cost) : new Overhead(0, 1, cost);
    }

    private static Place placeOf(Node node) {
        return new Place(
                node.labels().getOrDefault(NetworkTopology.REGION, ""),
                node.labels().getOrDefault(NetworkTopology.ZONE, ""));
    }

    // Without PreFilter it is not known on which nodes the pods are that the pod depends on.
    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.empty();
    }

    @Override
    public Optional<?> sign(CycleState state, Pod pod) {
        return Optional.of(state.get(OVERHEADS).map(Overheads::signature));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        Overhead overhead = overhead(state, node);
        return overhead.violated() > overhead.satisfied()
                ? Status.unschedulable("Node " + node.name()
                        + " does not meet several network requirements from Workload dependencies: Satisfied: "
                        + overhead.satisfied() + " Violated: " + overhead.violated())
                : Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        return overhead(state, node).cost();
    }

    private Overhead overhead(CycleState state, NodeInfo node) {
        Optional<Overheads> overheads = state.get(OVERHEADS);
        return overheads.isEmpty() ? Overhead.NONE : overheads.get().of(node, places.of(node, this));
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return CostScores.normalized(scores);
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
            return Optional.of("NetworkOverheadArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new NetworkOverhead(args, handle);
        }
    }
}
