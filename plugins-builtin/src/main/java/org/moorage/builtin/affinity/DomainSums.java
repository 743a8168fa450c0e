// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.affinity;

import java.util.Arrays;
import java.util.List;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Topology;

/**
 * Amounts by topology key and domain: how many pods count there, or how much they weigh. Immutable.
 *
 * <p>What is tried is tried on one node, so what differs from the sums of the whole cluster is kept apart from them: one
 * change for each key, in the domain of that node.
 */
final class DomainSums {
    private final String[] keys;
    private final Topology[] topologies;
    private final long[][] sums;
    private final int[] changedDomains;
    private final long[] changes;
    private final int domains;

    private DomainSums(
            String[] keys, Topology[] topologies, long[][] sums, int[] changedDomains, long[] changes, int domains) {
        this.keys = keys;
        this.topologies = topologies;
        this.sums = sums;
        this.changedDomains = changedDomains;
        this.changes = changes;
        this.domains = domains;
    }

    /** Adds up amounts. For one thread, and of no use after {@link #build}. */
    static final class Builder {
        private final Snapshot snapshot;
        private String[] keys = new String[2];
        private Topology[] topologies = new Topology[2];
        private long[][] sums = new long[2][];
        private int size;
        private boolean isTouched;

        Builder(Snapshot snapshot) {
            this.snapshot = snapshot;
        }

        /** The number of a topology key, given out in the order in which keys are first asked for. */
        int key(String topologyKey) {
            for (int i = 0; i < size; i++) {
                if (keys[i].equals(topologyKey)) {
                    return i;
                }
            }
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, size * 2);
                topologies = Arrays.copyOf(topologies, size * 2);
                sums = Arrays.copyOf(sums, size * 2);
            }
            Topology topology = snapshot.topology(topologyKey);
            keys[size] = topologyKey;
            topologies[size] = topology;
            sums[size] = new long[topology.size()];
            return size++;
        }

        /** Adds an amount to the domain of a node; nothing happens if the node does not have the key. */
        void add(int key, NodeInfo node, long amount) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE) {
                sums[key][domain] += amount;
                isTouched = true;
            }
        }

        /** Whether any amount was added, be it 0. */
        boolean isTouched() {
            return isTouched;
        }

        DomainSums build() {
            int domains = 0;
            for (int key = 0; key < size; key++) {
                for (long sum : sums[key]) {
                    domains += sum == 0 ? 0 : 1;
                }
            }
            return of(Arrays.copyOf(keys, size), Arrays.copyOf(topologies, size), Arrays.copyOf(sums, size), domains);
        }
    }

    private static DomainSums of(String[] keys, Topology[] topologies, long[][] sums, int domains) {
        int[] changedDomains = new int[keys.length];
        Arrays.fill(changedDomains, Topology.NONE);
        return new DomainSums(keys, topologies, sums, changedDomains, new long[keys.length], domains);
    }

    /** Whether all sums are 0. */
    boolean isEmpty() {
        return domains == 0;
    }

    /** Whether the node has all the topology keys. */
    boolean hasAllKeys(NodeInfo node) {
        for (Topology topology : topologies) {
            if (topology.domain(node) == Topology.NONE) {
                return false;
            }
        }
        return true;
    }

    /** Whether the sum is above 0 in all domains that the node is in. */
    boolean areAllPositive(NodeInfo node) {
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE && sum(key, domain) <= 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the sum is above 0 in a domain that the node is in. */
    boolean isAnyPositive(NodeInfo node) {
        if (domains == 0) {
            return false;
        }
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE && sum(key, domain) > 0) {
                return true;
            }
        }
        return false;
    }

    /** The sum over all domains that the node is in. */
    long total(NodeInfo node) {
        long total = 0;
        for (int key = 0; key < keys.length; key++) {
            int domain = topologies[key].domain(node);
            if (domain != Topology.NONE) {
                total += sum(key, domain);
            }
        }
        return total;
    }

    private long sum(int key, int domain) {
        long sum = sums[key][domain];
        return domain == changedDomains[key] ? sum + changes[key] : sum;
    }

    /** The sums with an amount added to the domain of a node, once for each time that a topology key is given. */
    DomainSums plus(NodeInfo node, List<String> topologyKeys, long amount, Snapshot snapshot) {
        DomainSums result = this;
        for (String topologyKey : topologyKeys) {
            result = result.plus(node, topologyKey, amount, snapshot);
        }
        return result;
    }

    private DomainSums plus(NodeInfo node, String topologyKey, long amount, Snapshot snapshot) {
        int key = List.of(keys).indexOf(topologyKey);
        if (key < 0) {
            return withKey(topologyKey, snapshot.topology(topologyKey)).plus(node, topologyKey, amount, snapshot);
        }
        int domain = topologies[key].domain(node);
        if (domain == Topology.NONE) {
            return this;
        }
        long before = sum(key, domain);
        int nonZero = domains + (before + amount == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
        if (changedDomains[key] != Topology.NONE && changedDomains[key] != domain) {
            long[][] settled = sums.clone();
            settled[key] = sums[key].clone();
            settled[key][changedDomains[key]] += changes[key];
            return new DomainSums(keys, topologies, settled, changed(key, domain), changed(key, amount), nonZero);
        }
        return new DomainSums(
                keys, topologies, sums, changed(key, domain), changed(key, changes[key] + amount), nonZero);
    }

    private DomainSums withKey(String topologyKey, Topology topology) {
        int size = keys.length;
        String[] moreKeys = Arrays.copyOf(keys, size + 1);
        Topology[] moreTopologies = Arrays.copyOf(topologies, size + 1);
        long[][] moreSums = Arrays.copyOf(sums, size + 1);
        int[] moreDomains = Arrays.copyOf(changedDomains, size + 1);
        moreKeys[size] = topologyKey;
        moreTopologies[size] = topology;
        moreSums[size] = new long[topology.size()];
        moreDomains[size] = Topology.NONE;
        return new DomainSums(
                moreKeys, moreTopologies, moreSums, moreDomains, Arrays.copyOf(changes, size + 1), domains);
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
