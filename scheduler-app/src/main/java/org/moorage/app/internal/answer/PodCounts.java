// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.List;
import java.util.Map;

/** Numbers of pods by name. */
public final class PodCounts {
    private PodCounts() {}

    /**
     * A number of pods on a node.
     *
     * @param node the node
     * @param pods the number of pods
     */
    public record OnNode(String node, int pods) {
        /** Returns all of them, those with most pods first. */
        public static List<OnNode> all(Map<String, Integer> podsByNode) {
            return new Counts(podsByNode)
                    .byName().entrySet().stream()
                            .map(entry -> new OnNode(entry.getKey(), entry.getValue()))
                            .toList();
        }
    }

    /**
     * A number of pods in a zone.
     *
     * @param zone the zone
     * @param pods the number of pods
     */
    public record InZone(String zone, int pods) {
        /** Returns all of them, those with most pods first. */
        public static List<InZone> all(Map<String, Integer> podsByZone) {
            return new Counts(podsByZone)
                    .byName().entrySet().stream()
                            .map(entry -> new InZone(entry.getKey(), entry.getValue()))
                            .toList();
        }
    }
}
