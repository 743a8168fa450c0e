// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.GroupKey;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult.NodePods;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.simulation.dump.RecordedChange;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChanges;

/** One run of a {@link Simulation}: a cluster in memory, and its scheduler. */
final class SimulationRun implements AutoCloseable {
    /** How often a pod and those in its place are created again at most, whatever plugins preempt. */
    private static final int MOST_GENERATIONS = 100;

    private final InMemoryCluster cluster;
    private final SteppingClock clock;
    private final FeatureGates features;
    private final Duration longestBackoff;
    private final List<RecordedChange> changes;
    private int applied;

    /** The objects as they were given last, by kind and key. */
    private final Map<String, ClusterObject> given = new LinkedHashMap<>();

    /** The pods that the scheduler was given to place, as they were given last, by uid. */
    private final Map<String, Pod> pending = new LinkedHashMap<>();

    /** The uids of the pods that recorded changes deleted. */
    private final Set<String> deleted = new HashSet<>();

    /** In the place of which preempted pods others were created, by their uids. */
    private final Map<String, String> createdAgainAs = new HashMap<>();

    /** How many pods were there before a pod that was created again, by its uid. */
    private final Map<String, Integer> generations = new HashMap<>();

    private final Moves moves = new Moves();
    private final LastDecisions decisions = new LastDecisions();
    private final Scheduler scheduler;

    SimulationRun(
            Collection<ClusterObject> objects,
            LoadedConfig config,
            PluginRegistry registry,
            List<ExtenderConfig> extenders,
            RandomGenerator random,
            List<RecordedChange> changes) {
        this.changes = changes;
        features = config.featureGates();
        longestBackoff = Duration.ofSeconds(config.config().podMaxBackoffSeconds());
        clock = SteppingClock.startingAfter(objects);
        objects.forEach(object -> given.put(id(object), object));
        pendingPods(objects).forEach(pod -> pending.put(pod.uid(), pod));
        moves.pods.addAll(pending.keySet());
        cluster = InMemoryCluster.of(objects);
        cluster.startControllers();
        scheduler = Scheduler.builder(config, registry, cluster)
                .clock(clock)
                .random(random)
                .bindingExecutor(Runnable::run)
                .extenders(extenders)
                .listener(decisions)
                .metrics(moves)
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

    /** Has pods that are preempted from now on created again by their controllers. */
    void createPreemptedAgain() {
        cluster.createPodsAgain(clock, recreated -> {
            Pod gone = recreated.gone();
            int generation = generations.getOrDefault(gone.uid(), 0) + 1;
            Optional<Pod> created = recreated.pod().filter(pod -> generation <= MOST_GENERATIONS);
            created.ifPresent(pod -> {
                pending.put(pod.uid(), pod);
                generations.put(pod.uid(), generation);
                createdAgainAs.put(gone.uid(), pod.key());
            });
            return created.isPresent();
        });
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
     * Schedules the next pod or group, and returns what came of it after binding. If none is ready, groups are tried again if pods had to
     * leave since; then changes are applied until a pod is ready. Empty if none is after the last one.
     */
    Optional<Decision> scheduleNext() {
        // A pod whose binding failed has a later decision than the one returned.
        Optional<Decision> next = scheduler.scheduleNext();
        while (next.isEmpty()) {
            if (moves.takePreempted() && hasWaitingGroup()) {
                endBackoff();
            } else if (applied < changes.size()) {
                applyNext();
            } else {
                break;
            }
            next = scheduler.scheduleNext();
        }
        next.ifPresent(decision -> moves.tried(decision.pod()));
        return next.map(decision -> decisions.of(decision.pod()).orElse(decision));
    }

    /** How many changes have been applied. */
    int applied() {
        return applied;
    }

    /** Applies changes until so many have been applied. */
    void applyUntil(int count) {
        while (applied < count) {
            applyNext();
        }
    }

    // No event ends the backoff of a group, not even that of one that has made room for itself.
    private boolean hasWaitingGroup() {
        return features.isEnabled(FeatureGates.GENERIC_WORKLOAD)
                && cluster.all(ObjectKind.POD).stream()
                        .anyMatch(pod ->
                                isPending(pod) && !pod.spec().podGroupName().isEmpty());
    }

    private void endBackoff() {
        // That of a group grows with the root of its size.
        double most = features.isEnabled(FeatureGates.GENERIC_WORKLOAD) ? Math.sqrt(Math.max(1, pending.size())) : 1;
        clock.advance(longestBackoff.multipliedBy((long) Math.ceil(most)));
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
            // A watch begins with the objects that are there.
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
            // It was preempted here, whatever became of it where the changes were recorded.
            return;
        }
        Pod next = current.map(known -> withPlace(pod, known)).orElse(pod);
        if (isPending(next) || pending.containsKey(next.uid())) {
            pending.put(next.uid(), next);
        }
        cluster.apply(next);
    }

    // Where the pod is to go is decided here, and not by the scheduler whose doings were recorded.
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

    /** How many pods have been tried. */
    int tried() {
        return decisions.all().size();
    }

    /** How many pods have been tried apart from this one. */
    int triedBefore(Pod pod) {
        return decisions.all().size() - (decisions.of(pod).isPresent() ? 1 : 0);
    }

    /** What the plugins say of the pod now, as if it had no node. */
    Evaluation evaluate(Pod pod) {
        Pod current = cluster.find(ObjectKind.POD, pod.metadata().namespace(), pod.name())
                .filter(known -> known.uid().equals(pod.uid()))
                .orElse(pod);
        return scheduler.evaluate(current.withoutNode());
    }

    /** What the next attempt at a group would find now. */
    GroupEvaluation evaluate(GroupKey group) {
        return scheduler.evaluate(group);
    }

    /** The highest known group above a group, or the group itself. */
    GroupKey root(GroupKey group) {
        return GroupsAtEnd.root(cluster, features, group);
    }

    /** Whether a pod is part of that group, or of one with the same root. */
    boolean isPartOf(Pod pod, GroupKey group) {
        return GroupsAtEnd.key(pod).filter(key -> root(key).equals(root(group))).isPresent();
    }

    /** How many pods have been tried that are not part of a group. */
    int triedOutside(GroupKey group) {
        return (int) decisions.all().stream()
                .filter(decision -> !isPartOf(decision.pod(), group))
                .count();
    }

    /** Takes the pod out of the cluster. */
    void remove(Pod pod) {
        cluster.remove(pod);
    }

    /** The cluster as it is now, to be asked about and closed. */
    WhatIf whatIf() {
        return scheduler.whatIf();
    }

    /** What would make a pod fit that does not. */
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

    // A pod that waits for a permit is not in the cluster with its node, so that it cannot be taken out.
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
        String message = decision.message();
        if (waiting != null) {
            state = State.WAITING;
            message = "waits for a permit of " + String.join(", ", waiting.pendingPlugins());
        }
        return new SimulatedPod(
                decision.pod(),
                state,
                decision.nodeName(),
                score,
                "",
                message,
                decision.attempts(),
                moves.of(decision.pod()),
                "");
    }

    private SimulatedPod deleted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "was deleted before it had a node" : "was deleted from " + nodeName;
        return untried(pod, State.DELETED, "", message, attempts);
    }

    private SimulatedPod ended(Pod pod, int attempts) {
        return untried(pod, State.DELETED, "", "had ended before it had a node", attempts);
    }

    private SimulatedPod preempted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "deleted" : "had to leave " + nodeName + " for a more important pod";
        String created = createdAgainAs.getOrDefault(pod.uid(), "");
        return new SimulatedPod(
                pod,
                State.PREEMPTED,
                "",
                OptionalLong.empty(),
                "",
                created.isEmpty() ? message : message + ", and was created again as " + created,
                attempts,
                moves.of(pod),
                created);
    }

    private SimulatedPod untried(Pod pod, State state, String plugin, String message, int attempts) {
        return new SimulatedPod(pod, state, "", OptionalLong.empty(), plugin, message, attempts, moves.of(pod), "");
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

    /** For which recorded changes pods came back from the unschedulable ones, and were then tried. */
    private static final class Moves implements SchedulerMetrics {
        /** The uids of the pods that were there before the change. */
        private final Set<String> pods = ConcurrentHashMap.newKeySet();

        private final Map<String, List<PodMove>> queuedByUid = new ConcurrentHashMap<>();
        private final Map<String, List<PodMove>> triedByUid = new ConcurrentHashMap<>();
        private volatile @Nullable RecordedChange current;
        private final AtomicBoolean preempted = new AtomicBoolean();

        /** Whether pods had to leave since this was asked last. */
        boolean takePreempted() {
            return preempted.getAndSet(false);
        }

        @Override
        public void preempted(String preemptor, int victims, int groupDisruptions, long pdbViolations) {
            preempted.set(true);
        }

        @Override
        public void podQueued(Pod pod, String queue, String event) {
            RecordedChange change = current;
            boolean isTriedAgain = queue.equals("active") || queue.equals("backoff");
            if (change != null && isTriedAgain && pods.contains(pod.uid())) {
                queuedByUid
                        .computeIfAbsent(pod.uid(), any -> new CopyOnWriteArrayList<>())
                        .add(new PodMove(change, event));
            }
        }

        // A pod that is being deleted comes back, and is not tried.
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

    /** The last decision about each pod, in the order of the pods' first ones. */
    private static final class LastDecisions implements SchedulerListener {
        // A wait on permit that times out is decided on another thread.
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
