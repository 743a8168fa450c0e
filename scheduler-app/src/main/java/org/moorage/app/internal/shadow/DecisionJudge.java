// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.config.LoadedConfig;
import org.moorage.config.ProfileConfig;
import org.moorage.config.SchedulerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.runtime.decision.Evaluation;

/**
 * A judge that finds an order of events in which another scheduler's decisions are right choices.
 *
 * <p>The other scheduler binds in the background, and receives changes at other times than Moorage. So the observed
 * order of bindings and other changes is not the order in which it decided: observed bindings wait in a window, and
 * other changes behind them. A binding leaves the window and is applied when its node is a right choice in the current
 * state of the cluster; if no binding of the window is, the next change is applied. A binding that is not a right
 * choice within a time limit is tried before others that were applied last. A binding that no order explains is a
 * {@link Difference}, and is applied as well.
 *
 * <p>Not thread-safe.
 */
public final class DecisionJudge implements AutoCloseable {
    /** How long a binding waits for the bindings of pods that the other scheduler should have tried before. */
    private static final Duration HOLD = Duration.ofMillis(1_500);
    /** How long a binding waits for something that explains it. */
    private static final Duration LONGEST = Duration.ofSeconds(4);
    /** How long a pod must be pending before a fit is reported: longer than its backoff in the other scheduler. */
    private static final Duration WAITS = Duration.ofSeconds(20);
    /** The maximum delay until the other scheduler receives a change that was received here. */
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);
    /** How many bindings of the window are tried in one state of the cluster. */
    private static final int MOST_CANDIDATES = 24;
    /** The maximum number of applied bindings before which a binding is tried. */
    private static final int FARTHEST_BACK = 48;

    /**
     * After so many unexplained differences in a row only a few orders are tried: the other scheduler decides
     * differently.
     */
    private static final int MOST_UNEXPLAINED = 10;

    private static final int FEW = 4;
    private static final int MOST_REORDER_QUESTIONS = 400;

    /** The maximum number of bindings and other changes that are applied in one call. */
    private static final int MOST_STEPS = 200;

    /** How many pending pods are checked before bindings are handled. */
    private static final int MOST_CHECKED = 8;

    private final ShadowedCluster cluster;
    private final boolean groupsPods;
    private final SchedulerConfig config;
    private final Consumer<Difference> differences;

    /** Pending pods of the other scheduler, by UID. */
    private final Map<String, Waiting> waiting = new HashMap<>();

    /** Pods among these without an observed rejection, in the order in which they should be tried. */
    private final TreeSet<Waiting> untried = new TreeSet<>(Waiting.ORDER);

    /** Bound pods whose binding is not judged yet, in the order in which they should have been tried. */
    private final TreeSet<Waiting> window = new TreeSet<>(Waiting.ORDER);

    /** Other changes that were seen and are not applied yet. */
    private final Deque<Seen> changes = new ArrayDeque<>();

    /** The bindings that were applied since the last other change, the last one at the end. */
    private final List<Taken> taken = new ArrayList<>();

    private long seen;
    private int unexplained;
    private long state;
    private Verdicts verdicts = Verdicts.NONE;

    /** A pod and its observed state. */
    private static final class Waiting {
        static final Comparator<Waiting> ORDER = Comparator.<Waiting>comparingInt(
                        pod -> -pod.pod.spec().priority())
                .thenComparingLong(pod -> pod.arrival);

        private final long arrival;
        private final Duration arrivedAt;
        private Pod pod;
        private Optional<Pod> bound = Optional.empty();
        private Duration boundAt = Duration.ZERO;
        /** The state of the cluster in which its node was not a right choice. */
        private long refusedIn = -1;

        private String rejection = "";
        private Duration checkedAt = Duration.ZERO;
        private boolean isToBeChecked;
        private boolean fitted;

        Waiting(Pod pod, long arrival, Duration arrivedAt) {
            this.pod = pod;
            this.arrival = arrival;
            this.arrivedAt = arrivedAt;
        }
    }

    /** A change that is not taken in, which one it is of all, and when it was seen. */
    private record Seen(LiveChange change, long number, Duration at) {}

    /** A binding that was taken in. */
    private record Taken(Waiting pod, Pod bound) {}

    private enum Choice {
        EQUAL,
        TIE,
        NOMINATED,
        WRONG
    }

    /**
     * Creates a judge of a cluster that is not known yet.
     *
     * @param config the configuration that decides here
     * @param differences receives the decisions that no order explains
     */
    public DecisionJudge(LoadedConfig config, PluginRegistry registry, Consumer<Difference> differences) {
        cluster = new ShadowedCluster(config, registry);
        groupsPods = config.featureGates().isEnabled(FeatureGates.GENERIC_WORKLOAD);
        this.config = config.config();
        this.differences = differences;
    }

    /** Returns the verdicts on the decisions so far. */
    public Verdicts verdicts() {
        return verdicts;
    }

    /** Returns the number of bindings and other changes that are not applied yet. */
    public int backlog() {
        return window.size() + changes.size();
    }

    /**
     * A change was seen.
     *
     * @param now the time, counted from any moment
     */
    public void take(LiveChange change, Duration now) {
        seen++;
        if (change.kind().equals(ObjectKind.POD)) {
            takePod(change, now);
        } else {
            later(change, now);
        }
    }

    private void later(LiveChange change, Duration now) {
        changes.add(new Seen(change, seen, now));
    }

    private void takePod(LiveChange change, Duration now) {
        Waiting known = waiting.get(change.uid());
        if (change.type() == EventType.DELETED || change.object().isEmpty()) {
            if (known != null && known.bound.isEmpty()) {
                forget(known);
                cluster.apply(change);
            } else {
                later(change, now);
            }
            return;
        }
        Pod pod = (Pod) change.object().get();
        if (known == null) {
            if (pod.isBound() || !cluster.isResponsible(pod) || pod.status().isTerminal()) {
                later(change, now);
            } else {
                Waiting added = new Waiting(pod, seen, now);
                waiting.put(pod.uid(), added);
                if (pod.spec().schedulingGates().isEmpty()) {
                    untried.add(added);
                }
                cluster.apply(pod);
                rejected(added, pod, now);
            }
        } else if (known.bound.isPresent()) {
            known.bound = Optional.of(pod);
        } else if (pod.isBound()) {
            untried.remove(known);
            known.bound = Optional.of(pod);
            known.boundAt = now;
            window.add(known);
        } else {
            update(known, pod, now);
        }
    }

    private void update(Waiting known, Pod pod, Duration now) {
        boolean wasUntried = untried.remove(known);
        boolean isUngated = !known.pod.spec().schedulingGates().isEmpty()
                && pod.spec().schedulingGates().isEmpty();
        known.pod = pod;
        cluster.apply(pod);
        if (wasUntried || isUngated) {
            untried.add(known);
        }
        rejected(known, pod, now);
    }

    private void forget(Waiting pod) {
        waiting.remove(pod.pod.uid());
        untried.remove(pod);
        window.remove(pod);
    }

    // Records that the other scheduler rejected a pod, if the pod's status shows it.
    private void rejected(Waiting known, Pod pod, Duration now) {
        Optional<PodCondition> condition = pod.status().conditions().stream()
                .filter(each -> each.type().equals(PodCondition.POD_SCHEDULED)
                        && each.status().equals("False")
                        && each.reason().equals("Unschedulable"))
                .findFirst();
        if (condition.isEmpty() || condition.get().message().equals(known.rejection)) {
            return;
        }
        untried.remove(known);
        known.rejection = condition.get().message();
        known.checkedAt = now;
        known.isToBeChecked = true;
        known.fitted = false;
    }

    /** Judges what can be judged by now, or a part of it if it is much. */
    public void judge(Duration now) {
        if (steps(now, false)) {
            checkWaiting(now, false);
        }
    }

    /**
     * Judges what is left, or a part of it if it is much, and waits for nothing more.
     *
     * @return whether nothing is left
     */
    public boolean finish(Duration now) {
        boolean isDone = steps(now, true);
        if (isDone) {
            checkWaiting(now, true);
        }
        return isDone;
    }

    // Whether nothing is left to do now.
    private boolean steps(Duration now, boolean isLast) {
        for (int i = 0; i < MOST_STEPS; i++) {
            if (!step(now, isLast)) {
                return true;
            }
        }
        return false;
    }

    private boolean step(Duration now, boolean isLast) {
        boolean isHeld = false;
        int tried = 0;
        for (Waiting candidate : window) {
            if (!isLast
                    && isBehindOthers(candidate)
                    && now.minus(candidate.boundAt).compareTo(HOLD) < 0) {
                isHeld = true;
                break;
            }
            if (tried++ == (unexplained < MOST_UNEXPLAINED ? MOST_CANDIDATES : FEW)) {
                break;
            }
            takeInBefore(candidate);
            if (candidate.refusedIn != state && accept(candidate)) {
                return true;
            }
        }
        if (isHeld) {
            return false;
        }
        if (!changes.isEmpty() && !isOfWindow(changes.peek().change())) {
            takeIn(changes.remove().change());
            return true;
        }
        if (window.isEmpty()) {
            return false;
        }
        Waiting first = window.first();
        if (!isLast && now.minus(first.boundAt).compareTo(LONGEST) < 0) {
            return false;
        }
        if (!reorder(first)) {
            report(first);
        }
        return true;
    }

    // Whether the other scheduler should have tried other pods before, of which no decision was seen.
    private boolean isBehindOthers(Waiting candidate) {
        return !untried.isEmpty() && Waiting.ORDER.compare(untried.first(), candidate) < 0;
    }

    // A pod that is gone by now was there when others were decided about.
    private boolean isOfWindow(LiveChange change) {
        Waiting pod = change.kind().equals(ObjectKind.POD) ? waiting.get(change.uid()) : null;
        return pod != null && pod.bound.isPresent();
    }

    // Applies the changes that the other scheduler must have seen before the pod: earlier changes of other pods arrive
    // on the same watch, and changes of other kinds are not delayed for long.
    private void takeInBefore(Waiting pod) {
        for (Seen next = changes.peek();
                next != null
                        && next.number() < pod.arrival
                        && !isOfWindow(next.change())
                        && (next.change().kind().equals(ObjectKind.POD)
                                || pod.arrivedAt.minus(next.at()).compareTo(LONGEST_DELAY) > 0);
                next = changes.peek()) {
            takeIn(changes.remove().change());
        }
    }

    private void takeIn(LiveChange change) {
        boolean matters = matters(change);
        cluster.apply(change);
        if (matters) {
            state++;
            taken.clear();
        }
    }

    // Running pods change all the time, mostly in what decides nothing.
    private boolean matters(LiveChange change) {
        if (change.type() != EventType.MODIFIED || !(change.object().orElse(null) instanceof Pod pod)) {
            return true;
        }
        return cluster.find(pod)
                .filter(before -> before.uid().equals(pod.uid())
                        && before.spec().equals(pod.spec())
                        && before.metadata().labels().equals(pod.metadata().labels())
                        && before.metadata().isDeleting() == pod.metadata().isDeleting()
                        && before.status().isTerminal() == pod.status().isTerminal())
                .isEmpty();
    }

    private boolean accept(Waiting candidate) {
        if (groupsPods && !candidate.pod.spec().podGroupName().isEmpty()) {
            verdicts = verdicts.plusUnjudged();
            put(candidate);
            return true;
        }
        Choice choice;
        try {
            choice = choice(candidate, cluster.evaluate(candidate.pod));
        } catch (RuntimeException failure) {
            // A plugin that fails for one pod does not affect the verdicts on others.
            verdicts = verdicts.plusUnjudged();
            put(candidate);
            return true;
        }
        if (choice == Choice.WRONG) {
            candidate.refusedIn = state;
            return false;
        }
        count(choice);
        unexplained = 0;
        put(candidate);
        return true;
    }

    private void count(Choice choice) {
        verdicts = switch (choice) {
            case EQUAL -> verdicts.plusEqual();
            case TIE -> verdicts.plusTie();
            case NOMINATED -> verdicts.plusNominated();
            case WRONG -> throw new IllegalArgumentException("choice: WRONG (expected: a right one)");
        };
    }

    private static Choice choice(Waiting pod, Evaluation evaluation) {
        String nodeName = pod.bound.orElseThrow().nodeName();
        List<String> best = evaluation.best();
        if (best.contains(nodeName)) {
            return best.size() == 1 ? Choice.EQUAL : Choice.TIE;
        }
        // The node on which room was made is taken before others are looked at.
        return pod.pod.status().nominatedNodeName().equals(nodeName)
                        && evaluation.feasible().contains(nodeName)
                ? Choice.NOMINATED
                : Choice.WRONG;
    }

    // Applies a binding.
    private void put(Waiting pod) {
        forget(pod);
        Pod bound = pod.bound.orElseThrow();
        cluster.apply(bound);
        state++;
        taken.add(new Taken(pod, bound));
        if (taken.size() > FARTHEST_BACK) {
            taken.remove(0);
        }
    }

    /**
     * Returns whether a binding is a right choice before some of the last applied bindings, and these still are after
     * it.
     */
    private boolean reorder(Waiting pod) {
        int questions = 0;
        List<Taken> undone = new ArrayList<>();
        int first = unexplained < MOST_UNEXPLAINED ? 0 : Math.max(0, taken.size() - FEW);
        for (int back = taken.size() - 1; back >= first && questions < MOST_REORDER_QUESTIONS; back--) {
            Taken last = taken.get(back);
            cluster.unbind(last.bound());
            undone.add(0, last);
            questions++;
            Choice choice = choice(pod);
            if (choice != Choice.WRONG) {
                cluster.apply(pod.bound.orElseThrow());
                int again = 0;
                while (again < undone.size() && choice(undone.get(again).pod()) != Choice.WRONG) {
                    cluster.apply(undone.get(again).bound());
                    again++;
                }
                questions += again;
                if (again == undone.size()) {
                    count(choice);
                    unexplained = 0;
                    verdicts = verdicts.plusReordered();
                    // It is in already; what follows keeps the books.
                    put(pod);
                    return true;
                }
                for (int i = again - 1; i >= 0; i--) {
                    cluster.unbind(undone.get(i).bound());
                }
                cluster.unbind(pod.bound.orElseThrow());
            }
        }
        undone.forEach(each -> cluster.apply(each.bound()));
        return false;
    }

    // If a plugin fails, the choice counts as wrong, so that it explains nothing.
    private Choice choice(Waiting pod) {
        try {
            return choice(pod, cluster.evaluate(pod.pod));
        } catch (RuntimeException failure) {
            return Choice.WRONG;
        }
    }

    private void report(Waiting pod) {
        unexplained++;
        String nodeName = pod.bound.orElseThrow().nodeName();
        try {
            Evaluation evaluation = cluster.evaluate(pod.pod);
            Difference.Kind kind = kind(pod.pod, evaluation, nodeName);
            verdicts = kind == Difference.Kind.SAMPLING ? verdicts.plusSampling() : verdicts.plusDifference();
            differences.accept(Difference.of(kind, evaluation, nodeName));
        } catch (RuntimeException failure) {
            verdicts = verdicts.plusUnjudged();
        }
        put(pod);
    }

    private Difference.Kind kind(Pod pod, Evaluation evaluation, String nodeName) {
        Long total = evaluation.totals().get(nodeName);
        if (total == null) {
            return Difference.Kind.REJECTED_HERE;
        }
        long noBetter = evaluation.totals().values().stream()
                .filter(each -> each <= total)
                .count();
        int sample = SchedulerConfig.feasibleNodesToFind(cluster.nodes(), percentageOfNodesToScore(pod));
        return sample < evaluation.feasible().size() && noBetter >= sample
                ? Difference.Kind.SAMPLING
                : Difference.Kind.LOWER_SCORE;
    }

    private int percentageOfNodesToScore(Pod pod) {
        for (ProfileConfig profile : config.profiles()) {
            if (profile.schedulerName().equals(pod.spec().schedulerName())) {
                return profile.percentageOfNodesToScore().orElse(config.percentageOfNodesToScore());
            }
        }
        return config.percentageOfNodesToScore();
    }

    // Only while no decision is open, because the pods of open decisions use resources of nodes.
    private void checkWaiting(Duration now, boolean isLast) {
        if (!window.isEmpty() || !changes.isEmpty()) {
            return;
        }
        int checked = 0;
        for (Waiting pod : List.copyOf(waiting.values())) {
            if (!pod.isToBeChecked || pod.fitted && now.minus(pod.checkedAt).compareTo(WAITS) < 0) {
                continue;
            }
            check(pod, now);
            if (!isLast && ++checked == MOST_CHECKED) {
                // Bindings are handled first.
                return;
            }
        }
    }

    private void check(Waiting pod, Duration now) {
        Evaluation evaluation;
        try {
            evaluation = cluster.evaluate(pod.pod);
        } catch (RuntimeException failure) {
            pod.isToBeChecked = false;
            verdicts = verdicts.plusUnjudged();
            return;
        }
        if (!evaluation.fits()) {
            pod.isToBeChecked = false;
            verdicts = verdicts.plusWaiting();
        } else if (!pod.fitted) {
            // Room may have come since, of which the other scheduler makes use soon.
            pod.fitted = true;
            pod.checkedAt = now;
        } else {
            pod.isToBeChecked = false;
            verdicts = verdicts.plusFitsHere();
            differences.accept(Difference.fits(evaluation, pod.rejection));
        }
    }

    @Override
    public void close() {
        cluster.close();
    }
}
