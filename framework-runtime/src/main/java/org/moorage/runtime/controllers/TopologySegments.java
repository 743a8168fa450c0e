// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.controllers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.api.model.Node;

/** The topology segments of a storage driver, such as zones, with the nodes in each. */
final class TopologySegments {
    private final Map<String, List<Node>> nodesBySegment = new TreeMap<>();

    /** Adds a node to the segment that its labels of these keys name. */
    void add(Node node, List<String> topologyKeys) {
        Map<String, String> segment = new TreeMap<>();
        for (String key : topologyKeys) {
            String value = node.labels().get(key);
            if (value != null) {
                segment.put(key, value);
            }
        }
        nodesBySegment
                .computeIfAbsent(segment.toString(), any -> new ArrayList<>())
                .add(node);
    }

    boolean isEmpty() {
        return nodesBySegment.isEmpty();
    }

    /**
     * Returns all nodes in the order in which a volume for a claim is provisioned: segment by segment, beginning with
     * one that depends on the claim's name. external-provisioner spreads volumes in this way.
     */
    List<Node> nodesFor(String claimName) {
        List<List<Node>> segments = new ArrayList<>(nodesBySegment.values());
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            int index = Integer.remainderUnsigned(spreadingNumber(claimName) + i, segments.size());
            List<Node> segment = new ArrayList<>(segments.get(index));
            segment.sort(Comparator.comparing(Node::name));
            nodes.addAll(segment);
        }
        return nodes;
    }

    // Claims of one replica of a StatefulSet, which are named CLAIM-SET-NUMBER, have the same number, and those of the
    // next replica the next one.
    private static int spreadingNumber(String claimName) {
        int end = claimName.lastIndexOf('-');
        String ordinal = claimName.substring(end + 1);
        if (end < 0 || !ordinal.matches("\\d{1,9}")) {
            return hash(claimName);
        }
        String set = claimName.substring(0, end);
        return hash(set.substring(set.lastIndexOf('-') + 1)) + Integer.parseInt(ordinal);
    }

    // FNV-1, as in external-provisioner.
    private static int hash(String text) {
        int hash = 0x811c9dc5;
        for (byte unit : text.getBytes(UTF_8)) {
            hash = (hash * 0x01000193) ^ (unit & 0xff);
        }
        return hash;
    }
}
