// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.simulate;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.PodResult;
import org.moorage.app.internal.answer.PodRows;
import org.moorage.app.internal.answer.ResourceUse;
import org.moorage.app.internal.report.Answer;
import org.moorage.simulation.SimulatedPod.State;

/**
 * The result of a simulation.
 *
 * @param pods the pods that were pending, or that were created or preempted; absent in a summary
 * @param groups the groups of pods, if there are any; absent in a summary
 * @param nodes the nodes; absent in a summary
 * @param zones the nodes by zone, if {@code --by zone} asks for them
 * @param types the nodes by instance type, if {@code --by type} asks for them
 * @param owners the pods by owner, if {@code --by owner} asks for them
 * @param namespaces the pods by namespace, if {@code --by namespace} asks for them
 * @param summary the number of pods by outcome, the most frequent reasons, and how the nodes are filled
 * @param notes notes on objects that were added to the cluster
 */
record SimulationAnswer(
        Optional<List<PodResult>> pods,
        Optional<List<GroupResult>> groups,
        Optional<List<NodeUse>> nodes,
        Optional<List<NodesUse>> zones,
        Optional<List<NodesUse>> types,
        Optional<List<PodsResult>> owners,
        Optional<List<PodsResult>> namespaces,
        Summary summary,
        @JsonInclude(Include.NON_EMPTY) List<String> notes)
        implements Answer {
    @Override
    public SimulationAnswer withoutLists() {
        return new SimulationAnswer(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                summary,
                notes);
    }

    /**
     * A node.
     *
     * @param node the name
     * @param pods the number of pods on it
     * @param allowedPods the number of pods that it allows
     * @param resources the use of each resource
     */
    record NodeUse(String node, long pods, long allowedPods, Map<ResourceName, ResourceUse> resources) {}

    /**
     * The nodes of a zone or type.
     *
     * @param name the zone or type
     * @param nodes the number of nodes
     * @param pods the number of pods on them
     * @param allowedPods the number of pods that they allow
     * @param resources the use of each resource
     */
    record NodesUse(String name, int nodes, long pods, long allowedPods, Map<ResourceName, ResourceUse> resources) {}

    /**
     * The pods of an owner or namespace.
     *
     * @param name the name
     * @param pods the number of pods
     * @param scheduled the number of pods with a node
     * @param outcomes the pods that are not simply scheduled, by reason
     */
    record PodsResult(String name, int pods, int scheduled, List<ReasonCount> outcomes) {}

    /**
     * The number of pods with an outcome for a reason.
     *
     * @param outcome the outcome
     * @param pods the number of pods
     * @param message the reason, with ranges in place of numbers that differ
     */
    record ReasonCount(State outcome, int pods, String message) {
        static List<ReasonCount> all(List<PodRows.Outcome> outcomes) {
            return outcomes.stream()
                    .map(outcome -> new ReasonCount(outcome.state(), outcome.pods(), outcome.message()))
                    .toList();
        }
    }

    /**
     * The result in figures.
     *
     * @param pods the number of pods
     * @param scheduled those that have a node
     * @param unschedulable those that fit on no node
     * @param error those of which scheduling or binding failed
     * @param preempted those that were deleted for pods of higher priority
     * @param waitingForPermit those that wait for a permit
     * @param gated those that a plugin keeps out of the queue
     * @param otherScheduler those of other schedulers
     * @param deleting those that were being deleted
     * @param deleted those that a recorded change deleted
     * @param createdAgain the number of preempted pods that their controllers created again
     * @param changes the number of replayed changes
     * @param reasons the most frequent reasons why pods have no node
     * @param podsOfOtherReasons the number of pods with other reasons
     * @param balance how the nodes are filled
     * @param seconds the time that the simulation took
     * @param seed the random seed
     */
    record Summary(
            int pods,
            long scheduled,
            long unschedulable,
            long error,
            long preempted,
            long waitingForPermit,
            long gated,
            long otherScheduler,
            long deleting,
            long deleted,
            Optional<Long> createdAgain,
            Optional<Integer> changes,
            List<ReasonCount> reasons,
            Optional<Integer> podsOfOtherReasons,
            ClusterFigures balance,
            Optional<Double> seconds,
            Optional<Long> seed) {}
}
