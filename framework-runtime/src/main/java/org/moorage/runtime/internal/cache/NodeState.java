// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;

/** What the cache knows of a node; a link of its list of nodes, the last changed first. Guarded by the cache's lock. */
final class NodeState {
    final String name;
    final NodeContents contents;
    /** Absent while pods on the node are known but the node itself is not, or not any more. */
    @Nullable
    Node node;

    long generation;

    @Nullable
    NodeState previous;

    @Nullable
    NodeState next;

    NodeState(String name) {
        this.name = name;
        contents = new NodeContents();
    }

    /** What a snapshot knows of a node. */
    NodeState(SnapshotNode known) {
        name = known.name();
        contents = new NodeContents(known);
        node = known.node();
        generation = known.generation();
    }
}
