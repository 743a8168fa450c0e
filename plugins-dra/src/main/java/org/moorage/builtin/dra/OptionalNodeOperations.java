// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.model.Node;

/** Checks whether the kubelets of nodes can skip the node operations that devices exclude. */
final class OptionalNodeOperations {
    private static final String FEATURE = "DRAOptionalNodeOperations";

    private OptionalNodeOperations() {}

    /** Returns whether the node declares that its kubelet supports this. */
    static boolean areKnownOn(Node node) {
        return node.declaredFeatures().contains(FEATURE);
    }
}
