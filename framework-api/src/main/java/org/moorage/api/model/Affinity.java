// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A pod's scheduling constraints.
 *
 * @param nodeAffinity the nodes that the pod may or should run on
 * @param podAffinity the pods that it must or should run together with; may be present without terms
 * @param podAntiAffinity the pods that it must not or should not run together with; may be present without terms
 */
public record Affinity(
        NodeAffinity nodeAffinity, Optional<PodAffinity> podAffinity, Optional<PodAffinity> podAntiAffinity) {
    /** No affinity of any kind. */
    public static final Affinity NONE = new Affinity(NodeAffinity.NONE, Optional.empty(), Optional.empty());

    public Affinity {
        Objects.requireNonNull(nodeAffinity, "nodeAffinity");
        Objects.requireNonNull(podAffinity, "podAffinity");
        Objects.requireNonNull(podAntiAffinity, "podAntiAffinity");
    }

    /** Returns whether pod affinity or pod anti-affinity is present, even without a term. */
    public boolean hasPodAffinity() {
        return podAffinity.isPresent() || podAntiAffinity.isPresent();
    }

    /** Returns whether there is a required pod anti-affinity term. */
    public boolean hasRequiredAntiAffinity() {
        return !requiredAntiAffinityTerms().isEmpty();
    }

    /** Returns the required terms of the pod affinity. */
    public List<PodAffinityTerm> requiredAffinityTerms() {
        return podAffinity.orElse(PodAffinity.NONE).required();
    }

    /** Returns the required terms of the pod anti-affinity. */
    public List<PodAffinityTerm> requiredAntiAffinityTerms() {
        return podAntiAffinity.orElse(PodAffinity.NONE).required();
    }

    /** Returns the preferred terms of the pod affinity. */
    public List<PodAffinityTerm.Weighted> preferredAffinityTerms() {
        return podAffinity.orElse(PodAffinity.NONE).preferred();
    }

    /** Returns the preferred terms of the pod anti-affinity. */
    public List<PodAffinityTerm.Weighted> preferredAntiAffinityTerms() {
        return podAntiAffinity.orElse(PodAffinity.NONE).preferred();
    }
}
