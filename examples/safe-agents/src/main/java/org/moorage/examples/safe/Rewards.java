// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.safe;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How well pods of a type fared on a node: 1 if all is well, 0 if they always fail. Each outcome moves it a little. Safe for use by
 * several threads.
 */
final class Rewards {
    private final double weight;
    private final double initial;
    private final Map<String, Map<String, Double>> byTypeAndNode = new HashMap<>();
    private long changes;

    /**
     * Rewards of pods that nobody has seen yet.
     *
     * @param weight how much one outcome counts, 0 to 1
     * @param initial what is assumed of a type on a node without any outcome
     */
    Rewards(double weight, double initial) {
        this.weight = weight;
        this.initial = initial;
    }

    /** What pods of a type have on a node. */
    synchronized double of(String type, String node) {
        Map<String, Double> byNode = byTypeAndNode.get(type);
        return byNode == null ? initial : byNode.getOrDefault(node, initial);
    }

    /** Whether there was an outcome of the type on the node. */
    synchronized boolean knows(String type, String node) {
        return byTypeAndNode.getOrDefault(type, Map.of()).containsKey(node);
    }

    /** Takes one outcome into account. */
    synchronized void add(String type, String node, double reward) {
        Map<String, Double> byNode = byTypeAndNode.computeIfAbsent(type, any -> new HashMap<>());
        byNode.merge(
                node,
                (1 - weight) * initial + weight * reward,
                (before, first) -> (1 - weight) * before + weight * reward);
        changes++;
    }

    /** Takes over what was kept, but for what there was an outcome of since. */
    synchronized void addKept(Map<String, Map<String, Double>> kept) {
        kept.forEach((type, nodes) -> nodes.forEach((node, reward) ->
                byTypeAndNode.computeIfAbsent(type, any -> new HashMap<>()).putIfAbsent(node, reward)));
    }

    /** A copy, in order. */
    synchronized Map<String, Map<String, Double>> all() {
        Map<String, Map<String, Double>> copy = new TreeMap<>();
        byTypeAndNode.forEach((type, nodes) -> copy.put(type, new TreeMap<>(nodes)));
        return copy;
    }

    /** How many outcomes there were, to tell whether there were any since. */
    synchronized long changes() {
        return changes;
    }
}
