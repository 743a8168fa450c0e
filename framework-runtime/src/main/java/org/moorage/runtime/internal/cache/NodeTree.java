// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.model.Node;

/**
 * The order in which kube-scheduler lists nodes: one of each zone in turn, zones in the order of their first node,
 * nodes in the order in which they were added to their zone.
 */
final class NodeTree {
    private final Map<String, Set<String>> namesByZone = new LinkedHashMap<>();
    private int size;

    void add(Node node) {
        if (namesByZone
                .computeIfAbsent(zoneOf(node), zone -> new LinkedHashSet<>())
                .add(node.name())) {
            size++;
        }
    }

    void remove(Node node) {
        String zone = zoneOf(node);
        Set<String> names = namesByZone.get(zone);
        if (names != null && names.remove(node.name())) {
            size--;
            if (names.isEmpty()) {
                namesByZone.remove(zone);
            }
        }
    }

    /** Updates a node; returns whether this moved it to another zone. */
    boolean update(Node before, Node after) {
        if (zoneOf(before).equals(zoneOf(after))) {
            return false;
        }
        remove(before);
        add(after);
        return true;
    }

    List<String> names() {
        List<List<String>> zones = new ArrayList<>();
        for (Set<String> names : namesByZone.values()) {
            zones.add(new ArrayList<>(names));
        }
        List<String> all = new ArrayList<>(size);
        for (int round = 0; all.size() < size; round++) {
            for (List<String> zone : zones) {
                if (round < zone.size()) {
                    all.add(zone.get(round));
                }
            }
        }
        return all;
    }

    private static String zoneOf(Node node) {
        String region = label(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
        String zone = label(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
        // The separator cannot occur in a label, so that no two pairs make one key.
        return region.isEmpty() && zone.isEmpty() ? "" : region + ":\0:" + zone;
    }

    private static String label(Node node, String beta, String stable) {
        String value = node.labels().get(beta);
        return value != null ? value : node.labels().getOrDefault(stable, "");
    }
}
