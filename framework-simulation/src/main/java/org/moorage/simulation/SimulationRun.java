// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.SchedulerListener;
import org.moorage.runtime.config.ExtenderConfig;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult.NodePods;

/** One run of a {@link Simulation}: a cluster in memory, and its scheduler. */
final class SimulationRun implements AutoCloseable {
    private final Collection<ClusterObject> objects;
    private final InMemoryCluster cluster;
    private final LastDecisions decisions = new LastDecisions();
    private final Scheduler scheduler;

    SimulationRun(
            Collection<ClusterObject> objects,
            LoadedConfig config,
            PluginRegistry registry,
            List<ExtenderConfig> extenders,
            RandomGenerator random) {
        this.objects = objects;
        cluster = InMemoryCluster.of(objects);
        cluster.startVolumeController();
        scheduler = Scheduler.builder(config, registry, cluster)
                .clock(SteppingClock.startingAfter(objects))
                .random(random)
                .bindingExecutor(Runnable::run)
                .extenders(extenders)
                .listener(decisions)
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

    static List<Pod> pendingPods(Collection<ClusterObject> objects) {
        List<Pod> pending = new ArrayList<>();
        for (Pod pod : pods(objects)) {
            if (!pod.isBound() && !pod.status().isTerminal()) {
                pending.add(pod);
            }
        }
        return pending;
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

    /** Schedules the next pod, and returns what came of it after binding; empty if no pod is ready. */
    Optional<Decision> scheduleNext() {
        // A pod whose binding failed has a later decision than the one returned.
        return scheduler
                .scheduleNext()
                .map(decision -> decisions.of(decision.pod()).orElse(decision));
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
        return scheduler.evaluate(current.withNode(""));
    }

    /** Takes the pod out of the cluster. */
    void remove(Pod pod) {
        cluster.remove(pod);
    }

    /** What would make a pod fit that does not. The cluster is changed to find out, so that the run cannot go on. */
    List<FittingChange> fittingChanges(Evaluation evaluation) {
        return new FittingChanges(scheduler, cluster, podsByNode(), evaluation).all();
    }

    @Override
    public void close() {
        scheduler.close();
    }

    /** The pods and nodes as they are now. */
    SimulationResult result() {
        return new SimulationResult(simulatedPods(), nodes());
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
            results.add(
                    remaining.contains(pod.uid())
                            ? tried(decision, waitingByUid.get(pod.uid()))
                            : preempted(pod, decision.nodeName(), decision.attempts()));
        }
        for (Pod pod : pendingPods(objects)) {
            if (decisions.of(pod).isEmpty()) {
                results.add(neverTried(pod));
            }
        }
        for (Pod pod : pods(objects)) {
            if (pod.isBound() && !remaining.contains(pod.uid())) {
                results.add(preempted(pod, pod.nodeName(), 0));
            }
        }
        return results;
    }

    private static SimulatedPod tried(Decision decision, @Nullable WaitingPod waiting) {
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
        return new SimulatedPod(decision.pod(), state, decision.nodeName(), score, "", message, decision.attempts());
    }

    private static SimulatedPod preempted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "deleted" : "had to leave " + nodeName + " for a more important pod";
        return untried(pod, State.PREEMPTED, "", message, attempts);
    }

    private static SimulatedPod untried(Pod pod, State state, String plugin, String message, int attempts) {
        return new SimulatedPod(pod, state, "", OptionalLong.empty(), plugin, message, attempts);
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
