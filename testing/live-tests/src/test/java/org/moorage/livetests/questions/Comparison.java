// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.questions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The differences between the real result of an operation on a cluster and the command's answer.
 *
 * @param otherNumbers different numbers of scheduled or pending pods, or different yes-no answers, in words
 * @param otherNodes equal numbers of pods on different nodes, in words
 */
record Comparison(List<String> otherNumbers, List<String> otherNodes) {
    static Comparison ofPlaces(Map<String, String> real, Map<String, String> answered) {
        return of(real, answered, true);
    }

    /** Like {@link #ofPlaces}, for answers that contain no nodes. */
    static Comparison ofNumbers(Map<String, String> real, Map<String, String> answered) {
        return of(real, answered, false);
    }

    private static Comparison of(Map<String, String> real, Map<String, String> answered, boolean hasNodes) {
        Map<String, Places> first = Places.of(real);
        Map<String, Places> second = Places.of(answered);
        List<String> numbers = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        TreeSet<String> workloads = new TreeSet<>(first.keySet());
        workloads.addAll(second.keySet());
        for (String workload : workloads) {
            Places there = first.getOrDefault(workload, new Places(Map.of(), 0));
            Places here = second.getOrDefault(workload, new Places(Map.of(), 0));
            String text = workload + " real " + there + ", answered " + here;
            if (there.waiting() != here.waiting() || there.placed() != here.placed()) {
                numbers.add(text);
            } else if (hasNodes && !there.equals(here)) {
                nodes.add(text);
            }
        }
        return new Comparison(numbers, nodes);
    }

    /** Compares other values; a difference counts among the numbers. */
    static Comparison of(String what, Object real, Object answered) {
        return new Comparison(
                real.equals(answered) ? List.of() : List.of(what + " real " + real + ", answered " + answered),
                List.of());
    }

    Comparison and(Comparison other) {
        List<String> numbers = new ArrayList<>(otherNumbers);
        numbers.addAll(other.otherNumbers);
        List<String> nodes = new ArrayList<>(otherNodes);
        nodes.addAll(other.otherNodes);
        return new Comparison(numbers, nodes);
    }

    boolean isSame() {
        return otherNumbers.isEmpty() && otherNodes.isEmpty();
    }

    @Override
    public String toString() {
        List<String> all = new ArrayList<>(otherNumbers);
        all.addAll(otherNodes);
        return all.isEmpty() ? "same" : String.join("; ", all);
    }
}
