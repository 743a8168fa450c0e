// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.recording.RecordedPods.RecordedPod;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.PodMove;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.Simulation;
import org.moorage.simulation.SimulationResult;

/**
 * The results of a recording's pods, as recorded and with another configuration.
 *
 * @param pods the pods that this configuration is responsible for, in the order in which they came
 * @param otherSchedulers how many pods are for schedulers that this configuration has no profile for
 * @param changes how many changes were replayed
 * @param preempted how many pods had to leave for others here
 */
public record Replay(List<ReplayedPod> pods, int otherSchedulers, int changes, int preempted) {
    public Replay {
        pods = List.copyOf(pods);
    }

    /** The nodes of a pod in the recording ("there") and in the replay ("here"). */
    public enum Outcome {
        /** The same node. */
        SAME_NODE,
        /** Different nodes. */
        OTHER_NODE,
        /** A node in the replay only. */
        PLACED_HERE_ONLY,
        /** A node in the recording only. */
        PLACED_THERE_ONLY,
        /** No node in either. */
        PLACED_NOWHERE
    }

    /**
     * A pod.
     *
     * @param recorded the recorded result
     * @param outcome in one word
     * @param nodeName its node here; empty if it got none
     * @param waited how long it waited here: until the change that it was tried for; empty if it got no node
     * @param message why it got no node here, or what it waits for
     */
    public record ReplayedPod(
            RecordedPod recorded, Outcome outcome, String nodeName, Optional<Duration> waited, String message) {}

    /**
     * Replays a recording: pods that are pending there are pending here, and pods that were bound at the start stay on
     * their nodes.
     */
    public static Replay of(Simulation simulation, RecordedPods recorded, int changes) {
        Map<String, String> nodeByUid = new HashMap<>();
        SimulationResult result = simulation
                .listener(decision -> nodeByUid.put(
                        decision.pod().uid(),
                        decision.outcome() == Decision.Outcome.SCHEDULED ? decision.nodeName() : ""))
                .run();
        Map<String, SimulatedPod> simulated = new HashMap<>();
        result.pods().forEach(pod -> simulated.put(pod.pod().uid(), pod));
        List<ReplayedPod> pods = new ArrayList<>();
        int others = 0;
        for (RecordedPod pod : recorded.pods()) {
            SimulatedPod here = simulated.get(pod.pod().uid());
            if (here == null || here.state() == SimulatedPod.State.OTHER_SCHEDULER) {
                others++;
                continue;
            }
            String nodeName = nodeByUid.getOrDefault(pod.pod().uid(), "");
            pods.add(new ReplayedPod(
                    pod,
                    outcome(pod.nodeName(), nodeName),
                    nodeName,
                    nodeName.isEmpty() ? Optional.empty() : Optional.of(waited(pod, here, recorded)),
                    here.message()));
        }
        return new Replay(pods, others, changes, result.count(SimulatedPod.State.PREEMPTED));
    }

    private static Outcome outcome(String there, String here) {
        if (there.isEmpty() || here.isEmpty()) {
            return there.isEmpty()
                    ? here.isEmpty() ? Outcome.PLACED_NOWHERE : Outcome.PLACED_HERE_ONLY
                    : Outcome.PLACED_THERE_ONLY;
        }
        return there.equals(here) ? Outcome.SAME_NODE : Outcome.OTHER_NODE;
    }

    private static Duration waited(RecordedPod pod, SimulatedPod here, RecordedPods recorded) {
        List<PodMove> moves = here.movedBy();
        if (moves.isEmpty()) {
            return Duration.ZERO;
        }
        Instant placed = recorded.timeOf(moves.get(moves.size() - 1).change());
        return placed.isBefore(pod.since()) ? Duration.ZERO : Duration.between(pod.since(), placed);
    }

    /** Returns the number of pods with that outcome. */
    public long count(Outcome outcome) {
        return pods.stream().filter(pod -> pod.outcome() == outcome).count();
    }

    /** How long pods waited that got a node there and here, in order; there or here. */
    public List<Duration> waits(Side side) {
        List<Duration> waits = new ArrayList<>();
        for (ReplayedPod pod : pods) {
            if (pod.waited().isPresent() && pod.recorded().waited().isPresent()) {
                waits.add(
                        side == Side.HERE
                                ? pod.waited().get()
                                : pod.recorded().waited().get());
            }
        }
        waits.sort(null);
        return waits;
    }

    /** The side of the comparison. */
    public enum Side {
        /** The scheduler that was recorded. */
        THERE,
        /** This configuration. */
        HERE
    }

    /** How many nodes pods of the recording went to. */
    public long nodes(Side side) {
        return pods.stream()
                .map(pod -> side == Side.HERE ? pod.nodeName() : pod.recorded().nodeName())
                .filter(node -> !node.isEmpty())
                .distinct()
                .count();
    }
}
