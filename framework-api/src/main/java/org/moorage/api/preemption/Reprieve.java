// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * The result of reprieving possible victims: one after the other stays if the preemptor still fits, first those whose
 * eviction would violate a pod disruption budget, and the most important first.
 *
 * @param victims the victims that have to leave, the most important first
 * @param pdbViolations how many of their pods violate a budget
 */
record Reprieve(List<Victim> victims, int pdbViolations) {
    /**
     * A victim of which a pod violates a budget.
     *
     * @param violations how many of its pods do
     */
    private record Violating(Victim victim, int violations) {}

    /**
     * Returns the budgets sorted by name. A pod that violates one budget does not count against the next ones, so their
     * order matters; kube-scheduler's order is undefined.
     */
    static List<PodDisruptionBudget> ordered(ObjectLister<PodDisruptionBudget> budgets) {
        List<PodDisruptionBudget> ordered = new ArrayList<>(budgets.all());
        ordered.sort(Comparator.comparing(budget -> budget.metadata().name()));
        return ordered;
    }

    /** The result of putting a victim back. */
    enum Outcome {
        /** It stays there. */
        STAYS,
        /** It leaves again, and may violate a budget. */
        LEAVES,
        /** It leaves again, which does not count as a violation of a budget. */
        LEAVES_UNCOUNTED
    }

    /**
     * Reprieves the victims that can stay.
     *
     * @param possible the possible victims, whose removal is simulated
     * @param putBack puts a victim back, and removes it again if it cannot stay
     */
    static Reprieve of(List<Victim> possible, List<PodDisruptionBudget> budgets, Function<Victim, Outcome> putBack) {
        List<Violating> violating = new ArrayList<>();
        List<Victim> nonViolating = new ArrayList<>();
        splitByPdbViolation(mostImportantFirst(possible), budgets, violating, nonViolating);
        List<Victim> victims = new ArrayList<>();
        int pdbViolations = 0;
        for (Violating other : violating) {
            Outcome outcome = putBack.apply(other.victim);
            if (outcome != Outcome.STAYS) {
                victims.add(other.victim);
                pdbViolations += outcome == Outcome.LEAVES ? other.violations : 0;
            }
        }
        for (Victim other : nonViolating) {
            if (putBack.apply(other) != Outcome.STAYS) {
                victims.add(other);
            }
        }
        return new Reprieve(mostImportantFirst(victims), pdbViolations);
    }

    static List<Victim> mostImportantFirst(List<Victim> victims) {
        Victim[] ordered = victims.toArray(Victim[]::new);
        GoSort.sort(ordered, Victim::isMoreImportant);
        return List.of(ordered);
    }

    private static void splitByPdbViolation(
            List<Victim> possible,
            List<PodDisruptionBudget> budgets,
            List<Violating> violating,
            List<Victim> nonViolating) {
        int[] allowed = new int[budgets.size()];
        for (int i = 0; i < allowed.length; i++) {
            allowed[i] = budgets.get(i).disruptionsAllowed();
        }
        for (Victim victim : possible) {
            int violations = 0;
            for (Pod pod : victim.pods()) {
                violations += violates(pod, budgets, allowed) ? 1 : 0;
            }
            if (violations == 0) {
                nonViolating.add(victim);
            } else {
                violating.add(new Violating(victim, violations));
            }
        }
    }

    // Each matching pod uses up a disruption of its budgets, even if it is reprieved later; a pod that violates a
    // budget does not use up those of the next budgets.
    private static boolean violates(Pod pod, List<PodDisruptionBudget> budgets, int[] allowed) {
        for (int i = 0; i < allowed.length; i++) {
            if (budgets.get(i).matches(pod)) {
                allowed[i]--;
                if (allowed[i] < 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the pods that have to leave. */
    List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        for (Victim victim : victims) {
            pods.addAll(victim.pods());
        }
        return pods;
    }

    /** Returns how many of the victims are groups, or pods of groups. */
    int groupDisruptions() {
        int count = 0;
        for (Victim victim : victims) {
            count += victim.isOfGroup() ? 1 : 0;
        }
        return count;
    }
}
