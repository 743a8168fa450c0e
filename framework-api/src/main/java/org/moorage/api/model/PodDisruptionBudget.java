// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A pod disruption budget.
 *
 * @param metadata its name, namespace and the like
 * @param selector selects its pods; empty selects none
 * @param disruptionsAllowed the number of disruptions that are allowed now
 * @param disruptedPods the names of pods whose eviction was processed and that still exist
 */
public record PodDisruptionBudget(
        ObjectMeta metadata, Optional<LabelSelector> selector, int disruptionsAllowed, Set<String> disruptedPods)
        implements ClusterObject {
    public PodDisruptionBudget {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(selector, "selector");
        disruptedPods = Set.copyOf(disruptedPods);
    }

    /**
     * Whether the eviction of a pod counts against the budget. Unlike elsewhere, a selector without requirements matches no pod
     * here. A pod without labels is in no budget, and a disrupted pod has already been counted.
     */
    public boolean matches(Pod pod) {
        Map<String, String> labels = pod.labels();
        return !labels.isEmpty()
                && metadata.namespace().equals(pod.namespace())
                && selector.isPresent()
                && !selector.get().isEmpty()
                && selector.get().matches(labels)
                && !disruptedPods.contains(pod.name());
    }

    @Override
    public String toString() {
        return key();
    }
}
