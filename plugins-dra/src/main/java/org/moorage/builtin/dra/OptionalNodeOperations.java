// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.moorage.api.model.Node;

/** Whether nodes can leave out what devices ask the kubelet to leave out. */
final class OptionalNodeOperations {
    private static final String FEATURE = "DRAOptionalNodeOperations";

    private OptionalNodeOperations() {}

    /** Whether the node declares that its kubelet knows of it. */
    static boolean areKnownOn(Node node) {
        return node.declaredFeatures().contains(FEATURE);
    }
}
