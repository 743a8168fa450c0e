// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.internal.workload.BudgetStatuses;

/**
 * The disruption budgets of a cluster while pods are evicted and recreated, by the rules of the eviction API and the
 * disruption controller. A recreated pod counts as healthy once it has a node, if the pod that it replaces was healthy.
 */
final class EvictionBudgets {
    private static final PodReason SEVERAL = PodReason.of(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
    private static final String REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";

    private final List<Budget> budgets = new ArrayList<>();
    private final Map<String, List<Budget>> byNamespace = new HashMap<>();
    private final Set<String> waitedBefore = new HashSet<>();

    /** A budget with the changes since the start. */
    private static final class Budget {
        private final PodDisruptionBudget before;
        // The allowed disruptions; a negative number is the number of missing healthy pods.
        private final int slack;
        private int change;
        private int evicted;
        private int blocked;
        private int told;

        Budget(PodDisruptionBudget before) {
            this.before = before;
            slack = before.disruptionsAllowed() > 0
                    ? before.disruptionsAllowed()
                    : Math.min(0, before.currentHealthy() - before.desiredHealthy());
        }

        int allowed() {
            return Math.max(0, slack + change);
        }

        int healthy() {
            return Math.max(0, before.currentHealthy() + change);
        }

        PodReason refusal() {
            String budget =
                    REFUSED + " The disruption budget " + before.metadata().name();
            if (before.desiredHealthy() > 0 && healthy() <= before.desiredHealthy()) {
                String needs = budget + " needs " + before.desiredHealthy() + " healthy pods";
                return PodReason.of(needs + " and has " + healthy() + " currently", needs);
            }
            return PodReason.of(budget + " does not allow evicting pods currently");
        }
    }

    /**
     * Creates the budgets in their initial state.
     *
     * @param waiting the pods that have no node yet
     */
    EvictionBudgets(Collection<PodDisruptionBudget> known, Collection<Pod> waiting) {
        for (PodDisruptionBudget budget : known) {
            Budget added = new Budget(budget);
            budgets.add(added);
            byNamespace
                    .computeIfAbsent(budget.metadata().namespace(), any -> new ArrayList<>())
                    .add(added);
        }
        waiting.forEach(pod -> waitedBefore.add(pod.uid()));
    }

    /** Evicts a pod; returns why if that is refused. */
    Optional<PodReason> evict(Pod pod) {
        if (pod.status().isTerminal() || pod.metadata().isDeleting() || isStarting(pod)) {
            return Optional.empty();
        }
        List<Budget> of = of(pod);
        if (of.isEmpty()) {
            return Optional.empty();
        }
        if (of.size() > 1) {
            return Optional.of(SEVERAL);
        }
        Budget budget = of.get(0);
        boolean isHealthy = isHealthy(pod);
        if (!isHealthy) {
            boolean isAlways = budget.before.unhealthyPodEvictionPolicy().equals(PodDisruptionBudget.ALWAYS_ALLOW);
            if (isAlways || budget.before.desiredHealthy() > 0 && budget.healthy() >= budget.before.desiredHealthy()) {
                budget.evicted++;
                return Optional.empty();
            }
        }
        if (budget.allowed() == 0) {
            return Optional.of(budget.refusal());
        }
        budget.evicted++;
        // As the API server does, until the disruption controller recounts. The recount ignores unhealthy pods.
        budget.change--;
        return Optional.empty();
    }

    /** Counts a pod whose eviction is permanently refused. */
    void blocked(Pod pod) {
        of(pod).forEach(budget -> budget.blocked++);
    }

    /** Recounts the healthy pods, as the disruption controller does. */
    void count(RescheduledPods pods) {
        budgets.forEach(budget -> budget.change = 0);
        for (RescheduledPods.RescheduledPod pod : pods.pods()) {
            boolean waited = waitedBefore.contains(pod.origin().uid());
            boolean isHealthy = pod.nodeName().isPresent() && (waited || isHealthy(pod.origin()));
            boolean wasHealthy = !waited && isHealthy(pod.origin());
            add(pod.origin(), (isHealthy ? 1 : 0) - (wasHealthy ? 1 : 0));
        }
        for (RecreatedPod pod : pods.gone()) {
            boolean wasHealthy = !waitedBefore.contains(pod.gone().uid()) && isHealthy(pod.gone());
            add(pod.gone(), wasHealthy ? -1 : 0);
        }
    }

    private void add(Pod pod, int change) {
        if (change != 0) {
            of(pod).forEach(budget -> budget.change += change);
        }
    }

    /** Returns the present state of the budgets whose allowed disruptions have changed since the last call. */
    List<PodDisruptionBudget> changed() {
        List<PodDisruptionBudget> changed = new ArrayList<>();
        for (Budget budget : budgets) {
            if (budget.change != budget.told) {
                budget.told = budget.change;
                changed.add(budget.before.withHealth(budget.allowed(), budget.healthy()));
            }
        }
        return changed;
    }

    /** Returns the budgets that have allowed or refused evictions, in order. */
    List<DrainResult.UsedBudget> used() {
        List<DrainResult.UsedBudget> used = new ArrayList<>();
        for (Budget budget : budgets) {
            if (budget.evicted > 0 || budget.blocked > 0) {
                used.add(new DrainResult.UsedBudget(
                        budget.before,
                        budget.before.disruptionsAllowed(),
                        budget.evicted,
                        budget.blocked,
                        budget.allowed()));
            }
        }
        return used;
    }

    /** Counts pods that are gone without an eviction. */
    void lost(Collection<Pod> pods) {
        pods.forEach(pod -> add(pod, isHealthy(pod) ? -1 : 0));
    }

    /** Returns why the eviction of this pod alone would be refused; empty if it would be allowed. */
    Optional<String> wouldRefuse(Pod pod) {
        if (pod.metadata().isDeleting() || isStarting(pod)) {
            return Optional.empty();
        }
        List<Budget> of = of(pod);
        if (of.size() > 1) {
            return Optional.of("pods in more than one disruption budget");
        }
        return of.isEmpty() || of.get(0).allowed() > 0
                ? Optional.empty()
                : Optional.of("disruption budget " + of.get(0).before.key() + " allows no eviction");
    }

    boolean selects(Pod pod) {
        return !of(pod).isEmpty();
    }

    private List<Budget> of(Pod pod) {
        List<Budget> inNamespace = byNamespace.getOrDefault(pod.namespace(), List.of());
        if (inNamespace.isEmpty()) {
            return List.of();
        }
        List<Budget> selecting = new ArrayList<>(1);
        for (Budget budget : inNamespace) {
            if (budget.before.selects(pod)) {
                selecting.add(budget);
            }
        }
        return selecting;
    }

    // A pod that was pending before counts as running, regardless of the node that it is scheduled to.
    private boolean isStarting(Pod pod) {
        return !waitedBefore.contains(pod.uid()) && BudgetStatuses.isStarting(pod);
    }

    private boolean isHealthy(Pod pod) {
        return waitedBefore.contains(pod.uid()) || BudgetStatuses.isHealthy(pod);
    }
}
