// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.moorage.api.model.Node;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.whatif.NodeRemovalResult.Obstacle;
import org.moorage.simulation.whatif.NodeRemovalResult.RemovableNode;

/**
 * A search for nodes that can be removed because their pods fit elsewhere, by the rules of cluster-autoscaler. Only
 * expendable pods are preempted; a pod that its controller does not replace, or that a disruption budget protects,
 * keeps its node. Pending pods are scheduled first, so that their room is not given away.
 *
 * <p>Each node is tried individually. Then the removable nodes are removed one after the other, the least used first,
 * while the pods of the next one still fit. A final {@link Drain} checks that these can be removed together; a node
 * whose pods are unschedulable then stays.
 */
public final class NodeRemoval {
    private final KnownCluster cluster;
    private final RemovalRules rules;

    /**
     * Removals from a cluster.
     *
     * @param rules which nodes may be removed
     */
    public NodeRemoval(KnownCluster cluster, RemovalRules rules) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /**
     * Finds those of the nodes that can be removed. The result does not depend on the threads.
     *
     * @param nodeNames the nodes
     * @param executor runs the work of all threads but the caller's
     * @param threads how many threads work at the same time, including the caller's; at least one
     * @param progress receives the count of checked nodes, from each of the threads, one at a time
     * @throws IllegalArgumentException if there is no such node
     */
    public NodeRemovalResult of(Collection<String> nodeNames, Executor executor, int threads, IntConsumer progress) {
        Objects.requireNonNull(nodeNames, "nodeNames");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(progress, "progress");
        List<String> names = new ArrayList<>(new LinkedHashSet<>(nodeNames));
        for (String name : names) {
            if (!cluster.nodes().containsKey(name)) {
                throw new IllegalArgumentException("nodeName: \"" + name + "\" (expected: the name of a node)");
            }
        }
        List<RemovableNode> nodes = alone(names, executor, threads, progress);
        nodes.sort(Comparator.comparingDouble(RemovableNode::utilization).thenComparing(RemovableNode::nodeName));
        List<String> together = together(nodes);
        DrainResult drain = drain(together);
        for (Set<String> stay = nodesInTheWay(drain); !stay.isEmpty(); stay = nodesInTheWay(drain)) {
            together.removeAll(stay);
            drain = drain(together);
        }
        return new NodeRemovalResult(nodes, together, drain);
    }

    private DrainResult drain(List<String> names) {
        return Drain.of(
                cluster,
                names,
                new DrainRules(true, true, false, pod -> !rules.isIgnoredUnlikeDrain(pod), any -> false));
    }

    // The nodes with a pod that is unschedulable elsewhere, or that preempts others than expendable pods there.
    private Set<String> nodesInTheWay(DrainResult drain) {
        Set<String> nodes = new HashSet<>();
        for (DisruptedPod pod : drain.pods()) {
            boolean mayStay = pod.outcome() == DisruptedPod.Outcome.LOST
                    || pod.outcome() == DisruptedPod.Outcome.NOT_SELECTED
                    || rules.isExpendable(pod.pod());
            if (!pod.isSettled() && !mayStay || !pod.victims().stream().allMatch(rules::isExpendable)) {
                nodes.add(pod.nodeName());
            }
        }
        return nodes;
    }

    private List<RemovableNode> alone(List<String> names, Executor executor, int threads, IntConsumer progress) {
        return new ParallelMap(executor, threads, progress).map(names, tasks -> {
            try (Transaction transaction = cluster.whatIf().begin()) {
                EvictionBudgets budgets = waitingPlaced(transaction);
                ToIntFunction<OwnerReference> replicas = replicas(transaction);
                tasks.forEach(name -> alone(name, transaction, budgets, replicas));
            }
        });
    }

    private EvictionBudgets waitingPlaced(Transaction transaction) {
        List<Pod> expendable = new ArrayList<>();
        for (String nodeName : transaction.nodeNames()) {
            transaction.podsOn(nodeName).stream().filter(rules::isExpendable).forEach(expendable::add);
        }
        List<Pod> waiting = new ArrayList<>(cluster.waitingPods());
        waiting.removeIf(rules::isExpendable);
        EvictionBudgets budgets = new EvictionBudgets(cluster.budgets(), waiting);
        budgets.count(cluster.rescheduling(transaction.evict(expendable))
                .waiting(waiting)
                .schedule());
        return budgets;
    }

    private static ToIntFunction<OwnerReference> replicas(Transaction transaction) {
        Map<OwnerReference, Integer> counts = new HashMap<>();
        for (String nodeName : transaction.nodeNames()) {
            for (Pod pod : transaction.podsOn(nodeName)) {
                pod.metadata().controller().ifPresent(owner -> counts.merge(owner, 1, Integer::sum));
            }
        }
        return owner -> counts.getOrDefault(owner, 0);
    }

    private RemovableNode alone(
            String nodeName, Transaction transaction, EvictionBudgets budgets, ToIntFunction<OwnerReference> replicas) {
        Node node = Objects.requireNonNull(cluster.nodes().get(nodeName));
        List<Pod> all = transaction.podsOn(nodeName);
        double utilization = utilization(node, all);
        List<Pod> pods = podsToMove(all);
        Map<String, List<Pod>> obstacles = new TreeMap<>();
        rules.objection(node, utilization).ifPresent(reason -> obstacles.put(reason, List.of()));
        for (Pod pod : sorted(all)) {
            Optional<String> objection = rules.objection(pod, budgets, cluster.now(), replicas);
            (objection.isPresent() || rules.isIgnored(pod) ? objection : budgets.wouldRefuse(pod))
                    .ifPresent(reason -> obstacles
                            .computeIfAbsent(reason, any -> new ArrayList<>())
                            .add(pod));
        }
        Map<String, String> moves = new LinkedHashMap<>();
        if (obstacles.isEmpty() && !pods.isEmpty()) {
            if (cluster.nodes().size() == 1) {
                obstacles.put("no other node", pods);
            } else {
                moves.putAll(moves(nodeName, pods, transaction, obstacles));
            }
        }
        return new RemovableNode(
                nodeName,
                utilization,
                pods.size(),
                obstacles.isEmpty() ? moves : Map.of(),
                obstacles.entrySet().stream()
                        .map(entry -> new Obstacle(entry.getKey(), entry.getValue()))
                        .toList());
    }

    private List<Pod> podsToMove(List<Pod> all) {
        List<Pod> pods = sorted(all);
        pods.removeIf(rules::isIgnored);
        return pods;
    }

    private static List<Pod> sorted(List<Pod> all) {
        List<Pod> pods = new ArrayList<>(all);
        pods.sort(Comparator.comparing(Pod::key));
        return pods;
    }

    private static double utilization(Node node, List<Pod> pods) {
        long cpu = 0;
        long memory = 0;
        for (Pod pod : pods) {
            cpu += pod.requestsWithClaims().milliCpu();
            memory += pod.requestsWithClaims().memory();
        }
        return Math.max(share(cpu, node, ResourceName.CPU), share(memory, node, ResourceName.MEMORY));
    }

    private static double share(long requested, Node node, ResourceName resource) {
        long allocatable = node.allocatableResources().amount(resource);
        return allocatable == 0 ? 0 : (double) requested / allocatable;
    }

    // Adds an obstacle for each pod that is unschedulable.
    private Map<String, String> moves(
            String nodeName, List<Pod> pods, Transaction transaction, Map<String, List<Pod>> obstacles) {
        Map<String, String> moves = new LinkedHashMap<>();
        try (Transaction trial = transaction.begin()) {
            for (RescheduledPods.RescheduledPod pod :
                    moved(nodeName, pods, trial).schedule().pods()) {
                if (pod.nodeName().isPresent()) {
                    moves.put(pod.origin().key(), pod.nodeName().get());
                } else {
                    obstacles
                            .computeIfAbsent(
                                    "unschedulable elsewhere: " + pod.reason().summary(), any -> new ArrayList<>())
                            .add(pod.origin());
                }
            }
        }
        return moves;
    }

    private Rescheduling moved(String nodeName, List<Pod> pods, Transaction trial) {
        Transaction ignored = trial.evict(pods).excluding(List.of(nodeName));
        return cluster.rescheduling(trial).withoutPreemption().goneWithNodes(pods);
    }

    private List<String> together(List<RemovableNode> nodes) {
        List<String> together = new ArrayList<>();
        try (Transaction transaction = cluster.whatIf().begin()) {
            EvictionBudgets ignored = waitingPlaced(transaction);
            int all = transaction.nodeNames().size();
            for (RemovableNode node : nodes) {
                if (node.isRemovable() && goes(node.nodeName(), transaction, all - together.size() > 1)) {
                    together.add(node.nodeName());
                }
            }
        }
        return together;
    }

    // Pods that were rescheduled there from other nodes have to move again.
    private boolean goes(String nodeName, Transaction transaction, boolean hasOthers) {
        List<Pod> pods = podsToMove(transaction.podsOn(nodeName));
        if (pods.isEmpty()) {
            Transaction ignored = transaction.excluding(List.of(nodeName));
            return true;
        }
        if (!hasOthers) {
            return false;
        }
        Transaction trial = transaction.begin();
        try {
            boolean fit = moved(nodeName, pods, trial).untilUnschedulable().schedule().pods().stream()
                    .allMatch(pod -> pod.nodeName().isPresent());
            if (fit) {
                trial.keep();
            }
            return fit;
        } finally {
            trial.close();
        }
    }
}
