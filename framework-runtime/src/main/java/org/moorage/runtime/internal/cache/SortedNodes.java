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

    /** These nodes, in whatever order they are given. A node that is given several times counts once. */
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

    /** Not a copy. */
    List<NodeInfo> view() {
        return view;
    }

    boolean contains(NodeInfo node) {
        return find(node) >= 0;
    }

    private int find(NodeInfo node) {
        return Collections.binarySearch(nodes, node, BY_INDEX);
    }

    /** Has a node in place of the one of its index, if that is among them. */
    void replace(NodeInfo node) {
        int position = find(node);
        if (position >= 0) {
            nodes.set(position, node);
        }
    }

    /** Has a node in place of the one of its index if it is to be among them, else none of that index. */
    void putIf(NodeInfo node, Predicate<NodeInfo> which) {
        int position = find(node);
        if (which.test(node)) {
            if (position >= 0) {
                nodes.set(position, node);
            } else {
                nodes.add(-position - 1, node);
            }
        } else if (position >= 0) {
            nodes.remove(position);
        }
    }
}
