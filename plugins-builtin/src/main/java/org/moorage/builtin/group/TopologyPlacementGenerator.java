// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupState;
import org.moorage.api.Snapshot;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementGeneratePlugin;
import org.moorage.api.plugin.group.PlacementGenerateResult;

/**
 * Places a group with a topology constraint in one domain, such as a zone or a rack: the domain of its scheduled pods,
 * or any domain if none is scheduled. Same placements as kube-scheduler's TopologyPlacementGenerator, but sorted by
 * name; kube-scheduler's order is undefined.
 */
public final class TopologyPlacementGenerator implements PlacementGeneratePlugin {
    /** The plugin's name. */
    public static final String NAME = "TopologyPlacementGenerator";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, TopologyPlacementGenerator.class, handle -> new TopologyPlacementGenerator());

    TopologyPlacementGenerator() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PlacementGenerateResult generatePlacements(
            CycleState state, PodGroupInfo group, Placement parent, Snapshot snapshot) {
        List<String> topologyKeys = group.group().topologyKeys();
        if (topologyKeys.isEmpty()) {
            return PlacementGenerateResult.of(List.of(parent));
        }
        // The API server accepts only one key.
        String topologyKey = topologyKeys.get(0);
        Optional<String> required = domainOfScheduledPods(topologyKey, group, snapshot);
        Map<String, List<NodeInfo>> nodesByDomain = new TreeMap<>();
        for (NodeInfo node : parent.nodes()) {
            String domain = node.node().labels().get(topologyKey);
            if (domain != null && (required.isEmpty() || required.get().equals(domain))) {
                nodesByDomain.computeIfAbsent(domain, any -> new ArrayList<>()).add(node);
            }
        }
        List<Placement> placements = new ArrayList<>(nodesByDomain.size());
        nodesByDomain.forEach((domain, nodes) -> placements.add(Placement.of(domain, nodes)));
        return PlacementGenerateResult.of(placements);
    }

    // Empty if no pod has a node.
    private Optional<String> domainOfScheduledPods(String topologyKey, PodGroupInfo group, Snapshot snapshot) {
        String domain = "";
        boolean isKnown = false;
        for (PodGroupState members : PodGroupHierarchy.podGroups(snapshot.podGroups(), group.key())) {
            for (Pod pod : members.scheduledPods()) {
                String own = domain(topologyKey, pod, snapshot);
                if (!domain.isEmpty() && !domain.equals(own)) {
                    throw undetermined("more than 1 domain found for pod group: " + domain + ", " + own);
                }
                domain = own;
                isKnown = true;
            }
        }
        return isKnown ? Optional.of(domain) : Optional.empty();
    }

    private static String domain(String topologyKey, Pod pod, Snapshot snapshot) {
        NodeInfo node = snapshot.node(pod.nodeName())
                .orElseThrow(() -> undetermined("getting node for pod " + pod.key()
                        + ": nodeinfo not found for node name \"" + pod.nodeName() + "\""));
        String domain = node.node().labels().get(topologyKey);
        if (domain == null) {
            throw undetermined("no topology domain found for pod " + pod.key());
        }
        return domain;
    }

    private static IllegalStateException undetermined(String why) {
        return new PluginException("cannot determine domain for already scheduled pods: " + why);
    }
}
