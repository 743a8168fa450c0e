// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult.NodePods;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.RecordedChange;
import org.moorage.simulation.whatif.AlikePods;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChanges;
import org.moorage.simulation.whatif.PodReason;

/** One run of a {@link Simulation}: an in-memory cluster and its scheduler. */
final class SimulationRun implements AutoCloseable {
    /** How often a pod and its replacements may be recreated before the run counts as stalled. */
    private static final int MOST_GENERATIONS = 100;

    /** The maximum number of retries of a pod after its backoff while nothing else changes. */
    private static final int MOST_RETRIES = 10;

    /** The maximum number of attempts at a pod for any reason at one instant while nothing else changes. */
    private static final int MOST_AT_ONCE = 5;

    /** The maximum number of attempts at a pod for any reason while only time passes. */
    private static final int MOST_IN_TIME = 3 * MOST_RETRIES;

    /** The default of terminationGracePeriodSeconds: the time that an evicted pod stays on its node. */
    private static final Duration GRACE_PERIOD = Duration.ofSeconds(30);

    /**
     * The time that a controller takes to create a replacement pod. Meanwhile, a scheduler tries the pods that are
     * ready.
     */
    private static final Duration CONTROLLER_DELAY = Duration.ofMillis(20);

    private static final Duration FLUSH_BACKOFF = Duration.ofSeconds(1);
    private static final Duration FLUSH_UNSCHEDULABLE = Duration.ofSeconds(30);

    /**
     * The maximum wait for backoffs and timers while nothing else changes. A permit times out after at most 15 minutes.
     */
    private static final Duration LONGEST_QUIET = Duration.ofMinutes(16);

    /** The maximum number of clock steps without another change, also if plugins keep starting timers. */
    private static final int MOST_QUIET_STEPS = 100_000;

    private final InMemoryCluster cluster;
    private final SteppingClock clock;
    private final FeatureGates features;
    private final Duration longestBackoff;
    private final List<RecordedChange> changes;
    private int applied;

    /** The objects as they were given last, by kind and key. */
    private final Map<String, ClusterObject> given = new LinkedHashMap<>();

    /** The pods that the scheduler is to schedule, in their latest version, by uid. */
    private final Map<String, Pod> pending = new LinkedHashMap<>();

    /** The uids of the pods that recorded changes deleted. */
    private final Set<String> deleted = new HashSet<>();

    /** The replacements of preempted pods, by the uid of the preempted pod. */
    private final Map<String, String> createdAgainAs = new HashMap<>();

    /** The number of predecessors of a recreated pod, by its uid. */
    private final Map<String, Integer> generations = new HashMap<>();

    /** The progress at the last check whether a flush would help a pod, by its uid. */
    private final Map<String, Long> flushChecks = new HashMap<>();

    private final ProgressWatch progress = new ProgressWatch();
    private final Instant start;
    private long lastProgress;
    private Instant lastProgressAt;
    private int quietSteps;

    /** The number of attempts at settled pods since one at another pod, see {@link #isSettled}. */
    private int settledAttempts;

    /** The number of pods that are terminating or about to be created. */
    private int pendingControllers;

    /** The pods that are about to be created, by their namespaces and names. */
    private final Map<String, Pod> toCome = new HashMap<>();

    private @Nullable StalledException endlessPreemption;

    private final Moves moves = new Moves();
    private final LastDecisions decisions = new LastDecisions();
    private final Scheduler scheduler;

    SimulationRun(
            Collection<ClusterObject> objects,
            LoadedConfig config,
            PluginRegistry registry,
            List<ExtenderConfig> extenders,
            RandomGenerator random,
            boolean hasRandomTies,
            List<RecordedChange> changes) {
        this.changes = changes;
        features = config.featureGates();
        longestBackoff = Duration.ofSeconds(config.config().podMaxBackoffSeconds());
        clock = SteppingClock.startingAfter(objects);
        start = clock.instant();
        lastProgressAt = start;
        objects.forEach(object -> given.put(id(object), object));
        pendingPods(objects).forEach(pod -> pending.put(pod.uid(), pod));
        moves.pods.addAll(pending.keySet());
        cluster = InMemoryCluster.of(objects);
        cluster.startControllers();
        cluster.evictPodsBy(this::remove);
        scheduler = Scheduler.builder(config, registry, cluster)
                .clock(clock)
                .random(random)
                .randomTies(hasRandomTies)
                .timers(clock.timers())
                .bindingExecutor(new TurnExecutor())
                .extenders(extenders)
                .listener(decisions)
                .listener(progress)
                .listener(moves)
                .build();
        boolean isStarted = false;
        try {
            scheduler.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                scheduler.close();
            }
        }
    }

    /**
     * Makes preempted pods end after their grace period. Their controllers then create replacements, shortly after the
     * scheduler is notified of the end.
     */
    void createPreemptedAgain() {
        cluster.evictPodsBy(this::evict);
    }

    private void evict(Pod pod) {
        if (pod.metadata().isDeleting()) {
            return;
        }
        if (!pod.isBound()) {
            end(pod);
            return;
        }
        cluster.apply(pod.withMetadata(
                pod.metadata().toBuilder().deletionTimestamp(clock.instant()).build()));
        later(GRACE_PERIOD, () -> end(pod));
    }

    private void later(Duration delay, Runnable task) {
        pendingControllers++;
        ScheduledFuture<?> ignored = clock.timers()
                .schedule(
                        () -> {
                            pendingControllers--;
                            task.run();
                        },
                        delay.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private void end(Pod pod) {
        boolean isThere = cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(known -> known.uid().equals(pod.uid()))
                .isPresent();
        if (!isThere) {
            return;
        }
        // Created while the claims exist, since the new pod's claims are copies of them.
        RecreatedPod recreated = RecreatedPod.ofPreempted(pod, new WithNamesToCome(), clock.instant());
        recreated.pod().ifPresent(created -> {
            toCome.put(created.key(), created);
            later(CONTROLLER_DELAY, () -> create(recreated));
        });
        cluster.remove(pod);
        progress.progressed();
    }

    /** The cluster and the pods that are about to be created, whose names are in use, too. */
    private final class WithNamesToCome implements ClusterSource {
        @Override
        @SuppressWarnings("unchecked") // a pod is a T if the kind is that of pods
        public <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name) {
            Optional<T> known = cluster.read(kind, namespace, name);
            return known.isEmpty() && kind.equals(ObjectKind.POD)
                    ? Optional.ofNullable((T) toCome.get(namespace + "/" + name))
                    : known;
        }

        @Override
        public void watch(Set<ObjectKind<?>> kinds, Set<KeptJson> json, ClusterListener listener) {
            cluster.watch(kinds, json, listener);
        }

        @Override
        public void close() {}
    }

    private void create(RecreatedPod recreated) {
        Pod gone = recreated.gone();
        Pod pod = recreated.pod().orElseThrow();
        toCome.remove(pod.key());
        int generation = generations.getOrDefault(gone.uid(), 0) + 1;
        if (generation > MOST_GENERATIONS) {
            endlessPreemption = new StalledException("no progress: pod " + gone.key()
                    + " and the pods before it, which its controller created in place of one another, were evicted "
                    + generation
                    + " times, last by plugin " + moves.evictor);
            return;
        }
        recreated.claims().forEach(cluster::apply);
        pending.put(pod.uid(), pod);
        generations.put(pod.uid(), generation);
        createdAgainAs.put(gone.uid(), pod.key());
        cluster.apply(pod);
        progress.progressed();
    }

    static List<Pod> pendingPods(Collection<ClusterObject> objects) {
        List<Pod> pending = new ArrayList<>();
        for (Pod pod : pods(objects)) {
            if (isPending(pod)) {
                pending.add(pod);
            }
        }
        return pending;
    }

    private static boolean isPending(Pod pod) {
        return !pod.isBound() && !pod.status().isTerminal();
    }

    private static List<Pod> pods(Collection<ClusterObject> objects) {
        List<Pod> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod) {
                pods.add(pod);
            }
        }
        return pods;
    }

    /**
     * Schedules the next pod or group, and returns its decision after binding. If none is ready, time passes and changes are applied until one
     * is. Empty if nothing more can happen.
     *
     * @throws StalledException if the same pods are tried again and again without any effect
     */
    Optional<Decision> scheduleNext() {
        Optional<Decision> next = Optional.empty();
        while (next.isEmpty() && isReadyInTime()) {
            next = tryNext();
        }
        if (next.isEmpty()) {
            return next;
        }
        moves.tried(next.get().pod());
        // A pod whose binding failed has a later decision than the one returned.
        Decision last = decisions.of(next.get().pod()).orElse(next.get());
        progress.check(last, scheduler);
        return Optional.of(last);
    }

    private Optional<Decision> tryNext() {
        if (scheduler.isReady(pod -> !isSettled(pod))) {
            settledAttempts = 0;
            return scheduler.scheduleNext(pod -> !isSettled(pod));
        }
        settledAttempts++;
        return scheduler.scheduleNext();
    }

    // While pods wait for a permit, the attempts at other pods that end their wait are made, so that it does not seem
    // as if the permit were missing.
    private boolean isReady() {
        return scheduler.isReady(pod -> !isSettled(pod))
                || settledAttempts < pending.size() && !scheduler.waitingPods().isEmpty() && scheduler.isReady();
    }

    // Without any effect, a pod that was retried so often is retried for ever: because a plugin activates it after each
    // attempt, or because an attempt at another pod that fails causes an event.
    private boolean isSettled(Pod pod) {
        return progress.attemptsAtOnce(pod) >= MOST_AT_ONCE || progress.attemptsSinceProgress(pod) >= MOST_IN_TIME;
    }

    /** Lets time pass and applies changes until a pod is ready to be tried; returns false if nothing more can happen. */
    boolean isReadyInTime() {
        while (!isReady()) {
            if (endlessPreemption != null) {
                throw endlessPreemption;
            }
            boolean isReplaying = applied < changes.size();
            if (!passesTime(isReplaying)) {
                if (!isReplaying) {
                    return false;
                }
                applyNext();
            }
        }
        return true;
    }

    /** Lets time pass until the next thing that is due; returns false if nothing is. */
    private boolean passesTime(boolean isReplaying) {
        Instant now = clock.instant();
        if (progress.progress() != lastProgress) {
            lastProgress = progress.progress();
            lastProgressAt = now;
            quietSteps = 0;
        }
        boolean isQuiet = ++quietSteps > MOST_QUIET_STEPS
                || now.isAfter(lastProgressAt.plus(LONGEST_QUIET))
                || scheduler.waitingPods().isEmpty() && haveAllBeenRetried();
        if (pendingControllers > 0 && quietSteps > MOST_QUIET_STEPS) {
            throw new StalledException("no progress: timers of plugins are due again and again at " + now);
        }
        if (!isReplaying && pendingControllers == 0 && !isAnyQueued()) {
            return false;
        }
        Optional<Instant> backoff = isQuiet
                ? Optional.empty()
                : scheduler.nextBackoffFlush(this::isRetried).map(end -> tick(FLUSH_BACKOFF, end));
        Optional<Instant> flush = isReplaying ? Optional.empty() : nextFlush();
        Optional<Instant> timer =
                pendingControllers > 0 || !isReplaying && !isQuiet ? clock.nextTask() : Optional.empty();
        Optional<Instant> next =
                Stream.of(backoff, flush, timer).flatMap(Optional::stream).min(Comparator.naturalOrder());
        if (next.isEmpty()) {
            return false;
        }
        if (timer.isPresent()) {
            clock.advanceTo(next.get());
        } else {
            clock.skipTo(next.get());
        }
        progress.timePassed();
        scheduler.flushBackoff();
        if (next.equals(flush)) {
            flushUnschedulable();
        }
        return true;
    }

    // Pods that wait for a permit do not count: time does not pass for them alone.
    private boolean isAnyQueued() {
        return scheduler.gauges().pendingPods().values().stream().anyMatch(pods -> pods > 0);
    }

    private boolean haveAllBeenRetried() {
        return scheduler.nextBackoffFlush(this::isRetried).isEmpty()
                && scheduler.unschedulablePods().stream()
                        .allMatch(waiting -> progress.attemptsSinceProgress(waiting.pod()) >= MOST_RETRIES);
    }

    // The scheduler's timers tick from a whole second on.
    private Instant tick(Duration period, Instant earliest) {
        Instant zero = start.truncatedTo(ChronoUnit.SECONDS);
        long nanos = Math.max(0, Duration.between(zero, earliest).toNanos());
        return zero.plus(period.multipliedBy(-Math.floorDiv(-nanos, period.toNanos())));
    }

    // Where nothing has changed since, an error may still be temporary. A group returns to the queue after each
    // attempt, and
    // is retried once, since it may have evicted pods in the attempt itself.
    private boolean isRetried(Pod pod) {
        int attempts = progress.attemptsSinceProgress(pod);
        boolean isRejectedGroup = GroupsAtEnd.key(pod).isPresent()
                && decisions
                        .of(pod)
                        .filter(decision -> decision.outcome() == Decision.Outcome.ERROR)
                        .isEmpty();
        return attempts < (isRejectedGroup ? 2 : MOST_RETRIES);
    }

    private Optional<Instant> nextFlush() {
        return scheduler.unschedulablePods().stream()
                .filter(this::isToBeChecked)
                .map(PodState.Unschedulable::flushedAfter)
                .min(Comparator.naturalOrder())
                .map(end -> tick(FLUSH_UNSCHEDULABLE, end.plusNanos(1)));
    }

    private boolean isToBeChecked(PodState.Unschedulable waiting) {
        Long checkedAt = flushChecks.get(waiting.pod().uid());
        return checkedAt == null || checkedAt != progress.progress();
    }

    /**
     * Retries the pods that only the periodic flush helps. Attempts at all others would fail again, so they are
     * skipped.
     */
    private void flushUnschedulable() {
        Instant now = clock.instant();
        Set<String> retried = new HashSet<>();
        Map<AlikePods, Boolean> helpsAlike = new HashMap<>();
        for (PodState.Unschedulable waiting : scheduler.unschedulablePods()) {
            if (!isToBeChecked(waiting) || !waiting.flushedAfter().isBefore(now)) {
                continue;
            }
            Pod pod = waiting.pod();
            flushChecks.put(pod.uid(), progress.progress());
            boolean helps = waiting.isGated()
                    || AlikePods.of(pod)
                            .map(alike -> helpsAlike.computeIfAbsent(alike, any -> wouldSucceed(pod)))
                            .orElseGet(() -> wouldSucceed(pod));
            if (helps) {
                retried.add(pod.uid());
            }
        }
        scheduler.flushUnschedulable(pod -> retried.contains(pod.uid()));
    }

    private boolean wouldSucceed(Pod pod) {
        try {
            Evaluation evaluation = evaluate(pod);
            return evaluation.fits() || evaluation.preemption().isPresent();
        } catch (RuntimeException failedPlugin) {
            // An attempt fails in the same way, and is reported.
            return true;
        }
    }

    private void endBackoff() {
        // That of a group grows with the root of its size.
        double most = features.isEnabled(FeatureGates.GENERIC_WORKLOAD) ? Math.sqrt(Math.max(1, pending.size())) : 1;
        clock.advance(longestBackoff.multipliedBy((long) Math.ceil(most)));
        progress.timePassed();
        scheduler.flushBackoff();
    }

    private void applyNext() {
        endBackoff();
        RecordedChange change = changes.get(applied++);
        moves.current = change;
        try {
            apply(change);
        } finally {
            moves.current = null;
        }
        progress.progressed();
        if (pending.containsKey(change.object().metadata().uid())) {
            moves.pods.add(change.object().metadata().uid());
        }
    }

    private void apply(RecordedChange change) {
        ClusterObject object = change.object();
        if (change.type() == EventType.DELETED) {
            given.remove(id(object));
            cluster.find(ObjectKind.of(object), object.namespace(), object.name())
                    .ifPresent(gone -> deleted.add(gone.metadata().uid()));
            cluster.remove(object);
            return;
        }
        ClusterObject former = given.put(id(object), object);
        if (former != null && isSameVersion(former.metadata(), object.metadata())) {
            // A watch begins with the existing objects.
            return;
        }
        if (object instanceof Pod pod) {
            apply(pod, former);
        } else {
            cluster.apply(object);
        }
    }

    private static boolean isSameVersion(ObjectMeta former, ObjectMeta next) {
        return former.uid().equals(next.uid())
                && !next.resourceVersion().isEmpty()
                && former.resourceVersion().equals(next.resourceVersion());
    }

    private void apply(Pod pod, @Nullable ClusterObject former) {
        boolean isKnown = former != null && former.metadata().uid().equals(pod.uid());
        Optional<Pod> current = cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(known -> known.uid().equals(pod.uid()));
        if (former != null && !isKnown) {
            deleted.add(former.metadata().uid());
        }
        if (isKnown && current.isEmpty()) {
            // It was preempted in this simulation; its recorded changes no longer apply.
            return;
        }
        Pod next = current.map(known -> withPlace(pod, known)).orElse(pod);
        if (isPending(next) || pending.containsKey(next.uid())) {
            pending.put(next.uid(), next);
        }
        cluster.apply(next);
    }

    // This simulation decides the node of the pod, not the scheduler whose changes were recorded.
    private Pod withPlace(Pod pod, Pod known) {
        if (!pending.containsKey(pod.uid())
                || !scheduler.profileNames().contains(pod.spec().schedulerName())) {
            return pod;
        }
        return pod.withNode(known.nodeName())
                .withStatus(pod.status().toBuilder()
                        .nominatedNodeName(known.status().nominatedNodeName())
                        .build());
    }

    private static String id(ClusterObject object) {
        return ObjectKind.of(object) + " " + object.key();
    }

    /** Returns the number of pods that have been tried. */
    int tried() {
        return decisions.all().size();
    }

    /** Returns the number of other pods that have been tried. */
    int triedBefore(Pod pod) {
        return decisions.all().size() - (decisions.of(pod).isPresent() ? 1 : 0);
    }

    /** Returns the plugins' evaluation of the pod now, as if it had no node. */
    Evaluation evaluate(Pod pod) {
        Pod current = cluster.find(ObjectKind.POD, pod.metadata().namespace(), pod.name())
                .filter(known -> known.uid().equals(pod.uid()))
                .orElse(pod);
        return scheduler.evaluate(current.withoutNode());
    }

    /** Returns the result that the next attempt at a group would have now. */
    GroupEvaluation evaluate(GroupKey group) {
        return scheduler.evaluate(group);
    }

    /** Returns the highest known group above a group, or the group itself. */
    GroupKey root(GroupKey group) {
        return GroupsAtEnd.root(cluster, features, group);
    }

    /** Returns whether a pod is part of that group, or of one with the same root. */
    boolean isPartOf(Pod pod, GroupKey group) {
        return GroupsAtEnd.key(pod).filter(key -> root(key).equals(root(group))).isPresent();
    }

    /** Returns the number of pods outside a group that have been tried. */
    int triedOutside(GroupKey group) {
        return (int) decisions.all().stream()
                .filter(decision -> !isPartOf(decision.pod(), group))
                .count();
    }

    /** Takes the pod out of the cluster. */
    void remove(Pod pod) {
        cluster.remove(pod);
        progress.progressed();
    }

    /** Makes a pod pending that is on a node. */
    void takeOffNode(Pod pod) {
        remove(pod);
        cluster.apply(pod.withoutNode());
    }

    /** Returns the present cluster for what-if queries; the caller closes it. */
    WhatIf whatIf() {
        return scheduler.whatIf();
    }

    /** Returns changes that would make an unschedulable pod fit. */
    List<FittingChange> fittingChanges(Evaluation evaluation) {
        try (WhatIf questions = scheduler.whatIf()) {
            Map<String, List<Pod>> podsByNode = podsByNode();
            try (Transaction now = questions.begin()) {
                return new FittingChanges(
                                now,
                                name -> cluster.find(ObjectKind.NODE, "", name),
                                name -> podsByNode.getOrDefault(name, List.of()),
                                this::isBoundInCluster,
                                evaluation)
                        .all();
            }
        }
    }

    // A pod that waits for a permit has no node in the cluster yet, so it cannot be removed from one.
    private boolean isBoundInCluster(Pod pod) {
        return cluster.find(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(Pod::isBound)
                .isPresent();
    }

    @Override
    public void close() {
        scheduler.close();
    }

    /** The pods, groups and nodes as they are now. */
    SimulationResult result() {
        List<SimulatedPod> pods = simulatedPods();
        List<Pod> waiting =
                scheduler.waitingPods().stream().map(WaitingPod::pod).toList();
        return new SimulationResult(pods, GroupsAtEnd.of(cluster, features, pods, waiting), nodes());
    }

    private List<SimulatedPod> simulatedPods() {
        Set<String> remaining = new HashSet<>();
        cluster.all(ObjectKind.POD).forEach(pod -> remaining.add(pod.uid()));
        Map<String, WaitingPod> waitingByUid = new HashMap<>();
        scheduler
                .waitingPods()
                .forEach(waiting -> waitingByUid.put(waiting.pod().uid(), waiting));
        List<SimulatedPod> results = new ArrayList<>();
        for (Decision decision : decisions.all()) {
            Pod pod = decision.pod();
            if (remaining.contains(pod.uid())) {
                results.add(tried(decision, waitingByUid.get(pod.uid())));
            } else if (deleted.contains(pod.uid())) {
                results.add(deleted(pod, decision.nodeName(), decision.attempts()));
            } else {
                results.add(preempted(pod, decision.nodeName(), decision.attempts()));
            }
        }
        for (Pod pod : pending.values()) {
            if (decisions.of(pod).isEmpty()) {
                results.add(deleted.contains(pod.uid()) ? deleted(pod, "", 0) : neverTried(pod));
            }
        }
        for (Pod pod : pods(given.values())) {
            if (pod.isBound() && !pending.containsKey(pod.uid()) && !remaining.contains(pod.uid())) {
                results.add(preempted(pod, pod.nodeName(), 0));
            }
        }
        return results;
    }

    private SimulatedPod tried(Decision decision, @Nullable WaitingPod waiting) {
        Pod latest = pending.getOrDefault(decision.pod().uid(), decision.pod());
        if (decision.nodeName().isEmpty() && latest.metadata().isDeleting()) {
            return untried(decision.pod(), State.DELETING, "", "is being deleted", decision.attempts());
        }
        if (decision.nodeName().isEmpty() && latest.status().isTerminal()) {
            return ended(decision.pod(), decision.attempts());
        }
        // The only feasible node is not scored.
        OptionalLong score = decision.feasibleNodes() > 1 ? OptionalLong.of(decision.score()) : OptionalLong.empty();
        State state = switch (decision.outcome()) {
            case SCHEDULED -> State.SCHEDULED;
            case UNSCHEDULABLE -> State.UNSCHEDULABLE;
            case ERROR -> State.ERROR;
        };
        PodReason reason = PodReason.of(decision.message(), decision.reasons());
        if (waiting != null) {
            state = State.WAITING_FOR_PERMIT;
            reason = PodReason.ofPermit(waiting.pendingPlugins());
        }
        return new SimulatedPod(
                decision.pod(),
                state,
                decision.nodeName(),
                score,
                "",
                reason,
                decision.attempts(),
                state == State.SCHEDULED
                        && moves.flushed.contains(decision.pod().uid()),
                moves.of(decision.pod()),
                Optional.empty());
    }

    private SimulatedPod deleted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "was deleted before it had a node" : "was deleted from " + nodeName;
        return untried(pod, State.DELETED, "", message, attempts);
    }

    private SimulatedPod ended(Pod pod, int attempts) {
        return untried(pod, State.DELETED, "", "had ended before it had a node", attempts);
    }

    private SimulatedPod preempted(Pod pod, String nodeName, int attempts) {
        String created = createdAgainAs.getOrDefault(pod.uid(), "");
        String again = created.isEmpty() ? "" : ", and was created again as " + created;
        PodReason reason = nodeName.isEmpty()
                ? PodReason.of("deleted" + again)
                : PodReason.of(
                        "had to leave " + nodeName + " for a more important pod" + again,
                        "had to leave its node for a more important pod");
        return new SimulatedPod(
                pod,
                State.PREEMPTED,
                "",
                OptionalLong.empty(),
                "",
                reason,
                attempts,
                false,
                moves.of(pod),
                Optional.of(new SimulatedPod.Preemption(nodeName, created)));
    }

    private SimulatedPod untried(Pod pod, State state, String plugin, String message, int attempts) {
        return new SimulatedPod(
                pod,
                state,
                "",
                OptionalLong.empty(),
                plugin,
                PodReason.of(message),
                attempts,
                false,
                moves.of(pod),
                Optional.empty());
    }

    private SimulatedPod neverTried(Pod pod) {
        if (!scheduler.profileNames().contains(pod.spec().schedulerName())) {
            return untried(
                    pod,
                    State.OTHER_SCHEDULER,
                    "",
                    "for the scheduler " + pod.spec().schedulerName(),
                    0);
        }
        if (pod.metadata().isDeleting()) {
            return untried(pod, State.DELETING, "", "is being deleted", 0);
        }
        if (pod.status().isTerminal()) {
            return ended(pod, 0);
        }
        Optional<GroupKey> missing = GroupsAtEnd.missing(cluster, features, pod);
        if (missing.isPresent()) {
            return untried(pod, State.GATED, "", "waits for " + missing.get() + ", which is not in the cluster", 0);
        }
        PluginStatus gate = scheduler.gate(pod).orElse(PluginStatus.error("", "was not tried"));
        State state = gate.status().code() == Code.ERROR ? State.ERROR : State.GATED;
        return untried(pod, state, gate.plugin(), gate.status().message(), 0);
    }

    private List<NodePods> nodes() {
        Map<String, List<Pod>> podsByNode = podsByNode();
        List<NodePods> nodes = new ArrayList<>();
        for (Node node : cluster.all(ObjectKind.NODE)) {
            nodes.add(new NodePods(node, podsByNode.getOrDefault(node.name(), List.of())));
        }
        return nodes;
    }

    // A pod that waits for a permit has its node reserved, and is not bound to it.
    private Map<String, List<Pod>> podsByNode() {
        List<Pod> pods = new ArrayList<>(cluster.all(ObjectKind.POD));
        scheduler.waitingPods().forEach(waiting -> pods.add(waiting.pod()));
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : pods) {
            if (pod.isBound() && !pod.status().isTerminal()) {
                podsByNode
                        .computeIfAbsent(pod.nodeName(), name -> new ArrayList<>())
                        .add(pod);
            }
        }
        return podsByNode;
    }

    /** Records which changes moved unschedulable pods back to the queue, and which of these pods were then tried. */
    private static final class Moves implements SchedulerListener {
        /** Kube-scheduler's labels for the periodic flush and for the return of a pod after a failed attempt. */
        private static final String FLUSH_EVENT = "UnschedulableTimeout";

        private static final String RETURN_EVENT = "ScheduleAttemptFailure";

        /** The uids of the pods that existed before the change. */
        private final Set<String> pods = ConcurrentHashMap.newKeySet();

        private final Map<String, List<PodMove>> queuedByUid = new ConcurrentHashMap<>();
        private final Map<String, List<PodMove>> triedByUid = new ConcurrentHashMap<>();
        private volatile @Nullable RecordedChange current;
        private final Set<String> flushed = ConcurrentHashMap.newKeySet();
        private volatile String evictor = "";

        @Override
        public void preempted(String plugin, String preemptor, int victims, int groupDisruptions, long pdbViolations) {
            evictor = plugin;
        }

        @Override
        public void podQueued(Pod pod, String queue, String event) {
            RecordedChange change = current;
            boolean isTriedAgain = queue.equals("active") || queue.equals("backoff");
            if (event.equals(FLUSH_EVENT) && isTriedAgain) {
                flushed.add(pod.uid());
            } else if (event.equals(RETURN_EVENT)) {
                flushed.remove(pod.uid());
            }
            if (change != null && isTriedAgain && pods.contains(pod.uid())) {
                queuedByUid
                        .computeIfAbsent(pod.uid(), any -> new CopyOnWriteArrayList<>())
                        .add(new PodMove(change, event));
            }
        }

        // A pod that is being deleted is queued again, but not tried.
        void tried(Pod pod) {
            List<PodMove> queued = queuedByUid.remove(pod.uid());
            if (queued != null) {
                triedByUid
                        .computeIfAbsent(pod.uid(), any -> new CopyOnWriteArrayList<>())
                        .addAll(queued);
            }
        }

        List<PodMove> of(Pod pod) {
            return triedByUid.getOrDefault(pod.uid(), List.of());
        }
    }

    /** The last decision for each pod, in the order of the first decisions. */
    private static final class LastDecisions implements SchedulerListener {
        // A permit that times out is decided on another thread.
        private final Map<String, Decision> lastByUid = Collections.synchronizedMap(new LinkedHashMap<>());

        @Override
        public void decided(Decision decision) {
            lastByUid.put(decision.pod().uid(), decision);
        }

        Optional<Decision> of(Pod pod) {
            return Optional.ofNullable(lastByUid.get(pod.uid()));
        }

        List<Decision> all() {
            synchronized (lastByUid) {
                return List.copyOf(lastByUid.values());
            }
        }
    }
}
