// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;

/** The objects that keep their JSON text, with the fields that the object model omits. */
public enum KeptJson {
    /** Pods without a node, see {@link Pod#json}. */
    PENDING_PODS,
    /** Pods with a node. */
    BOUND_PODS,
    /** Nodes, see {@link Node#json}. */
    NODES;

    /** No object keeps its text. */
    public static final Set<KeptJson> NONE = Set.of();
}
