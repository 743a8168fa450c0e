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
 * @param currentHealthy the current number of healthy pods
 * @param desiredHealthy the required number of healthy pods
 * @param unhealthyPodEvictionPolicy {@link #ALWAYS_ALLOW} if unhealthy pods may always be evicted; empty if it has no
 *     policy
 */
public record PodDisruptionBudget(
        ObjectMeta metadata,
        Optional<LabelSelector> selector,
        int disruptionsAllowed,
        Set<String> disruptedPods,
        int currentHealthy,
        int desiredHealthy,
        String unhealthyPodEvictionPolicy)
        implements ClusterObject {
    /** The policy that allows evicting unhealthy pods regardless of the budget. */
    public static final String ALWAYS_ALLOW = "AlwaysAllow";

    public PodDisruptionBudget {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(selector, "selector");
        disruptedPods = Set.copyOf(disruptedPods);
        Objects.requireNonNull(unhealthyPodEvictionPolicy, "unhealthyPodEvictionPolicy");
    }

    /** Creates a budget with only the fields that scheduling reads. */
    public PodDisruptionBudget(
            ObjectMeta metadata, Optional<LabelSelector> selector, int disruptionsAllowed, Set<String> disruptedPods) {
        this(metadata, selector, disruptionsAllowed, disruptedPods, 0, 0, "");
    }

    /** Returns the budget with other numbers of allowed disruptions and healthy pods. */
    public PodDisruptionBudget withHealth(int allowed, int healthy) {
        return new PodDisruptionBudget(
                metadata, selector, allowed, disruptedPods, healthy, desiredHealthy, unhealthyPodEvictionPolicy);
    }

    /**
     * Returns whether the budget selects a pod, as eviction and the disruption controller evaluate it: a selector
     * without requirements selects all pods of the namespace. Preemption uses {@link #matches}.
     */
    public boolean selects(Pod pod) {
        return metadata.namespace().equals(pod.namespace())
                && selector.isPresent()
                && selector.get().matches(pod.labels());
    }

    /**
     * Returns whether the preemption of a pod counts against the budget. Here, unlike elsewhere, a selector without
     * requirements matches no pod. A pod without labels is in no budget, and a disrupted pod has already been counted.
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
