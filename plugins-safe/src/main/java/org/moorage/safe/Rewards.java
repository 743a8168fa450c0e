// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * How well pods of a type ran on a node: 1 if they always run well, 0 if they always fail. Each outcome changes the
 * average a little. Above its limits it forgets the types that were read and updated least recently. Safe for use by
 * several threads.
 */
final class Rewards {
    /** A type may be the name of a single pod, so the number of types is unlimited. */
    static final int MOST_TYPES = 1_000;

    private static final int MOST_PAIRS = 100_000;

    private final double weight;
    private final double initial;
    /** In least recently used order. */
    private final Map<String, Map<String, Double>> byTypeAndNode = new LinkedHashMap<>(16, 0.75f, true);

    private final Set<String> changed = new HashSet<>();
    private int pairs;

    /**
     * Creates rewards without outcomes.
     *
     * @param weight the weight of one outcome, 0 to 1
     * @param initial the reward of a type on a node without any outcome
     */
    Rewards(double weight, double initial) {
        this.weight = weight;
        this.initial = initial;
    }

    /** Returns the reward of a pod type on a node. */
    synchronized double of(String type, String node) {
        Map<String, Double> byNode = byTypeAndNode.get(type);
        return byNode == null ? initial : byNode.getOrDefault(node, initial);
    }

    /** Returns whether there was an outcome of the type on the node. */
    synchronized boolean knows(String type, String node) {
        Map<String, Double> byNode = byTypeAndNode.get(type);
        return byNode != null && byNode.containsKey(node);
    }

    /** Adds one outcome to the average. */
    synchronized void add(String type, String node, double reward) {
        Map<String, Double> byNode = byTypeAndNode.computeIfAbsent(type, any -> new HashMap<>());
        int before = byNode.size();
        byNode.merge(
                node,
                (1 - weight) * initial + weight * reward,
                (average, first) -> (1 - weight) * average + weight * reward);
        pairs += byNode.size() - before;
        changed.add(type);
        Iterator<Map.Entry<String, Map<String, Double>>> oldest =
                byTypeAndNode.entrySet().iterator();
        while (byTypeAndNode.size() > MOST_TYPES || pairs > MOST_PAIRS && byTypeAndNode.size() > 1) {
            Map.Entry<String, Map<String, Double>> forgotten = oldest.next();
            pairs -= forgotten.getValue().size();
            changed.remove(forgotten.getKey());
            oldest.remove();
        }
    }

    /** Adds persisted rewards up to the limits; pairs that have an outcome since keep their own. */
    synchronized void addKept(Map<String, Map<String, Double>> kept) {
        kept.forEach((type, nodes) -> {
            if (byTypeAndNode.containsKey(type) || byTypeAndNode.size() < MOST_TYPES) {
                nodes.forEach((node, reward) -> {
                    if (pairs < MOST_PAIRS
                            && byTypeAndNode
                                            .computeIfAbsent(type, any -> new HashMap<>())
                                            .putIfAbsent(node, reward)
                                    == null) {
                        pairs++;
                    }
                });
            }
        });
    }

    /** Removes a node. */
    synchronized void forget(String node) {
        forgetNodes(nodes -> nodes.remove(node));
    }

    /** Removes all other nodes. */
    synchronized void keepNodes(Set<String> known) {
        forgetNodes(nodes -> nodes.retainAll(known));
    }

    private void forgetNodes(Predicate<Set<String>> removal) {
        Iterator<Map.Entry<String, Map<String, Double>>> all =
                byTypeAndNode.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<String, Map<String, Double>> type = all.next();
            Set<String> nodes = type.getValue().keySet();
            int before = nodes.size();
            if (removal.test(nodes)) {
                changed.add(type.getKey());
                pairs -= before - nodes.size();
                if (nodes.isEmpty()) {
                    all.remove();
                }
            }
        }
    }

    /** Returns a copy, with the types in the order of their last use. */
    synchronized Map<String, Map<String, Double>> all() {
        Map<String, Map<String, Double>> copy = new LinkedHashMap<>();
        byTypeAndNode.forEach((type, nodes) -> copy.put(type, new TreeMap<>(nodes)));
        return copy;
    }

    /** Returns the types that changed since the last call. */
    synchronized Set<String> takeChanged() {
        Set<String> taken = Set.copyOf(changed);
        changed.clear();
        return taken;
    }
}
