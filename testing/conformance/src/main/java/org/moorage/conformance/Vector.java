// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;

/** A recorded answer of the real kube-scheduler, with what it was asked. */
public final class Vector {
    private final String name;
    private final VectorKind kind;
    private final ObjectNode tree;

    Vector(String name, VectorKind kind, ObjectNode tree) {
        this.name = Objects.requireNonNull(name, "name");
        this.kind = Objects.requireNonNull(kind, "kind");
        this.tree = Objects.requireNonNull(tree, "tree");
    }

    /** Its name, or {@code line 12} if it has none. */
    public String name() {
        return name;
    }

    /** What it is about. */
    public VectorKind kind() {
        return kind;
    }

    /** The whole line. */
    ObjectNode tree() {
        return tree;
    }
}
