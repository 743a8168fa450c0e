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
 * How well pods of a type fared on a node: 1 if all is well, 0 if they always fail. Each outcome moves it a little. Of more types than it
 * can hold it forgets those that were not asked about, and had no outcome, for longest. Safe for use by several threads.
 */
final class Rewards {
    /** A type may be the name of a single pod, so there is no end of them. */
    static final int MOST_TYPES = 1_000;

    private static final int MOST_PAIRS = 100_000;

    private final double weight;
    private final double initial;
    /** In the order of their last use. */
    private final Map<String, Map<String, Double>> byTypeAndNode = new LinkedHashMap<>(16, 0.75f, true);

    private final Set<String> changed = new HashSet<>();
    private int pairs;

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
        Map<String, Double> byNode = byTypeAndNode.get(type);
        return byNode != null && byNode.containsKey(node);
    }

    /** Takes one outcome into account. */
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

    /** Takes over what was kept as far as there is room, but for what there was an outcome of since. */
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

    /** Forgets a node. */
    synchronized void forget(String node) {
        forgetNodes(nodes -> nodes.remove(node));
    }

    /** Forgets all other nodes. */
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

    /** A copy, the types in the order of their last use. */
    synchronized Map<String, Map<String, Double>> all() {
        Map<String, Map<String, Double>> copy = new LinkedHashMap<>();
        byTypeAndNode.forEach((type, nodes) -> copy.put(type, new TreeMap<>(nodes)));
        return copy;
    }

    /** The types that changed since somebody last asked. */
    synchronized Set<String> takeChanged() {
        Set<String> taken = Set.copyOf(changed);
        changed.clear();
        return taken;
    }
}
