// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The topology domains of a node label among the nodes of a {@link Snapshot}: nodes with equal values are in one
 * domain.
 *
 * <p>Domains are numbered from 0, so that they can be indexes of an array. Immutable.
 */
public final class Topology {
    /** The domain number of a node without the label. */
    public static final int NONE = -1;

    private final int[] domainByNode;
    private final Map<String, Integer> domainByValue;
    private final int size;
    private final int nodesWithLabel;

    private Topology(int[] domainByNode, Map<String, Integer> domainByValue, int size, int nodesWithLabel) {
        this.domainByNode = domainByNode;
        this.domainByValue = domainByValue;
        this.size = size;
        this.nodesWithLabel = nodesWithLabel;
    }

    /** Returns the domains of a label among all nodes of a snapshot. */
    public static Topology of(String key, List<NodeInfo> nodes) {
        int[] domainByNode = new int[nodes.size()];
        Arrays.fill(domainByNode, NONE);
        Map<String, Integer> domainByValue = new HashMap<>();
        int nodesWithLabel = 0;
        for (int i = 0; i < domainByNode.length; i++) {
            String value = nodes.get(i).node().labels().get(key);
            if (value != null) {
                Integer known = domainByValue.putIfAbsent(value, domainByValue.size());
                domainByNode[i] = known == null ? domainByValue.size() - 1 : known;
                nodesWithLabel++;
            }
        }
        return new Topology(domainByNode, domainByValue, domainByValue.size(), nodesWithLabel);
    }

    /**
     * Returns a topology in which each node with the label has a separate domain. If several nodes have the same value,
     * {@link #domainOf} returns {@link #NONE} for every value.
     */
    public Topology byNode() {
        if (nodesWithLabel == size) {
            return this;
        }
        int[] own = new int[domainByNode.length];
        int next = 0;
        for (int i = 0; i < own.length; i++) {
            own[i] = domainByNode[i] == NONE ? NONE : next++;
        }
        return new Topology(own, Map.of(), nodesWithLabel, nodesWithLabel);
    }

    /**
     * Returns a topology in which only the given nodes have a domain, with the same numbers.
     *
     * @param nodes nodes of the snapshot
     */
    public Topology among(List<NodeInfo> nodes) {
        int[] own = new int[domainByNode.length];
        Arrays.fill(own, NONE);
        int labeled = 0;
        for (NodeInfo node : nodes) {
            labeled += own[node.index()] == NONE && domain(node) != NONE ? 1 : 0;
            own[node.index()] = domain(node);
        }
        return new Topology(own, domainByValue, size, labeled);
    }

    /** Returns the number of domains. */
    public int size() {
        return size;
    }

    /**
     * Returns the domain of a node of the snapshot, or of a copy of one; {@link #NONE} if the node does not have the
     * label.
     */
    public int domain(NodeInfo node) {
        return domainByNode[node.index()];
    }

    /**
     * Sums amounts per node, given by {@link NodeInfo#index() index}, for each domain.
     *
     * @throws IllegalArgumentException if the number of amounts differs from the number of nodes
     */
    public int[] sums(int[] amounts) {
        if (amounts.length != domainByNode.length) {
            throw new IllegalArgumentException(
                    "amounts: " + amounts.length + " (expected: " + domainByNode.length + ")");
        }
        int[] sums = new int[size()];
        for (int i = 0; i < amounts.length; i++) {
            if (domainByNode[i] != NONE) {
                sums[domainByNode[i]] += amounts[i];
            }
        }
        return sums;
    }

    /** Returns whether every node has the label. */
    public boolean hasAllNodes() {
        return nodesWithLabel == domainByNode.length;
    }

    /** Returns the domain of the nodes with this value, or {@link #NONE}. */
    public int domainOf(String value) {
        return domainByValue.getOrDefault(value, NONE);
    }
}
