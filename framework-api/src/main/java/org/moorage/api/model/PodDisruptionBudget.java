// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How many pods of an application may be taken away at a time.
 *
 * @param metadata its name, namespace and the like
 * @param selector the pods that it is about; without one it is about none
 * @param disruptionsAllowed how many of them may be taken away now
 * @param disruptedPods the names of pods whose eviction the API server has let through and that are still there
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
     * Whether taking this pod away counts against the budget. A selector without requirements is about no pod here, unlike
     * elsewhere, a pod without labels is in no budget, and a pod that is on its way out has been counted.
     */
    public boolean countsFor(Pod pod) {
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
