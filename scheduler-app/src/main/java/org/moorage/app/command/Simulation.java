// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerListener;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.simulation.SteppingClock;

/** Has a scheduler place the waiting pods of a cluster, where nothing else happens but that volumes are bound and made. */
final class Simulation {
    private final ClusterInput input;
    private final InstantSource clock;
    private final Attempts attempts = new Attempts();

    /** What became of a pod. */
    enum Outcome {
        /** It has a node. */
        SCHEDULED("scheduled", "placed"),
        /** No node will do. */
        UNSCHEDULABLE("unschedulable", "unschedulable"),
        /** Something failed. */
        ERROR("error", "failed"),
        /** It had to leave for a more important one. */
        PREEMPTED("preempted", "preempted"),
        /** It has a node, and waits for somebody to permit it. */
        WAITING("waiting", "waiting for a permit"),
        /** It may not be tried yet. */
        GATED("gated", "gated"),
        /** It is for another scheduler. */
        OTHER_SCHEDULER("otherScheduler", "for other schedulers"),
        /** It is about to go. */
        DELETING("deleting", "being deleted");

        private final String text;
        private final String count;

        Outcome(String text, String count) {
            this.text = text;
            this.count = count;
        }

        /** What the summary says after a number of such pods. */
        String count() {
            return count;
        }

        /** Whether it was tried and has no node. */
        boolean isFailure() {
            return this == UNSCHEDULABLE || this == ERROR || this == PREEMPTED;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * A pod at the end.
     *
     * @param pod namespace and name
     * @param outcome what became of it
     * @param node its node; empty if it has none
     * @param score the node's score; empty if nothing was scored, as when only one node would do
     * @param message why it has no node
     * @param attempts how often it was tried
     */
    record PodResult(String pod, Outcome outcome, String node, OptionalLong score, String message, int attempts) {}

    /** A node at the end, with the pods on it. */
    record NodeResult(Node node, List<Pod> pods) {}

    /** All of it, and how long it took. */
    record Result(List<PodResult> pods, List<NodeResult> nodes, Duration took) {
        long count(Outcome outcome) {
            return pods.stream().filter(pod -> pod.outcome == outcome).count();
        }
    }

    Simulation(ClusterInput input, InstantSource clock) {
        this.input = input;
        this.clock = clock;
    }

    /**
     * Runs until no pod is ready to be tried.
     *
     * @param steps is told the outcome of each attempt
     */
    Result run(LoadedConfig config, PluginRegistry registry, RandomGenerator random, Consumer<Decision> steps) {
        Instant start = clock.instant();
        InMemoryCluster cluster = InMemoryCluster.of(input.objects());
        cluster.startVolumeController();
        Scheduler.Builder builder = Scheduler.builder(config, registry, cluster)
                .clock(new SteppingClock(input.youngest()))
                .random(random)
                .bindingExecutor(Runnable::run)
                .listener(attempts);
        try (Scheduler scheduler = builder.build()) {
            scheduler.start();
            Optional<Decision> decision = scheduler.scheduleNext();
            while (decision.isPresent()) {
                // A pod that could not be bound after all has a later decision than the one returned.
                steps.accept(attempts.last(decision.get().pod()).orElse(decision.get()));
                decision = scheduler.scheduleNext();
            }
            List<PodResult> pods = pods(scheduler, cluster);
            return new Result(pods, nodes(cluster), Duration.between(start, clock.instant()));
        }
    }

    private List<PodResult> pods(Scheduler scheduler, InMemoryCluster cluster) {
        Set<String> left = new HashSet<>();
        cluster.all(ObjectKind.POD).forEach(pod -> left.add(pod.uid()));
        Map<String, WaitingPod> permits = new HashMap<>();
        scheduler.waitingPods().forEach(waiting -> permits.put(waiting.pod().uid(), waiting));
        List<PodResult> results = new ArrayList<>();
        for (Decision decision : attempts.all()) {
            results.add(tried(decision, left, permits.get(decision.pod().uid())));
        }
        for (Pod pod : input.waitingPods()) {
            if (attempts.last(pod).isEmpty()) {
                results.add(neverTried(pod, scheduler.profileNames()));
            }
        }
        for (Pod pod : input.pods()) {
            if (pod.isBound() && !left.contains(pod.uid())) {
                results.add(preempted(pod, pod.nodeName(), 0));
            }
        }
        return results;
    }

    private static PodResult tried(Decision decision, Set<String> left, @Nullable WaitingPod permit) {
        Pod pod = decision.pod();
        if (!left.contains(pod.uid())) {
            return preempted(pod, decision.nodeName(), decision.attempts());
        }
        // A node that is the only choice is not scored.
        OptionalLong score = decision.feasibleNodes() > 1 ? OptionalLong.of(decision.score()) : OptionalLong.empty();
        if (permit != null) {
            String message = "waits for a permit of " + String.join(", ", permit.pendingPlugins());
            return new PodResult(pod.key(), Outcome.WAITING, decision.nodeName(), score, message, decision.attempts());
        }
        Outcome outcome = switch (decision.outcome()) {
            case SCHEDULED -> Outcome.SCHEDULED;
            case UNSCHEDULABLE -> Outcome.UNSCHEDULABLE;
            case ERROR -> Outcome.ERROR;
        };
        return new PodResult(pod.key(), outcome, decision.nodeName(), score, decision.message(), decision.attempts());
    }

    private static PodResult preempted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "deleted" : "had to leave " + nodeName + " for a more important pod";
        return new PodResult(pod.key(), Outcome.PREEMPTED, "", OptionalLong.empty(), message, attempts);
    }

    private static PodResult neverTried(Pod pod, Set<String> profiles) {
        Outcome outcome = Outcome.GATED;
        String message = "held back by a plugin before the queue";
        if (!profiles.contains(pod.spec().schedulerName())) {
            outcome = Outcome.OTHER_SCHEDULER;
            message = "for the scheduler " + pod.spec().schedulerName();
        } else if (pod.metadata().isDeleting()) {
            outcome = Outcome.DELETING;
            message = "is being deleted";
        } else if (!pod.spec().schedulingGates().isEmpty()) {
            message = "waits for scheduling gates: "
                    + String.join(", ", pod.spec().schedulingGates());
        }
        return new PodResult(pod.key(), outcome, "", OptionalLong.empty(), message, 0);
    }

    private static List<NodeResult> nodes(InMemoryCluster cluster) {
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : cluster.all(ObjectKind.POD)) {
            if (pod.isBound() && !pod.status().isTerminal()) {
                podsByNode
                        .computeIfAbsent(pod.nodeName(), name -> new ArrayList<>())
                        .add(pod);
            }
        }
        List<NodeResult> nodes = new ArrayList<>();
        for (Node node : cluster.all(ObjectKind.NODE)) {
            nodes.add(new NodeResult(node, podsByNode.getOrDefault(node.name(), List.of())));
        }
        return nodes;
    }

    /** Remembers the last decision about each pod, in the order of the pods' first ones. */
    private static final class Attempts implements SchedulerListener {
        // A permit that runs out is decided about on another thread.
        private final Map<String, Decision> lastByUid = Collections.synchronizedMap(new LinkedHashMap<>());

        @Override
        public void decided(Decision decision) {
            lastByUid.put(decision.pod().uid(), decision);
        }

        Optional<Decision> last(Pod pod) {
            return Optional.ofNullable(lastByUid.get(pod.uid()));
        }

        List<Decision> all() {
            synchronized (lastByUid) {
                return List.copyOf(lastByUid.values());
            }
        }
    }
}
