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
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
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
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult.NodePods;

/**
 * Schedules the pending pods of a cluster in memory, one after the other, until none is ready to be tried. Apart from the
 * scheduler only a volume controller changes the cluster, see {@link InMemoryCluster#startVolumeController}.
 *
 * <pre>{@code
 * PluginRegistry registry = PluginRegistry.of(BuiltinPlugins.all());
 * LoadedConfig config = ConfigLoader.defaults(registry);
 * ClusterDump dump = ClusterDump.read(Path.of("cluster.yaml"));
 * SimulationResult result = Simulation.of(dump.objects(), config, registry).run();
 * }</pre>
 *
 * <p>Extenders of the configuration are asked to filter, score and preempt, but not to bind: what is simulated must not happen.
 *
 * <p>For one thread: set it up, then run it. Runs of several simulations may go on at once.
 *
 * <p>Its clock is a {@link SteppingClock}, so that with the same random numbers each run has the same result.
 */
public final class Simulation {
    private final List<ClusterObject> objects;
    private final LoadedConfig config;
    private final PluginRegistry registry;
    private RandomGenerator random = RandomGenerator.getDefault();
    private Consumer<Decision> listener = decision -> {};
    private List<ExtenderConfig> extenders;

    private Simulation(List<ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        this.objects = objects;
        this.config = config;
        this.registry = registry;
        extenders = config.config().extenders();
    }

    /** A simulation of a cluster of these objects, with the profiles of a configuration. */
    public static Simulation of(
            Collection<? extends ClusterObject> objects, LoadedConfig config, PluginRegistry registry) {
        return new Simulation(
                List.copyOf(objects),
                Objects.requireNonNull(config, "config"),
                Objects.requireNonNull(registry, "registry"));
    }

    /** Sets where random numbers come from: of nodes with the same score, one is selected at random. */
    public Simulation random(RandomGenerator source) {
        random = Objects.requireNonNull(source, "source");
        return this;
    }

    /** Has no extender asked. What they make NodeResourcesFit ignore stays ignored. */
    public Simulation ignoringExtenders() {
        extenders = List.of();
        return this;
    }

    /** Sets who is told the decision of each attempt, after binding. */
    public Simulation listener(Consumer<Decision> told) {
        listener = Objects.requireNonNull(told, "told");
        return this;
    }

    /** The pods to schedule: those without a node that have not ended, in order. */
    public List<Pod> pendingPods() {
        List<Pod> pending = new ArrayList<>();
        for (Pod pod : pods()) {
            if (!pod.isBound() && !pod.status().isTerminal()) {
                pending.add(pod);
            }
        }
        return pending;
    }

    private List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod) {
                pods.add(pod);
            }
        }
        return pods;
    }

    /** Runs the simulation. Each call starts from the objects as they were given. */
    public SimulationResult run() {
        InMemoryCluster cluster = InMemoryCluster.of(objects);
        cluster.startVolumeController();
        LastDecisions decisions = new LastDecisions();
        Scheduler.Builder builder = Scheduler.builder(config, registry, cluster)
                .clock(SteppingClock.startingAfter(objects))
                .random(random)
                .bindingExecutor(Runnable::run)
                .extenders(
                        extenders.stream().map(ExtenderConfig::withoutBindVerb).toList())
                .listener(decisions);
        try (Scheduler scheduler = builder.build()) {
            scheduler.start();
            Optional<Decision> decision = scheduler.scheduleNext();
            while (decision.isPresent()) {
                // A pod whose binding failed has a later decision than the one returned.
                listener.accept(decisions.of(decision.get().pod()).orElse(decision.get()));
                decision = scheduler.scheduleNext();
            }
            return new SimulationResult(pods(scheduler, cluster, decisions), nodes(cluster));
        }
    }

    private List<SimulatedPod> pods(Scheduler scheduler, InMemoryCluster cluster, LastDecisions decisions) {
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
        for (Pod pod : pendingPods()) {
            if (decisions.of(pod).isEmpty()) {
                results.add(neverTried(pod, scheduler.profileNames()));
            }
        }
        for (Pod pod : pods()) {
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
        return new SimulatedPod(decision.pod(), state, decision.nodeName(), score, message, decision.attempts());
    }

    private static SimulatedPod preempted(Pod pod, String nodeName, int attempts) {
        String message = nodeName.isEmpty() ? "deleted" : "had to leave " + nodeName + " for a more important pod";
        return new SimulatedPod(pod, State.PREEMPTED, "", OptionalLong.empty(), message, attempts);
    }

    private static SimulatedPod neverTried(Pod pod, Set<String> profiles) {
        State state = State.GATED;
        String message = "held back by a plugin before the queue";
        if (!profiles.contains(pod.spec().schedulerName())) {
            state = State.OTHER_SCHEDULER;
            message = "for the scheduler " + pod.spec().schedulerName();
        } else if (pod.metadata().isDeleting()) {
            state = State.DELETING;
            message = "is being deleted";
        } else if (!pod.spec().schedulingGates().isEmpty()) {
            message = "waits for scheduling gates: "
                    + String.join(", ", pod.spec().schedulingGates());
        }
        return new SimulatedPod(pod, state, "", OptionalLong.empty(), message, 0);
    }

    private static List<NodePods> nodes(InMemoryCluster cluster) {
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        for (Pod pod : cluster.all(ObjectKind.POD)) {
            if (pod.isBound() && !pod.status().isTerminal()) {
                podsByNode
                        .computeIfAbsent(pod.nodeName(), name -> new ArrayList<>())
                        .add(pod);
            }
        }
        List<NodePods> nodes = new ArrayList<>();
        for (Node node : cluster.all(ObjectKind.NODE)) {
            nodes.add(new NodePods(node, podsByNode.getOrDefault(node.name(), List.of())));
        }
        return nodes;
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
