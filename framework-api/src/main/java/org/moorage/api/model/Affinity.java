// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Optional;

/**
 * A pod's wishes about where it runs.
 *
 * @param node about nodes
 * @param pod about pods to be near to; present even if it names no term
 * @param podAnti about pods to be apart from; present even if it names no term
 */
public record Affinity(NodeAffinity node, Optional<PodAffinity> pod, Optional<PodAffinity> podAnti) {
    /** No wish. */
    public static final Affinity NONE = new Affinity(NodeAffinity.NONE, Optional.empty(), Optional.empty());

    /** Whether pods are mentioned in any way, even without a term. */
    public boolean mentionsPods() {
        return pod.isPresent() || podAnti.isPresent();
    }

    /** Whether pods to be apart from are required. */
    public boolean requiresAntiAffinity() {
        return podAnti.isPresent() && !podAnti.get().required().isEmpty();
    }
}
