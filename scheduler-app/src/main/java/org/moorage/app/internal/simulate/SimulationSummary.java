// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.PodRows;
import org.moorage.app.internal.simulate.SimulationAnswer.ReasonCount;
import org.moorage.app.internal.simulate.SimulationAnswer.Summary;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.PodSizes;

/** Computes the figures of a simulation. */
public final class SimulationSummary {
    private static final int REASONS = 20;

    private SimulationSummary() {}

    /**
     * Returns the summary.
     *
     * @param changes the number of replayed changes
     */
    static Summary of(SimulationResult result, int changes, SimulationReport.Asked asked) {
        List<PodRows.Outcome> reasons = new PodRows("", result.pods()).outcomes();
        int shown = Math.min(REASONS, reasons.size());
        int others = reasons.subList(shown, reasons.size()).stream()
                .mapToInt(PodRows.Outcome::pods)
                .sum();
        return new Summary(
                result.pods().size(),
                result.count(State.SCHEDULED),
                result.count(State.UNSCHEDULABLE),
                result.count(State.ERROR),
                result.count(State.PREEMPTED),
                result.count(State.WAITING_FOR_PERMIT),
                result.count(State.GATED),
                result.count(State.OTHER_SCHEDULER),
                result.count(State.DELETING),
                result.count(State.DELETED),
                Optional.of(createdAgain(result)).filter(count -> count > 0),
                Optional.of(changes).filter(count -> count > 0),
                ReasonCount.all(reasons.subList(0, shown)),
                Optional.of(others).filter(count -> count > 0),
                ClusterFigures.of(balance(result)),
                asked.took().map(took -> took.toMillis() / 1000.0),
                asked.seed());
    }

    /** Returns how many pods their controllers created again. */
    public static long createdAgain(SimulationResult result) {
        return result.pods().stream()
                .filter(pod -> !pod.createdAgainAs().isEmpty())
                .count();
    }

    private static ClusterBalance balance(SimulationResult result) {
        List<Node> nodes = new ArrayList<>();
        Map<String, List<Pod>> podsByNode = new HashMap<>();
        List<Pod> pods = new ArrayList<>();
        for (SimulationResult.NodePods node : result.nodes()) {
            nodes.add(node.node());
            podsByNode.put(node.node().name(), node.pods());
            pods.addAll(node.pods());
        }
        for (SimulatedPod pod : result.pods()) {
            if (isThereWithoutNode(pod)) {
                pods.add(pod.pod());
            }
        }
        return ClusterBalance.of(nodes, node -> podsByNode.getOrDefault(node, List.of()), PodSizes.of(pods));
    }

    private static boolean isThereWithoutNode(SimulatedPod pod) {
        return switch (pod.state()) {
            case UNSCHEDULABLE, ERROR, GATED, OTHER_SCHEDULER -> true;
            // Scheduled pods and those that wait for a permit are counted on their nodes; the others are deleted or
            // being deleted.
            case SCHEDULED, WAITING_FOR_PERMIT, PREEMPTED, DELETING, DELETED -> false;
        };
    }
}
