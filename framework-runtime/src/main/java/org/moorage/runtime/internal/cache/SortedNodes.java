// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.moorage.api.NodeInfo;

/** A set of nodes of a snapshot, in the order of their indexes. */
final class SortedNodes {
    private static final Comparator<NodeInfo> BY_INDEX = Comparator.comparingInt(NodeInfo::index);

    private final List<NodeInfo> nodes;
    private final List<NodeInfo> view;

    private SortedNodes(List<NodeInfo> nodes) {
        this.nodes = nodes;
        view = Collections.unmodifiableList(nodes);
    }

    /** Returns a set of the given nodes, which may be in any order. Duplicates are ignored. */
    static SortedNodes of(Collection<? extends NodeInfo> nodes) {
        List<NodeInfo> sorted = new ArrayList<>(nodes);
        sorted.sort(BY_INDEX);
        int size = 0;
        for (NodeInfo node : sorted) {
            if (size == 0 || sorted.get(size - 1).index() != node.index()) {
                sorted.set(size++, node);
            }
        }
        sorted.subList(size, sorted.size()).clear();
        return new SortedNodes(sorted);
    }

    /** Returns a live view of the nodes. */
    List<NodeInfo> view() {
        return view;
    }

    void clear() {
        nodes.clear();
    }

    boolean contains(NodeInfo node) {
        return find(node) >= 0;
    }

    private int find(NodeInfo node) {
        return Collections.binarySearch(nodes, node, BY_INDEX);
    }

    /** Replaces the node of the same index, if the set has it. */
    void replace(NodeInfo node) {
        int position = find(node);
        if (position >= 0) {
            nodes.set(position, node);
        }
    }

    /** Adds or replaces the node of an index if the predicate holds for it; otherwise removes that index. */
    void putIf(NodeInfo node, Predicate<NodeInfo> which) {
        int position = find(node);
        if (which.test(node)) {
            put(position, node);
        } else if (position >= 0) {
            nodes.remove(position);
        }
    }

    private void put(int position, NodeInfo node) {
        if (position >= 0) {
            nodes.set(position, node);
        } else {
            nodes.add(-position - 1, node);
        }
    }
}
