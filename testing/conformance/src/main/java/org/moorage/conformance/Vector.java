// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;

/** A case recorded from the real kube-scheduler: its input and its result. */
public final class Vector {
    private final String name;
    private final VectorKind kind;
    private final ObjectNode tree;

    Vector(String name, VectorKind kind, ObjectNode tree) {
        this.name = Objects.requireNonNull(name, "name");
        this.kind = Objects.requireNonNull(kind, "kind");
        this.tree = Objects.requireNonNull(tree, "tree");
    }

    /** Returns the name of the case, or {@code line 12} if it has none. */
    public String name() {
        return name;
    }

    /** Returns the kind of the case. */
    public VectorKind kind() {
        return kind;
    }

    /** Returns the whole line. */
    ObjectNode tree() {
        return tree;
    }
}
