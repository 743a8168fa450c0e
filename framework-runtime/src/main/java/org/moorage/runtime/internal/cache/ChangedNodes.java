// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a trial that differ from its base, by name. Preemption branches a trial for each node that it tries, so
 * the branches of one state share one copy of it, each with its own changes on top.
 */
final class ChangedNodes {
    private final Map<String, SnapshotNode> inherited;
    private final Map<String, SnapshotNode> own = new HashMap<>();
    // A copy of all changed nodes for branches, until the next change. Several threads may branch concurrently.
    private volatile @Nullable Map<String, SnapshotNode> copy;

    ChangedNodes() {
        this(Map.of());
    }

    private ChangedNodes(Map<String, SnapshotNode> inherited) {
        this.inherited = inherited;
    }

    /** Returns a copy. Later changes of one of the two do not affect the other. */
    ChangedNodes branch() {
        if (own.isEmpty()) {
            return new ChangedNodes(inherited);
        }
        Map<String, SnapshotNode> all = copy;
        if (all == null) {
            all = new HashMap<>(inherited);
            all.putAll(own);
            copy = all;
        }
        return new ChangedNodes(all);
    }

    @Nullable
    SnapshotNode find(String name) {
        SnapshotNode node = own.get(name);
        return node == null ? inherited.get(name) : node;
    }

    void put(SnapshotNode node) {
        copy = null;
        own.put(node.name(), node);
    }

    /** Restores the node of the base. */
    void revert(SnapshotNode ofBase) {
        if (inherited.containsKey(ofBase.name())) {
            put(ofBase);
        } else {
            copy = null;
            own.remove(ofBase.name());
        }
    }

    boolean isEmpty() {
        return own.isEmpty() && inherited.isEmpty();
    }

    /** Returns the nodes, in no particular order; some may equal those of the base. */
    Collection<SnapshotNode> nodes() {
        if (own.isEmpty()) {
            return inherited.values();
        }
        if (inherited.isEmpty()) {
            return own.values();
        }
        List<SnapshotNode> all = new ArrayList<>(own.values());
        inherited.forEach((name, node) -> {
            if (!own.containsKey(name)) {
                all.add(node);
            }
        });
        return all;
    }
}
