// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Objects;

/**
 * A recorded answer of the real kube-scheduler, with what it was asked.
 *
 * @param name its name, or {@code line 12} if it has none
 * @param kind what it is about
 * @param tree the whole line
 */
public record Vector(String name, VectorKind kind, ObjectNode tree) {
    public Vector {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(tree, "tree");
    }
}
