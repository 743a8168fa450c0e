// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.whatif.RebalancePlan.Move;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/**
 * The pod moves of a plan, which are tried in a transaction before they are kept. A move evicts a pod; the scheduler
 * schedules its replacement, and then the pending pods, for which the pod may have left room. Moves that are tried
 * together are kept together or not at all.
 *
 * <p>Moves are not kept if a replacement is unschedulable, returns to its node or preempts a pod, nor if a pending pod
 * preempts one. Each pod is moved at most once.
 */
final class PodMoves {
    // Bounds the time; most clusters do not reach it.
    private static final int MOST_TRIALS = 10_000;

    private final KnownCluster cluster;
    private final Transaction transaction;
    private final DrainRules rules;
    private final int most;
    private final IntConsumer progress;
    private final EvictionBudgets budgets;
    // The same budgets at the start of a round, when all replacements are healthy.
    private final EvictionBudgets betweenRounds;
    private final List<Move> moves = new ArrayList<>();
    // By the UID of the pod that was pending or moved.
    private final Map<String, RescheduledPod> results = new LinkedHashMap<>();
    private final List<RecreatedPod> gone = new ArrayList<>();
    // The UIDs of pods that are not moved: those that were pending, and replacements.
    private final Set<String> settled = new HashSet<>();
    private List<RescheduledPod> pending;
    private final Map<AlikePods, Kind> kinds = new HashMap<>();
    private final Map<String, Optional<Kind>> kindByUid = new HashMap<>();
    private final Map<String, String> obstacles = new HashMap<>();
    private int round = 1;
    private int trials;

    /** The goal of moves that are tried together. */
    interface Goal {
        /** Returns why a move does not help, regardless of other moves; empty if it may help. */
        default Optional<String> objection(Move move) {
            return Optional.empty();
        }

        /** Returns whether the goal may be reached, before pending pods are scheduled. */
        default boolean mayBeReached(Transaction trial, Set<String> changed) {
            return true;
        }

        /**
         * Returns whether the goal is reached.
         *
         * @param trial the cluster after the moves
         * @param changed the names of the nodes whose pods have changed
         * @param pending the pods that are still pending
         */
        boolean isReached(Transaction trial, Set<String> changed, List<RescheduledPod> pending);
    }

    /** Equivalent pods, and the node that the scheduler would choose for another one. */
    private static final class Kind {
        // Empty for no node; null if unknown in the present state.
        private @Nullable String target;
    }

    /** A move, the result for its pod, and the pending pods that are scheduled after it. */
    private record Step(Move move, RescheduledPods result, List<RescheduledPod> scheduled) {}

    private static final class Trial {
        private final List<Step> steps = new ArrayList<>();
        private final Set<String> changed = new HashSet<>();
        private List<RescheduledPod> pending;

        Trial(List<RescheduledPod> pending) {
            this.pending = pending;
        }
    }

    /**
     * Schedules the pending pods, and moves no pod yet.
     *
     * @param transaction a transaction on the cluster, which the caller closes
     * @param waiting the pending pods
     * @param most the maximum number of moves
     * @param progress receives the number of moves that were tried
     */
    PodMoves(
            KnownCluster cluster,
            Transaction transaction,
            Collection<Pod> waiting,
            DrainRules rules,
            int most,
            IntConsumer progress) {
        this.cluster = cluster;
        this.transaction = transaction;
        this.rules = rules;
        this.most = most;
        this.progress = progress;
        budgets = new EvictionBudgets(cluster.budgets(), cluster.waitingPods());
        betweenRounds = new EvictionBudgets(cluster.budgets(), cluster.waitingPods());
        RescheduledPods before =
                cluster.rescheduling(transaction).waiting(waiting).schedule();
        add(before);
        pending = before.unplaced();
        count();
    }

    private void add(RescheduledPods rescheduled) {
        gone.addAll(rescheduled.gone());
        rescheduled.pods().forEach(pod -> {
            results.put(pod.origin().uid(), pod);
            settled.add(pod.pod().uid());
        });
    }

    private void count() {
        RescheduledPods soFar = new RescheduledPods(List.copyOf(results.values()), gone);
        budgets.count(soFar);
        betweenRounds.count(soFar);
    }

    /** The cluster after the moves that are kept. */
    Transaction transaction() {
        return transaction;
    }

    List<Move> moves() {
        return List.copyOf(moves);
    }

    List<RescheduledPod> pending() {
        return pending;
    }

    /** Returns what has become of pods that were pending before the moves. */
    List<RescheduledPod> results(List<RescheduledPod> pods) {
        return pods.stream()
                .map(pod -> Objects.requireNonNull(results.get(pod.origin().uid())))
                .toList();
    }

    List<DrainResult.UsedBudget> usedBudgets() {
        count();
        return budgets.used();
    }

    /** Returns how many more moves may be kept; 0 also after too many trials. */
    int left() {
        return trials < MOST_TRIALS ? most - moves.size() : 0;
    }

    /** Returns how many pods were not moved, by reason. */
    Map<String, Integer> obstacles() {
        for (Node node : cluster.nodes().values()) {
            transaction.podsOn(node.name()).forEach(this::isMovable);
        }
        Map<String, Integer> counts = new TreeMap<>();
        obstacles.values().forEach(reason -> counts.merge(reason, 1, Integer::sum));
        return counts;
    }

    /** Notes why a pod is not moved. */
    void refuse(Pod pod, String reason) {
        obstacles.put(pod.uid(), reason);
    }

    /** Excludes a pod that is not in the cluster before the moves. */
    void exclude(Pod pod) {
        settled.add(pod.uid());
    }

    /** Returns whether a pod may be moved. */
    boolean isMovable(Pod pod) {
        if (settled.contains(pod.uid())) {
            return false;
        }
        Optional<String> objection = objection(pod);
        objection.ifPresent(reason -> refuse(pod, reason));
        return objection.isEmpty();
    }

    private Optional<String> objection(Pod pod) {
        RecreatedPod.Fate fate = RecreatedPod.fateOf(pod);
        if (fate == RecreatedPod.Fate.ENDED) {
            return Optional.of("finished, or being deleted");
        }
        Optional<DrainRules.Kept> kept = rules.keeps(pod);
        if (kept.isPresent()) {
            return Optional.of(kept.get().message());
        }
        if (fate == RecreatedPod.Fate.OF_NODE) {
            return Optional.of("belongs to its node");
        }
        if (!pod.spec().podGroupName().isEmpty()) {
            return Optional.of("in a pod group");
        }
        // It would be missing from its budget in all later rounds.
        return fate == RecreatedPod.Fate.LOST && betweenRounds.selects(pod)
                ? Optional.of("declares no controller, and a disruption budget selects it")
                : betweenRounds.wouldRefuse(pod);
    }

    /** Returns what is the same object for equivalent pods. */
    Object kindOf(Pod pod) {
        return kind(pod).map(Object.class::cast).orElse(pod);
    }

    private Optional<Kind> kind(Pod pod) {
        return kindByUid.computeIfAbsent(
                pod.uid(),
                any -> AlikePods.of(pod.withoutNode()).map(pods -> kinds.computeIfAbsent(pods, key -> new Kind())));
    }

    /**
     * Predicts the node of a pod's replacement: the one that the scheduler would choose for one more pod like it.
     *
     * @return the name of the node, empty text for none; empty if it is not predicted
     */
    Optional<String> target(Pod pod) {
        return RecreatedPod.fateOf(pod) == RecreatedPod.Fate.CREATED_AGAIN
                ? kind(pod).map(kind -> {
                    String target = kind.target == null ? choose(pod) : kind.target;
                    kind.target = target;
                    return target;
                })
                : Optional.empty();
    }

    private String choose(Pod pod) {
        List<Pod> another = RecreatedPod.of(pod, cluster.source(), cluster.now()).pod().stream()
                .toList();
        try (Transaction trial = transaction.begin()) {
            return cluster.rescheduling(trial)
                    .withoutPreemption()
                    .waiting(another)
                    .schedule()
                    .pods()
                    .get(0)
                    .nodeName()
                    .orElse("");
        }
    }

    /**
     * Tries moves, one after the other, and keeps them if they reach a goal.
     *
     * @param pods pods that may be moved, each on its node
     * @return whether they are kept
     */
    boolean keep(List<Pod> pods, Goal goal) {
        if (pods.isEmpty() || pods.size() > left()) {
            return false;
        }
        // Most trials end without a look at the pending pods, which takes the longest.
        boolean isPromising = pending.isEmpty() || isKept(pods, goal, false);
        return isPromising && isKept(pods, goal, true);
    }

    private boolean isKept(List<Pod> pods, Goal goal, boolean isComplete) {
        Trial trial = new Trial(pending);
        Transaction inner = transaction.begin();
        try {
            for (Pod pod : pods) {
                Optional<String> obstacle = move(pod, inner, goal, trial);
                if (obstacle.isEmpty() && isComplete) {
                    obstacle = schedulePending(inner, trial);
                }
                if (obstacle.isPresent()) {
                    refuse(pod, obstacle.get());
                    return false;
                }
            }
            boolean isReached = isComplete
                    ? goal.isReached(inner, trial.changed, trial.pending)
                    : goal.mayBeReached(inner, trial.changed);
            if (!isReached) {
                pods.forEach(pod -> refuse(pod, "the move would not help"));
                return false;
            }
            if (isComplete) {
                inner.keep();
            }
        } finally {
            inner.close();
        }
        if (isComplete) {
            keep(trial);
        }
        return true;
    }

    private Optional<String> move(Pod pod, Transaction inner, Goal goal, Trial trial) {
        progress.accept(++trials);
        List<Pod> evicted = List.of(pod);
        Transaction ignored = inner.evict(evicted);
        RescheduledPods after = cluster.rescheduling(inner).gone(evicted).schedule();
        if (after.pods().size() + after.gone().size() > 1) {
            return Optional.of("the replacement would preempt other pods");
        }
        Optional<RescheduledPod> replacement = after.pods().stream().findFirst();
        Optional<String> nodeName = replacement.flatMap(RescheduledPod::nodeName);
        if (replacement.isPresent() && nodeName.isEmpty()) {
            return Optional.of("the replacement would be unschedulable");
        }
        if (nodeName.equals(Optional.of(pod.nodeName()))) {
            return Optional.of("the replacement would be scheduled to the same node");
        }
        Move move = new Move(pod, replacement.map(RescheduledPod::pod), pod.nodeName(), nodeName, round);
        trial.changed.add(pod.nodeName());
        nodeName.ifPresent(trial.changed::add);
        trial.steps.add(new Step(move, after, new ArrayList<>()));
        return goal.objection(move);
    }

    private Optional<String> schedulePending(Transaction inner, Trial trial) {
        if (trial.pending.isEmpty()) {
            return Optional.empty();
        }
        Map<String, RescheduledPod> before = new HashMap<>();
        trial.pending.forEach(pod -> before.put(pod.pod().uid(), pod));
        RescheduledPods after = cluster.rescheduling(inner)
                .waiting(trial.pending.stream().map(RescheduledPod::pod).toList())
                .schedule();
        List<RescheduledPod> unplaced = new ArrayList<>();
        for (RescheduledPod pod : after.pods()) {
            RescheduledPod known = before.remove(pod.pod().uid());
            if (known == null || !pod.victims().isEmpty()) {
                return Optional.of("a pending pod would preempt other pods");
            }
            RescheduledPod now = new RescheduledPod(
                    pod.pod(), known.origin(), known.nodeBefore(), pod.nodeName(), pod.reason(), List.of());
            if (now.nodeName().isEmpty()) {
                unplaced.add(now);
            } else {
                trial.changed.add(now.nodeName().get());
                trial.steps.get(trial.steps.size() - 1).scheduled.add(now);
            }
        }
        trial.pending = unplaced;
        return before.isEmpty() ? Optional.empty() : Optional.of("a pending pod would preempt other pods");
    }

    private void keep(Trial trial) {
        for (Step step : trial.steps) {
            Pod pod = step.move.pod();
            if (budgets.evict(pod).isPresent()) {
                round++;
                count();
                Optional<PodReason> ignored = budgets.evict(pod);
            }
            moves.add(step.move.inRound(round));
            obstacles.remove(pod.uid());
            add(step.result);
            add(new RescheduledPods(step.scheduled, List.of()));
        }
        pending = trial.pending;
        add(new RescheduledPods(pending, List.of()));
        for (Kind kind : kinds.values()) {
            if (kind.target != null && (kind.target.isEmpty() || trial.changed.contains(kind.target))) {
                kind.target = null;
            }
        }
    }
}
