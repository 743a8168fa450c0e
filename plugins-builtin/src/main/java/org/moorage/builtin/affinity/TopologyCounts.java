// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.moorage.api.NodeInfo;
import org.moorage.api.Topology;

/**
 * Counts of matching terms, or counts of their weights, by topology key and topology domain. Immutable.
 *
 * <p>AddPod and RemovePod change the counts of one node's domains, so a changed copy shares the counts of the whole
 * cluster and has one change for each key, in the domain of that node.
 */
final class TopologyCounts {
    private final String[] keys;
    private final Topology[] topologies;
    private final long[][] counts;
    private final int[] changedDomains;
    private final long[] changes;
    private final int nonZero;

    private TopologyCounts(
            String[] keys, Topology[] topologies, long[][] counts, int[] changedDomains, long[] changes, int nonZero) {
        this.keys = keys;
        this.topologies = topologies;
        this.counts = counts;
        this.changedDomains = changedDomains;
        this.changes = changes;
        this.nonZero = nonZero;
    }

    /** Adds up counts. For one thread, and not used again after {@link #build}. */
    static final class Builder {
        private final Function<String, Topology> topologyOf;
        private String[] keys = new String[2];
        private Topology[] topologies = new Topology[2];
        private long[][] counts = new long[2][];
        private int size;
        private boolean isEmpty = true;

        /**
         * Creates a builder without counts.
         *
         * @param topologyOf returns the topology of a key
         */
        Builder(Function<String, Topology> topologyOf) {
            this.topologyOf = topologyOf;
        }

        /** Returns the index of a topology key, in the order in which the keys were first named. */
        int key(String topologyKey) {
            for (int i = 0; i < size; i++) {
                if (keys[i].equals(topologyKey)) {
                    return i;
                }
            }
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, size * 2);
                topologies = Arrays.copyOf(topologies, size * 2);
                counts = Arrays.copyOf(counts, size * 2);
            }
            Topology topology = topologyOf.apply(topologyKey);
            keys[size] = topologyKey;
            topologies[size] = topology;
            counts[size] = new long[topology.size()];
            return size++;
        }

        /** Adds an amount to the domain of a node; has no effect if the node does not have the key. */
        void add(int key, NodeInfo node, long amount) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE) {
                counts[key][domain] += amount;
                isEmpty = false;
            }
        }

        /** Adds an amount to each domain. */
        void add(int key, int[] amounts) {
            add(key, amounts, 1);
        }

        /** Adds an amount to each domain so many times. */
        void add(int key, int[] times, long amount) {
            for (int domain = 0; domain < times.length; domain++) {
                counts[key][domain] += times[domain] * amount;
                isEmpty &= times[domain] == 0;
            }
        }

        /** Returns the topology of a key. */
        Topology topology(int key) {
            return topologies[key];
        }

        /** Returns whether nothing was added; a 0 that was added counts. */
        boolean isEmpty() {
            return isEmpty;
        }

        TopologyCounts build() {
            int nonZero = 0;
            for (int key = 0; key < size; key++) {
                for (long count : counts[key]) {
                    nonZero += count == 0 ? 0 : 1;
                }
            }
            return of(Arrays.copyOf(keys, size), Arrays.copyOf(topologies, size), Arrays.copyOf(counts, size), nonZero);
        }
    }

    private static TopologyCounts of(String[] keys, Topology[] topologies, long[][] counts, int nonZero) {
        int[] changedDomains = new int[keys.length];
        Arrays.fill(changedDomains, Topology.NONE);
        return new TopologyCounts(keys, topologies, counts, changedDomains, new long[keys.length], nonZero);
    }

    /** Returns whether all counts are 0. */
    boolean isEmpty() {
        return nonZero == 0;
    }

    /** Returns whether the node has all the topology keys. */
    boolean hasAllKeys(NodeInfo node) {
        for (Topology topology : topologies) {
            if (topology.domain(node) == Topology.NONE) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the counts of all domains of the node are above 0. */
    boolean areAllPositive(NodeInfo node) {
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE && count(key, domain) <= 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the count of one of the domains of the node is above 0. */
    boolean isAnyPositive(NodeInfo node) {
        if (nonZero == 0) {
            return false;
        }
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE && count(key, domain) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the sum of the counts of all domains of the node. */
    long total(NodeInfo node) {
        long total = 0;
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE) {
                total += count(key, domain);
            }
        }
        return total;
    }

    private long count(int key, int domain) {
        long count = counts[key][domain];
        return domain == changedDomains[key] ? count + changes[key] : count;
    }

    /** Returns the counts with an amount added to the domain of a node, once for each topology key in the list. */
    TopologyCounts plus(NodeInfo node, List<String> topologyKeys, long amount, Function<String, Topology> topologyOf) {
        TopologyCounts result = this;
        for (String topologyKey : topologyKeys) {
            result = result.plus(node, topologyKey, amount, topologyOf);
        }
        return result;
    }

    private TopologyCounts plus(NodeInfo node, String topologyKey, long amount, Function<String, Topology> topologyOf) {
        int key = List.of(keys).indexOf(topologyKey);
        if (key < 0) {
            return withKey(topologyKey, topologyOf.apply(topologyKey)).plus(node, topologyKey, amount, topologyOf);
        }
        int domain = topologies[key].domain(node);
        if (domain == Topology.NONE) {
            return this;
        }
        long before = count(key, domain);
        int nonZeroAfter = nonZero + (before + amount == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
        if (changedDomains[key] != Topology.NONE && changedDomains[key] != domain) {
            long[][] merged = counts.clone();
            merged[key] = counts[key].clone();
            merged[key][changedDomains[key]] += changes[key];
            return new TopologyCounts(
                    keys, topologies, merged, changed(key, domain), changed(key, amount), nonZeroAfter);
        }
        return new TopologyCounts(
                keys, topologies, counts, changed(key, domain), changed(key, changes[key] + amount), nonZeroAfter);
    }

    private TopologyCounts withKey(String topologyKey, Topology topology) {
        int size = keys.length;
        String[] moreKeys = Arrays.copyOf(keys, size + 1);
        Topology[] moreTopologies = Arrays.copyOf(topologies, size + 1);
        long[][] moreCounts = Arrays.copyOf(counts, size + 1);
        int[] moreDomains = Arrays.copyOf(changedDomains, size + 1);
        moreKeys[size] = topologyKey;
        moreTopologies[size] = topology;
        moreCounts[size] = new long[topology.size()];
        moreDomains[size] = Topology.NONE;
        return new TopologyCounts(
                moreKeys, moreTopologies, moreCounts, moreDomains, Arrays.copyOf(changes, size + 1), nonZero);
    }

    private int[] changed(int key, int domain) {
        int[] result = changedDomains.clone();
        result[key] = domain;
        return result;
    }

    private long[] changed(int key, long change) {
        long[] result = changes.clone();
        result[key] = change;
        return result;
    }
}
