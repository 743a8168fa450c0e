// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.whatif.PodReason;
import org.moorage.simulation.whatif.Workload;

/**
 * The pods of one owner, or, of pods that have none, those of a namespace with one specification; or those of several
 * owners.
 *
 * @param name what they are called together
 * @param pods the pods, in order; at least one
 */
public record PodRows(String name, List<SimulatedPod> pods) {
    /**
     * The outcome that some pods of the group have in common.
     *
     * @param same the state and the reasons of the pods
     * @param message the merged message of the pods, with ranges for the numbers of nodes
     * @param pods the number of pods
     */
    public record Outcome(Same same, String message, int pods) {
        /** Returns the state of the pods. */
        public State state() {
            return same.state;
        }
    }

    /** The state and the reasons of pods with the same outcome. */
    public record Same(State state, String plugin, PodReason.Key reasons) {}

    private record AllOf(String namespace) {}

    private record Alike(String namespace, PodSpec spec) {}

    public PodRows {
        pods = List.copyOf(pods);
    }

    /**
     * The groups of these pods: those with the most failures come first, then those with the most pods without a node,
     * and else in order. Owners none of whose pods has a node, all for the same reasons, are one group.
     *
     * @param byNamespace whether those of a namespace are a group, in place of those of an owner
     */
    public static List<PodRows> of(List<SimulatedPod> pods, boolean byNamespace) {
        Map<Object, List<SimulatedPod>> byKey = new LinkedHashMap<>();
        for (SimulatedPod pod : pods) {
            Object key = byNamespace ? new AllOf(pod.pod().namespace()) : key(pod.pod());
            byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(pod);
        }
        Map<Object, List<PodRows>> byOutcome = new LinkedHashMap<>();
        byKey.forEach((key, owned) -> {
            PodRows group = new PodRows(name(key, owned.get(0).pod(), owned.size()), owned);
            List<Outcome> outcomes =
                    outcomes(owned.stream().filter(PodRows::isWanted).toList());
            boolean isAlike = !byNamespace && outcomes.size() == 1 && group.unplaced() == group.demand();
            Object same = isAlike ? outcomes.get(0).same() : key;
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
        return pod.metadata().controller().isEmpty()
                ? new Alike(pod.metadata().namespace(), pod.spec())
                : Workload.of(pod);
    }

    private static String name(Object key, Pod first, int pods) {
        if (key instanceof AllOf all) {
            return all.namespace;
        }
        if (key instanceof Workload workload) {
            return workload.key();
        }
        return pods == 1 ? first.key() : first.key() + " +" + (pods - 1) + " alike";
    }

    /**
     * Things that are about pods, by what the pods of a row are called together, in order.
     *
     * @param podOf the pod that one is about
     */
    public static <T> Map<String, List<T>> byName(List<T> things, Function<T, Pod> podOf) {
        Map<Object, List<T>> byKey = new LinkedHashMap<>();
        things.forEach(thing -> byKey.computeIfAbsent(key(podOf.apply(thing)), any -> new ArrayList<>())
                .add(thing));
        Map<String, List<T>> byName = new LinkedHashMap<>();
        byKey.forEach((key, of) -> byName.computeIfAbsent(
                        name(key, podOf.apply(of.get(0)), of.size()), any -> new ArrayList<>())
                .addAll(of));
        return byName;
    }

    /** Returns the message of a pod in a row. */
    public static String message(SimulatedPod pod) {
        if (pod.state() == State.SCHEDULED && pod.attempts() > 1) {
            return "at attempt " + pod.attempts() + (pod.scheduledAfterFlush() ? ", after the periodic flush" : "");
        }
        return (pod.plugin().isEmpty() ? "" : pod.plugin() + ": ") + pod.message();
    }

    private int failures() {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += pod.state().isFailure() && isWanted(pod) ? 1 : 0;
        }
        return count;
    }

    // Another one has come in the place of one that was created again.
    private static boolean isWanted(SimulatedPod pod) {
        return pod.createdAgainAs().isEmpty();
    }

    /** How many pods there are, without those that others were created for. */
    public int demand() {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += isWanted(pod) ? 1 : 0;
        }
        return count;
    }

    /** How many of these have no node. */
    public int unplaced() {
        int count = 0;
        for (SimulatedPod pod : pods) {
            count += pod.nodeName().isEmpty() && isWanted(pod) ? 1 : 0;
        }
        return count;
    }

    /** Returns the outcomes of the pods that were not simply scheduled, the most frequent first. */
    public List<Outcome> outcomes() {
        return outcomes(pods);
    }

    private static List<Outcome> outcomes(List<SimulatedPod> pods) {
        Map<Same, List<SimulatedPod>> podsByReasons = new LinkedHashMap<>();
        for (SimulatedPod pod : pods) {
            if (pod.state() != State.SCHEDULED) {
                Same same = new Same(pod.state(), pod.plugin(), pod.reason().key());
                podsByReasons.computeIfAbsent(same, any -> new ArrayList<>()).add(pod);
            }
        }
        List<Outcome> outcomes = new ArrayList<>();
        podsByReasons.forEach((same, alike) -> outcomes.add(new Outcome(same, message(alike), alike.size())));
        outcomes.sort(Comparator.comparingInt(outcome -> -outcome.pods));
        return outcomes;
    }

    private static String message(List<SimulatedPod> alike) {
        String first = message(alike.get(0));
        if (alike.stream().allMatch(pod -> message(pod).equals(first))) {
            return first;
        }
        Set<String> left = new HashSet<>();
        int again = 0;
        for (SimulatedPod pod : alike) {
            pod.preemption()
                    .map(SimulatedPod.Preemption::nodeName)
                    .filter(nodeName -> !nodeName.isEmpty())
                    .ifPresent(left::add);
            again += isWanted(pod) ? 0 : 1;
        }
        if (left.isEmpty()) {
            return PodReason.merged(alike.stream().map(SimulatedPod::reason).toList());
        }
        return "had to leave " + (left.size() == 1 ? left.iterator().next() : left.size() + " nodes")
                + " for more important pods" + (again == 0 ? "" : ", and " + again + " were created again");
    }
}
