// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.simulation.SimulatedPod;
import org.moorage.simulation.SimulatedPod.State;
import org.moorage.simulation.SimulationResult;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.PodSizes;

/** What came of a simulation in figures, for programs: of as many pods and nodes as there may be, it is short. */
final class SimulationSummary {
    // Of further reasons it says how many pods they are of.
    private static final int REASONS = 20;

    private SimulationSummary() {}

    /**
     * The summary.
     *
     * @param changes how many changes were replayed
     */
    static ObjectNode tree(SimulationResult result, int changes, SimulationReport.Asked asked) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ObjectNode summary = tree.putObject("summary").put("pods", result.pods().size());
        for (State state : State.values()) {
            summary.put(SimulationReport.name(state), result.count(state));
        }
        long again = createdAgain(result);
        if (again > 0) {
            summary.put("createdAgain", again);
        }
        if (changes > 0) {
            summary.put("changes", changes);
        }
        putReasons(summary, result.pods());
        OutcomeFigures.put(summary.putObject("balance"), balance(result));
        asked.took().ifPresent(took -> summary.put("seconds", took.toMillis() / 1000.0));
        asked.seed().ifPresent(value -> summary.put("seed", value));
        if (!asked.notes().isEmpty()) {
            ArrayNode notes = tree.putArray("notes");
            asked.notes().forEach(notes::add);
        }
        return tree;
    }

    /** How many pods their controllers created again. */
    static long createdAgain(SimulationResult result) {
        return result.pods().stream()
                .filter(pod -> !pod.createdAgainAs().isEmpty())
                .count();
    }

    private static void putReasons(ObjectNode summary, List<SimulatedPod> pods) {
        List<PodRows.Outcome> outcomes = new PodRows("", pods).outcomes();
        int shown = Math.min(REASONS, outcomes.size());
        SimulationReport.put(summary.putArray("reasons"), outcomes.subList(0, shown));
        if (shown < outcomes.size()) {
            int others = 0;
            for (PodRows.Outcome outcome : outcomes.subList(shown, outcomes.size())) {
                others += outcome.pods();
            }
            summary.put("podsOfOtherReasons", others);
        }
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
            // Of these the first two are on nodes.
            case SCHEDULED, WAITING, PREEMPTED, DELETING, DELETED -> false;
        };
    }
}
