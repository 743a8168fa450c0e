// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;

/**
 * The pods of one owner, or, of pods that have none, those of a namespace with one specification; or those of several owners.
 *
 * @param name what they are called together
 * @param pods the pods, in order; at least one
 */
record PodRows(String name, List<SimulatedPod> pods) {
    /** What became of some pods of the group, for one reason. */
    record Outcome(State state, String message, int pods) {
        Outcome withoutCount() {
            return new Outcome(state, message, 0);
        }
    }

    private record Alike(String namespace, PodSpec spec) {}

    PodRows {
        pods = List.copyOf(pods);
    }

    /**
     * The groups of these pods: those with the most failures come first, then those with the most pods without a node, and else in order. Owners
     * none of whose pods has a node, all with the same message, are one group.
     */
    static List<PodRows> of(List<SimulatedPod> pods) {
        Map<Object, List<SimulatedPod>> byKey = new LinkedHashMap<>();
        for (SimulatedPod pod : pods) {
            byKey.computeIfAbsent(key(pod.pod()), any -> new ArrayList<>()).add(pod);
        }
        Map<Object, List<PodRows>> byOutcome = new LinkedHashMap<>();
        byKey.forEach((key, owned) -> {
            PodRows group = new PodRows(name(key, owned), owned);
            List<Outcome> outcomes = group.outcomes();
            boolean isAlike = outcomes.size() == 1 && group.unplaced() == owned.size();
            Object same = isAlike ? outcomes.get(0).withoutCount() : key;
            byOutcome.computeIfAbsent(same, any -> new ArrayList<>()).add(group);
        });
        List<PodRows> groups = new ArrayList<>();
        byOutcome.values().forEach(same -> groups.add(united(same)));
        groups.sort(Comparator.<PodRows>comparingInt(group -> -group.failures())
                .thenComparingInt(group -> -group.unplaced()));
        return groups;
    }

    private static PodRows united(List<PodRows> groups) {
        PodRows first = groups.get(0);
        if (groups.size() == 1) {
            return first;
        }
        List<SimulatedPod> pods = new ArrayList<>();
        groups.forEach(group -> pods.addAll(group.pods));
        return new PodRows(first.name + " and " + (groups.size() - 1) + " more", pods);
    }

    private static Object key(Pod pod) {
        Optional<PodOwner> owner = PodOwner.of(pod);
        return owner.isPresent() ? owner.get() : new Alike(pod.metadata().namespace(), pod.spec());
    }

    private static String name(Object key, List<SimulatedPod> pods) {
        if (key instanceof PodOwner owner) {
            return owner.namespace() + "/" + owner.name();
        }
        String first = pods.get(0).pod().key();
        return pods.size() == 1 ? first : first + " +" + (pods.size() - 1) + " alike";
    }

    private int failures() {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += pod.state().isFailure() ? 1 : 0;
        }
        return count;
    }

    /** How many of the pods have no node. */
    int unplaced() {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += pod.nodeName().isEmpty() ? 1 : 0;
        }
        return count;
    }

    /** What became of the pods that were not simply placed, the most frequent first. */
    List<Outcome> outcomes() {
        Map<Outcome, Integer> counts = new LinkedHashMap<>();
        for (SimulatedPod pod : pods) {
            if (pod.state() != State.SCHEDULED) {
                counts.merge(new Outcome(pod.state(), SimulationReport.message(pod), 0), 1, Integer::sum);
            }
        }
        List<Outcome> outcomes = new ArrayList<>();
        counts.forEach((outcome, count) -> outcomes.add(new Outcome(outcome.state, outcome.message, count)));
        outcomes.sort(Comparator.comparingInt(outcome -> -outcome.pods));
        return outcomes;
    }
}
