// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.runtime.whatif.Questions;

/**
 * The allocatable resources of a zone and the requests of its pods, before and after a change. Immutable.
 *
 * @param zone the label {@code topology.kubernetes.io/zone} of its nodes; empty for nodes without one
 * @param before before
 * @param after after
 */
public record ZoneRoom(String zone, Room before, Room after) {
    private static final String ZONE = "topology.kubernetes.io/zone";

    public ZoneRoom {
        Objects.requireNonNull(zone, "zone");
        Objects.requireNonNull(before, "before");
        Objects.requireNonNull(after, "after");
    }

    /**
     * Nodes, and the pods on them.
     *
     * @param nodes how many nodes
     * @param pods how many pods
     * @param allocatable what is allocatable of cpu, memory and extended resources, in the units of {@link Resources}
     * @param requested what the pods request of the same
     */
    public record Room(int nodes, int pods, Map<ResourceName, Long> allocatable, Map<ResourceName, Long> requested) {
        static final Room NONE = new Room(0, 0, Map.of(), Map.of());

        public Room {
            allocatable = Map.copyOf(allocatable);
            requested = Map.copyOf(requested);
        }

        /** Returns the allocatable amount of a resource that is not requested. */
        public long free(ResourceName resource) {
            return allocatable.getOrDefault(resource, 0L) - requested.getOrDefault(resource, 0L);
        }
    }

    /** The sums of a zone so far. */
    private static final class Sums {
        private int nodes;
        private int pods;
        private final Map<ResourceName, Long> allocatable = new LinkedHashMap<>();
        private final Map<ResourceName, Long> requested = new LinkedHashMap<>();

        void add(Node node, List<Pod> onNode) {
            nodes++;
            pods += onNode.size();
            add(allocatable, node.allocatableResources());
            onNode.forEach(pod -> add(requested, pod.requestsOf(node)));
        }

        private static void add(Map<ResourceName, Long> sums, Resources amounts) {
            sums.merge(ResourceName.CPU, amounts.milliCpu(), Long::sum);
            sums.merge(ResourceName.MEMORY, amounts.memory(), Long::sum);
            for (int i = 0; i < amounts.scalarCount(); i++) {
                if (ResourceName.isExtended(amounts.scalarName(i))) {
                    sums.merge(ResourceName.of(amounts.scalarName(i)), amounts.scalarAmount(i), Long::sum);
                }
            }
        }

        Room room() {
            return new Room(nodes, pods, allocatable, requested);
        }
    }

    /** Returns the room of each zone of a cluster as it is, by zone. */
    static Map<String, Room> of(Questions cluster, Map<String, Node> nodes) {
        List<Node> existing = new ArrayList<>();
        for (String name : cluster.nodeNames()) {
            Node node = nodes.get(name);
            if (node != null) {
                existing.add(node);
            }
        }
        return of(existing, cluster::podsOn);
    }

    /**
     * Returns the room of each zone of some nodes, by zone.
     *
     * @param podsOn the pods on a node, by its name
     */
    static Map<String, Room> of(Collection<Node> nodes, Function<String, List<Pod>> podsOn) {
        Map<String, Sums> sums = new TreeMap<>();
        for (Node node : nodes) {
            sums.computeIfAbsent(node.labels().getOrDefault(ZONE, ""), any -> new Sums())
                    .add(node, podsOn.apply(node.name()));
        }
        Map<String, Room> rooms = new TreeMap<>();
        sums.forEach((zone, sum) -> rooms.put(zone, sum.room()));
        return rooms;
    }

    /** The zones, by name, with what they had and have. */
    static List<ZoneRoom> all(Map<String, Room> before, Map<String, Room> after) {
        TreeSet<String> zones = new TreeSet<>(before.keySet());
        zones.addAll(after.keySet());
        List<ZoneRoom> all = new ArrayList<>();
        for (String zone : zones) {
            all.add(new ZoneRoom(zone, before.getOrDefault(zone, Room.NONE), after.getOrDefault(zone, Room.NONE)));
        }
        return all;
    }
}
