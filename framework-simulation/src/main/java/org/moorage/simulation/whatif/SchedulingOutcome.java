// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The result of one scheduler for a cluster, for a comparison with another one's. Immutable.
 *
 * @param pods the pods with their nodes
 * @param balance the resulting utilization of the nodes
 */
public record SchedulingOutcome(RescheduledPods pods, ClusterBalance balance) {
    public SchedulingOutcome {
        Objects.requireNonNull(pods, "pods");
        Objects.requireNonNull(balance, "balance");
    }

    /**
     * The pods to schedule. Immutable.
     *
     * @param waiting the pending pods
     * @param anew running pods that are removed from their nodes first, and recreated by their controllers
     */
    public record Demand(List<Pod> waiting, List<Pod> anew) {
        public Demand {
            waiting = List.copyOf(waiting);
            anew = List.copyOf(anew);
        }

        /** The same pods, as if all of them named one profile. */
        public Demand forProfile(String schedulerName) {
            Map<PodSpec, PodSpec> renamed = new HashMap<>();
            Function<Pod, Pod> rename = pod -> pod.withSpec(renamed.computeIfAbsent(
                    pod.spec(),
                    spec -> spec.toBuilder().schedulerName(schedulerName).build()));
            return new Demand(
                    waiting.stream().map(rename).toList(),
                    anew.stream().map(rename).toList());
        }
    }

    /**
     * A pod that is scheduled to different nodes.
     *
     * @param pod the pod
     * @param before the node that it, or the pod whose place it takes, was on; empty if it waited
     * @param first its node by one outcome; empty if it has none
     * @param second its node by the other
     */
    public record MovedPod(Pod pod, String before, String first, String second) {}

    /**
     * Schedules pods with one scheduler; the cluster does not change.
     *
     * @param cluster the cluster with that scheduler
     * @param sizes the pods for which the remaining capacity is measured
     * @param progress receives the number of attempts made so far
     */
    public static SchedulingOutcome of(KnownCluster cluster, Demand demand, PodSizes sizes, IntConsumer progress) {
        try (Transaction tried = cluster.whatIf().begin()) {
            RescheduledPods pods = cluster.rescheduling(tried.evict(demand.anew))
                    .progress(progress)
                    .gone(demand.anew)
                    .waiting(demand.waiting)
                    .schedule();
            return new SchedulingOutcome(pods, ClusterBalance.of(cluster.nodes().values(), tried::podsOn, sizes));
        }
    }

    /** Returns the pods that another outcome for the same pods schedules to a different node, in order. */
    public List<MovedPod> moved(SchedulingOutcome other) {
        Map<String, RescheduledPod> byUid = new HashMap<>();
        other.pods.pods().forEach(pod -> byUid.put(pod.pod().uid(), pod));
        List<MovedPod> moved = new ArrayList<>();
        for (RescheduledPod pod : pods.pods()) {
            RescheduledPod second = byUid.remove(pod.pod().uid());
            String first = pod.nodeName().orElse("");
            // A pod that is recreated only in this outcome was preempted only here; it keeps its node in the other one.
            String there = second == null ? pod.nodeBefore() : second.nodeName().orElse("");
            if (!first.equals(there)) {
                moved.add(new MovedPod(pod.pod(), pod.nodeBefore(), first, there));
            }
        }
        for (RescheduledPod pod : other.pods.pods()) {
            String second = pod.nodeName().orElse("");
            if (byUid.containsKey(pod.pod().uid()) && !pod.nodeBefore().equals(second)) {
                moved.add(new MovedPod(pod.pod(), pod.nodeBefore(), pod.nodeBefore(), second));
            }
        }
        return moved;
    }

    /** Returns the number of pods that were on a node before and are now on another node or on none. */
    public int leaving() {
        int count = 0;
        for (RescheduledPod pod : pods.pods()) {
            boolean isElsewhere = !pod.nodeBefore().equals(pod.nodeName().orElse(""));
            count += !pod.nodeBefore().isEmpty() && isElsewhere ? 1 : 0;
        }
        return count;
    }
}
