// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;

/**
 * The state of a node in the cache, and an entry of the cache's linked list of nodes, the last changed first. Guarded
 * by the cache's lock.
 */
final class NodeState {
    final String name;
    final NodeContents contents;
    /** Null while pods on the node are known, but the node itself is not or no longer known. */
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

    NodeState(SnapshotNode known) {
        name = known.name();
        contents = new NodeContents(known);
        node = known.node();
        generation = known.generation();
    }
}
