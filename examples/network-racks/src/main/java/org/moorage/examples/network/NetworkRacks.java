// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupState;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PlacementScorePlugin;

/**
 * Places a group of pods close together in a network: in at most as many neighbouring racks of one spine as the
 * group's annotation {@code network.example.com/racks} allows. Prefers the racks with the fewest hops between its pods.
 */
public record NetworkRacks(Args args) implements PlacementGeneratePlugin, PlacementScorePlugin {
    static final String NAME = "NetworkRacks";
    static final String RACKS = "network.example.com/racks";
    private static final Status NO_NUMBER = Status.unresolvable(RACKS + " is not a number from 1 to 9");
    private static final StateKey<Map<String, String>> RACK_BY_NODE = StateKey.of("NetworkRacks/rackByNode");

    /** The labels of nodes that name their rack, and the spine that connects the rack with its neighbours. */
    public record Args(String rackLabel, String spineLabel) implements PluginArgs {
        public static final Args DEFAULTS = new Args("network.example.com/rack", "network.example.com/spine");
    }

    @Override
    public String name() {
        return NAME;
    }

    // region generate
    @Override
    public PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
        String most = group.group().metadata().annotations().get(RACKS);
        if (most == null) {
            return PlacementGenerateResult.of(List.of(parent));
        }
        if (!most.matches("[1-9]")) {
            return PlacementGenerateResult.rejected(NO_NUMBER);
        }
        Map<String, String> rackByNode = new HashMap<>();
        Map<String, Map<String, List<NodeInfo>>> spines = new TreeMap<>();
        for (NodeInfo node : parent.nodes()) {
            String rack = node.node().labels().get(args.rackLabel());
            String spine = node.node().labels().get(args.spineLabel());
            if (rack != null && spine != null) {
                rackByNode.put(node.name(), rack);
                spines.computeIfAbsent(spine, any -> new TreeMap<>())
                        .computeIfAbsent(rack, any -> new ArrayList<>())
                        .add(node);
            }
        }
        state.put(RACK_BY_NODE, Map.copyOf(rackByNode)); // for scorePlacement
        List<Placement> placements = new ArrayList<>();
        for (Map<String, List<NodeInfo>> racks : spines.values()) {
            addNeighbours(racks, Integer.parseInt(most), placements);
        }
        placements.removeIf(placement -> !hasNodesOf(group, placement, snapshot));
        return PlacementGenerateResult.of(placements);
    }
    // endregion

    // Racks with adjacent names are neighbours. Fewer racks than allowed are offered too, since they have the fewest
    // hops.
    private static void addNeighbours(Map<String, List<NodeInfo>> racks, int most, List<Placement> placements) {
        List<String> names = List.copyOf(racks.keySet());
        for (int count = 1; count <= Math.min(most, names.size()); count++) {
            for (int first = 0; first + count <= names.size(); first++) {
                List<String> neighbours = names.subList(first, first + count);
                List<NodeInfo> nodes = new ArrayList<>();
                neighbours.forEach(rack -> nodes.addAll(racks.get(rack)));
                nodes.sort(Comparator.comparingInt(NodeInfo::index));
                placements.add(Placement.of(String.join("+", neighbours), nodes));
            }
        }
    }

    // Pods that are created later join the running pods of their group.
    private static boolean hasNodesOf(PodGroupInfo group, Placement placement, Snapshot snapshot) {
        List<String> nodes = placement.nodes().stream().map(NodeInfo::name).toList();
        return snapshot.podGroups().podGroup(group.key().namespace(), group.key().name()).stream()
                .map(PodGroupState::scheduledPods)
                .allMatch(pods -> pods.stream().allMatch(pod -> nodes.contains(pod.nodeName())));
    }

    // region score
    @Override
    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
        // The state belongs to the placement; its parent belongs to the group.
        Map<String, String> rackByNode = state.parent().orElseThrow().get(RACK_BY_NODE);
        long hops = 0;
        List<ProposedAssignment> proposed = assignments.proposed();
        for (int i = 0; i < proposed.size(); i++) {
            String node = proposed.get(i).nodeName();
            for (ProposedAssignment other : proposed.subList(0, i)) {
                boolean isSameRack = rackByNode.get(node).equals(rackByNode.get(other.nodeName()));
                hops += node.equals(other.nodeName()) ? 0 : isSameRack ? 2 : 4;
            }
        }
        return hops;
    }

    // No hops score 100, the highest number of hops scores 0.
    @Override
    public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
        return scores.scaledTo100().reversed();
    }
    // endregion

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which is how the plugin is found. */
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
        public Plugin create(Args args, Handle handle) {
            return new NetworkRacks(args);
        }
    }
}
