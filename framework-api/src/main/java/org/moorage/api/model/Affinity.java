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

    /** About pods to be near to; without terms if these are not mentioned. */
    public PodAffinity near() {
        return pod.orElse(PodAffinity.NONE);
    }

    /** About pods to be apart from; without terms if these are not mentioned. */
    public PodAffinity apart() {
        return podAnti.orElse(PodAffinity.NONE);
    }

    /** Whether pods to be apart from are required. */
    public boolean requiresAntiAffinity() {
        return !apart().required().isEmpty();
    }
}
