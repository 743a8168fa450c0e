// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.Node;

/** The parts of a cluster in which a storage driver makes volumes, such as zones, and the nodes in each. */
final class Segments {
    private final Map<String, List<Node>> nodesByPlace = new TreeMap<>();

    /** Adds a node; it is where its labels of these keys say. */
    void add(Node node, List<String> topologyKeys) {
        Map<String, String> place = new TreeMap<>();
        for (String key : topologyKeys) {
            String value = node.labels().get(key);
            if (value != null) {
                place.put(key, value);
            }
        }
        nodesByPlace.computeIfAbsent(place.toString(), any -> new ArrayList<>()).add(node);
    }

    boolean isEmpty() {
        return nodesByPlace.isEmpty();
    }

    /**
     * All nodes, in the order in which a volume for a claim is tried to be made for them: from one part on, which depends on
     * the claim's name, as the provisioners of CSI drivers have it, so that volumes are spread.
     */
    List<Node> nodesFor(String claimName) {
        List<List<Node>> parts = new ArrayList<>(nodesByPlace.values());
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            List<Node> there = new ArrayList<>(parts.get(Integer.remainderUnsigned(turn(claimName) + i, parts.size())));
            there.sort(Comparator.comparing(Node::name));
            nodes.addAll(there);
        }
        return nodes;
    }

    // Claims of one replica of a StatefulSet, which are called CLAIM-SET-NUMBER, are together, and the next one's next
    // to them.
    private static int turn(String claimName) {
        int end = claimName.lastIndexOf('-');
        String number = claimName.substring(end + 1);
        if (end < 0 || !number.matches("\\d{1,9}")) {
            return hash(claimName);
        }
        String set = claimName.substring(0, end);
        return hash(set.substring(set.lastIndexOf('-') + 1)) + Integer.parseInt(number);
    }

    // FNV-1, as in the provisioners.
    private static int hash(String text) {
        int hash = 0x811c9dc5;
        for (byte unit : text.getBytes(UTF_8)) {
            hash = (hash * 0x01000193) ^ (unit & 0xff);
        }
        return hash;
    }
}
