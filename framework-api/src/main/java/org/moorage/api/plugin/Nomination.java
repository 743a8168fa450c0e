// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/** What becomes of the node that a pod is likely to get, {@code status.nominatedNodeName}. */
public sealed interface Nomination {
    /** It stays as the pod's status says. */
    Nomination KEEP = new Keep();
    /** It is taken back. */
    Nomination CLEAR = new To("");

    /** It stays as the pod's status says. */
    record Keep() implements Nomination {}

    /**
     * It becomes this node.
     *
     * @param nodeName the node; empty to take the nomination back
     */
    record To(String nodeName) implements Nomination {
        public To {
            Objects.requireNonNull(nodeName, "nodeName");
        }
    }
}
