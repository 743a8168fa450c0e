// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Taint;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.whatif.DisruptedPod.Outcome;

/**
 * Simulates draining nodes as {@code kubectl drain} does: they become unschedulable, and their pods are evicted.
 *
 * <p>Each round evicts all pods whose disruption budgets allow it, in the order of the nodes and of the pods' names.
 * Their controllers replace them, and the replacements are scheduled, with preemption, together with the pods that are
 * pending anyway. Scheduled replacements count for their budgets again, which may allow more evictions in the next
 * round, until a round evicts no pod.
 *
 * <pre>{@code
 * DrainResult result = Drain.of(cluster, List.of("node-1"), DrainRules.DEFAULTS);
 * }</pre>
 */
public final class Drain {
    /** The taint of an unschedulable node. */
    static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", Taint.NO_SCHEDULE);

    private final Transaction transaction;
    private final Set<String> nodeNames;
    private final DrainRules rules;
    private final Rescheduling rescheduling;
    private final EvictionBudgets budgets;
    private final List<OnNode> toEvict = new ArrayList<>();
    private final Map<String, DisruptedPod> kept = new HashMap<>();
    private final Map<String, Integer> rounds = new HashMap<>();
    private int round;

    private record OnNode(Pod pod, String nodeName) {}

    private Drain(KnownCluster cluster, Transaction transaction, Set<String> nodeNames, DrainRules rules) {
        this.transaction = transaction;
        this.nodeNames = nodeNames;
        this.rules = rules;
        rescheduling = cluster.rescheduling(transaction);
        budgets = new EvictionBudgets(cluster.budgets(), cluster.waitingPods());
    }

    /**
     * Drains nodes, all of them at the same time.
     *
     * @param nodeNames the nodes
     * @throws IllegalArgumentException if there is no such node
     * @throws RuntimeException if a plugin fails; the message says which one
     */
    public static DrainResult of(KnownCluster cluster, Collection<String> nodeNames, DrainRules rules) {
        Objects.requireNonNull(cluster, "cluster");
        Objects.requireNonNull(nodeNames, "nodeNames");
        Objects.requireNonNull(rules, "rules");
        Set<String> names = new LinkedHashSet<>(nodeNames);
        try (Transaction transaction = cluster.whatIf().begin()) {
            return new Drain(cluster, transaction, names, rules).run(cluster);
        }
    }

    private DrainResult run(KnownCluster cluster) {
        RescheduledPods before = rescheduling.waiting(cluster.waitingPods()).schedule();
        count(before);
        cordon(cluster);
        List<OnNode> pods = podsOnNodes();
        RescheduledPods after = before;
        for (List<Pod> evicted = evict(); !evicted.isEmpty(); evicted = evict()) {
            Transaction ignored = transaction.evict(evicted);
            after = rescheduling.goneWithNodes(evicted).schedule();
            count(after);
        }
        toEvict.forEach(pod -> budgets.blocked(pod.pod));
        Aftermath aftermath = new Aftermath(before, after, nodeNames);
        List<DisruptedPod> disrupted = new ArrayList<>();
        for (OnNode pod : pods) {
            DisruptedPod stays = kept.get(pod.pod.uid());
            disrupted.add(stays == null ? evicted(pod, aftermath) : stays);
        }
        Set<String> told = new HashSet<>();
        pods.forEach(pod -> told.add(pod.pod.uid()));
        return new DrainResult(
                List.copyOf(nodeNames),
                round,
                disrupted,
                aftermath.preempted(told),
                aftermath.waitedBefore(),
                budgets.used());
    }

    private DisruptedPod evicted(OnNode pod, Aftermath aftermath) {
        DisruptedPod result = aftermath.of(pod.pod, pod.nodeName, rounds.getOrDefault(pod.pod.uid(), 0));
        return result.outcome() == Outcome.DAEMON_PODS && rules.orphaned().test(pod.pod)
                ? new DisruptedPod(
                        pod.pod,
                        pod.nodeName,
                        Outcome.LOST,
                        Optional.empty(),
                        Optional.empty(),
                        PodReason.NONE,
                        result.round(),
                        List.of())
                : result;
    }

    private void cordon(KnownCluster cluster) {
        List<Node> cordoned = new ArrayList<>();
        for (String name : nodeNames) {
            Node node = cluster.nodes().get(name);
            if (node == null) {
                throw new IllegalArgumentException("nodeName: \"" + name + "\" (expected: the name of a node)");
            }
            List<Taint> taints = new ArrayList<>(node.taints());
            if (!taints.contains(UNSCHEDULABLE)) {
                taints.add(UNSCHEDULABLE);
            }
            cordoned.add(node.toBuilder().unschedulable(true).taints(taints).build());
        }
        Transaction ignored = transaction.with(cordoned);
    }

    private void count(RescheduledPods pods) {
        budgets.count(pods);
        Transaction ignored = transaction.with(budgets.changed());
    }

    // Also decides which of them are evicted at all.
    private List<OnNode> podsOnNodes() {
        List<OnNode> all = new ArrayList<>();
        for (String nodeName : nodeNames) {
            List<Pod> pods = new ArrayList<>(transaction.podsOn(nodeName));
            pods.sort(Comparator.comparing(Pod::key));
            pods.forEach(pod -> all.add(new OnNode(pod, nodeName)));
            List<OnNode> evictable = new ArrayList<>();
            Set<String> refusals = new LinkedHashSet<>();
            for (Pod pod : pods) {
                Optional<DrainRules.Kept> keeps = rules.keeps(pod);
                if (keeps.isEmpty()) {
                    evictable.add(new OnNode(pod, nodeName));
                    continue;
                }
                keep(
                        new OnNode(pod, nodeName),
                        keeps.get().outcome(),
                        PodReason.of(keeps.get().message()));
                if (keeps.get().outcome() == Outcome.REFUSED) {
                    refusals.add(keeps.get().message());
                }
            }
            if (refusals.isEmpty()) {
                toEvict.addAll(evictable);
            } else {
                PodReason why = PodReason.of("unable to drain node: " + String.join("; ", refusals));
                evictable.forEach(pod -> keep(pod, Outcome.BLOCKED_BY_OTHER_PODS, why));
            }
        }
        return all;
    }

    private void keep(OnNode pod, Outcome outcome, PodReason reason) {
        kept.put(pod.pod.uid(), DisruptedPod.there(pod.pod, pod.nodeName, outcome, reason));
    }

    // Returns the pods that the next round evicts; the others stay for now.
    private List<Pod> evict() {
        List<Pod> evicted = new ArrayList<>();
        for (OnNode pod : toEvict) {
            Optional<PodReason> refusal = rules.disableEviction() ? Optional.empty() : budgets.evict(pod.pod);
            if (refusal.isEmpty()) {
                evicted.add(pod.pod);
                kept.remove(pod.pod.uid());
                rounds.put(pod.pod.uid(), round + 1);
            } else {
                keep(pod, Outcome.BLOCKED_BY_BUDGET, refusal.get());
            }
        }
        toEvict.removeIf(pod -> rounds.containsKey(pod.pod.uid()));
        round += evicted.isEmpty() ? 0 : 1;
        return evicted;
    }
}
