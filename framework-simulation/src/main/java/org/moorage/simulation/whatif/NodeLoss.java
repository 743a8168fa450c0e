// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;

/**
 * A simulated failure of nodes, such as those of a zone: they and their pods are gone immediately, regardless of
 * disruption budgets. Controllers recreate the pods, and these are scheduled, with preemption, together with the pods
 * that were already pending.
 */
public final class NodeLoss {
    private NodeLoss() {}

    /**
     * Loses nodes, all of them at the same time.
     *
     * @param nodeNames the nodes
     * @throws IllegalArgumentException if there is no such node
     */
    public static NodeLossResult of(KnownCluster cluster, Collection<String> nodeNames) {
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(nodeNames, "nodeNames");
        Set<String> lost = new LinkedHashSet<>(nodeNames);
        try (Transaction transaction = cluster.whatIf().begin()) {
            return of(cluster, lost, transaction);
        }
    }

    private static NodeLossResult of(KnownCluster cluster, Set<String> lost, Transaction transaction) {
        EvictionBudgets budgets = new EvictionBudgets(cluster.budgets(), cluster.waitingPods());
        Rescheduling rescheduling = cluster.rescheduling(transaction);
        RescheduledPods before = rescheduling.waiting(cluster.waitingPods()).schedule();
        budgets.count(before);
        Map<String, ZoneRoom.Room> roomBefore = ZoneRoom.of(transaction, cluster.nodes());
        Map<Pod, String> gone = new LinkedHashMap<>();
        for (String nodeName : lost) {
            List<Pod> pods = new ArrayList<>(transaction.podsOn(nodeName));
            pods.sort(Comparator.comparing(Pod::key));
            pods.forEach(pod -> gone.put(pod, nodeName));
        }
        budgets.lost(gone.keySet());
        Transaction ignored = transaction.without(lost).with(budgets.changed());
        RescheduledPods after = rescheduling.goneWithNodes(gone.keySet()).schedule();
        Aftermath aftermath = new Aftermath(before, after, lost);
        Set<String> told = new HashSet<>();
        List<DisruptedPod> pods = new ArrayList<>();
        gone.forEach((pod, nodeName) -> {
            told.add(pod.uid());
            pods.add(aftermath.of(pod, nodeName, 0));
        });
        return new NodeLossResult(
                List.copyOf(lost),
                pods,
                aftermath.preempted(told),
                aftermath.waitedBefore(),
                pods.stream()
                        .filter(pod -> RecreatedPod.isOfStatefulSet(pod.pod()))
                        .toList(),
                pods.stream()
                        .filter(pod -> pod.outcome() == Outcome.PENDING && needsLostNode(pod.pod(), cluster, lost))
                        .toList(),
                ZoneRoom.all(roomBefore, ZoneRoom.of(transaction, cluster.nodes())));
    }

    private static boolean needsLostNode(Pod pod, KnownCluster cluster, Set<String> lost) {
        for (String claimName : pod.spec().claimNames()) {
            Optional<PersistentVolume> volume = cluster.source()
                    .read(ObjectKind.PERSISTENT_VOLUME_CLAIM, pod.namespace(), claimName)
                    .map(PersistentVolumeClaim::volumeName)
                    .filter(name -> !name.isEmpty())
                    .flatMap(name -> cluster.source().read(ObjectKind.PERSISTENT_VOLUME, "", name));
            if (volume.isPresent() && !isReachable(volume.get(), cluster, lost)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isReachable(PersistentVolume volume, KnownCluster cluster, Set<String> lost) {
        if (volume.nodeAffinity().isEmpty()) {
            return true;
        }
        for (Node node : cluster.nodes().values()) {
            if (!lost.contains(node.name()) && volume.nodeAffinity().get().matches(node)) {
                return true;
            }
        }
        return false;
    }
}
