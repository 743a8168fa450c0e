// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * A cluster whose pending pods have been scheduled to its existing nodes, for trials of new nodes for the pods that are
 * left. For one thread; must be closed.
 */
final class ScaleUpTrial implements AutoCloseable {
    private static final PodReason PREEMPTED = PodReason.of("preempted, and its node has no room for it");

    private final KnownCluster cluster;
    private final int expendablePodsPriorityCutoff;
    private final Transaction existing;
    private final List<RescheduledPod> onOwnNodes = new ArrayList<>();
    private final List<RescheduledPod> expendable = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private int placedBefore;
    private int displaced;
    private int lost;

    /**
     * Schedules pending pods to the existing nodes.
     *
     * @param expendablePodsPriorityCutoff the priority below which pods are expendable, so that no nodes are added for
     *     them
     */
    ScaleUpTrial(KnownCluster cluster, Collection<Pod> waiting, int expendablePodsPriorityCutoff) {
        this.cluster = cluster;
        this.expendablePodsPriorityCutoff = expendablePodsPriorityCutoff;
        existing = cluster.whatIf().begin();
        boolean isReady = false;
        try {
            schedule(waiting);
            isReady = true;
        } finally {
            if (!isReady) {
                existing.close();
            }
        }
    }

    private void schedule(Collection<Pod> waiting) {
        RescheduledPods before = cluster.rescheduling(existing).waiting(waiting).schedule();
        for (RescheduledPod pod : before.unplaced()) {
            if (RecreatedPod.fateOf(pod.pod()) == RecreatedPod.Fate.OF_NODE) {
                onOwnNodes.add(pod);
            } else if (isExpendable(pod)) {
                expendable.add(pod);
            } else {
                pods.add(pod.pod());
            }
        }
        // A DaemonSet creates a preempted pod again, for the same node only.
        for (RecreatedPod pod : before.gone()) {
            if (RecreatedPod.isOfDaemonSet(pod.gone())) {
                onOwnNodes.add(preempted(pod.gone()));
            }
            lost += pod.fate() == RecreatedPod.Fate.LOST ? 1 : 0;
        }
        placedBefore = before.pods().size() - before.unplaced().size();
        for (RescheduledPod pod : before.pods()) {
            displaced += pod.nodeBefore().isEmpty() ? 0 : 1;
        }
    }

    private static RescheduledPod preempted(Pod pod) {
        return new RescheduledPod(pod, pod, pod.nodeName(), Optional.empty(), PREEMPTED, List.of());
    }

    private boolean isExpendable(RescheduledPod pod) {
        return pod.pod().spec().priority() < expendablePodsPriorityCutoff;
    }

    /** Returns the pods that do not fit on the existing nodes and for which nodes may be added. */
    List<Pod> pods() {
        return pods;
    }

    /** Returns the result of scheduling these pods with new nodes. */
    RescheduledPods with(Collection<? extends ClusterObject> newNodes) {
        return inSteps(List.of(newNodes));
    }

    /**
     * Returns the result of scheduling these pods with new nodes that are added in steps, each when the pods have been
     * scheduled to those before.
     */
    RescheduledPods inSteps(List<? extends Collection<? extends ClusterObject>> steps) {
        RescheduledPods result = new RescheduledPods(List.of(), List.of());
        List<Pod> waiting = pods;
        try (Transaction more = existing.begin()) {
            for (Collection<? extends ClusterObject> newNodes : steps) {
                RescheduledPods next = cluster.rescheduling(more.with(newNodes))
                        .waiting(waiting)
                        .schedule();
                result = joined(result, next);
                waiting = left(next).stream().map(RescheduledPod::pod).toList();
            }
        }
        return result;
    }

    // The later result has the pods that were pending before, and those that were preempted since.
    private static RescheduledPods joined(RescheduledPods earlier, RescheduledPods later) {
        Set<String> changed = new HashSet<>();
        later.pods().forEach(pod -> changed.add(pod.origin().uid()));
        later.gone().forEach(pod -> changed.add(pod.gone().uid()));
        List<RescheduledPod> pods = new ArrayList<>(earlier.pods());
        pods.removeIf(pod -> changed.contains(pod.pod().uid()));
        pods.addAll(later.pods());
        // Those with a node come first.
        pods.sort(Comparator.comparing(pod -> pod.nodeName().isEmpty()));
        List<RecreatedPod> gone = new ArrayList<>(earlier.gone());
        gone.addAll(later.gone());
        return new RescheduledPods(pods, gone);
    }

    /** Returns the pods of a result that did not fit, without expendable pods. */
    List<RescheduledPod> left(RescheduledPods result) {
        return result.unplaced().stream().filter(pod -> !isExpendable(pod)).toList();
    }

    /** Begins a transaction on the cluster with the pods on its existing nodes. */
    Transaction begin() {
        return existing.begin();
    }

    /** Returns the result of a search for nodes of a type. */
    NodeEstimate estimate(NodeTemplate type, NodeEstimate.Found found) {
        return new NodeEstimate(type, placedBefore, displaced, lost, onOwnNodes, expendable, pods.size(), found);
    }

    @Override
    public void close() {
        existing.close();
    }
}
