// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.PlacedPod;
import org.moorage.app.internal.answer.SchedulingFigures;
import org.moorage.app.internal.report.Answer;

/**
 * The results of two configurations of the scheduler for one cluster.
 *
 * @param succeeded whether both schedule all pods to the same nodes
 * @param pending the number of pending pods that are scheduled
 * @param rescheduled the number of pods that are taken off their nodes first
 * @param different the number of pods that go to different nodes
 * @param now the cluster as it is
 * @param costPerHour the cost of the nodes that are not empty, if prices are given
 * @param sides the two results
 * @param differentPods the pods that go to different nodes; absent in a summary
 */
record CompareAnswer(
        boolean succeeded,
        int pending,
        int rescheduled,
        int different,
        ClusterFigures now,
        Optional<Double> costPerHour,
        List<Side> sides,
        Optional<List<DifferentPod>> differentPods)
        implements Answer {
    /**
     * The result of one configuration.
     *
     * @param name the name of the configuration
     * @param figures the result in figures
     * @param costPerHour the cost of the nodes that are not empty, if prices are given
     * @param pods the scheduled pods; absent in a summary
     * @param lost the preempted pods that no controller creates again; absent in a summary
     */
    record Side(
            String name,
            @JsonUnwrapped SchedulingFigures figures,
            Optional<Double> costPerHour,
            Optional<List<PlacedPod>> pods,
            Optional<List<Pod>> lost) {}

    /**
     * A pod that goes to different nodes.
     *
     * @param pod namespace and name
     * @param owner the owner, or the pod itself if it has none
     * @param nodeBefore the node before; empty if it was pending
     * @param first its node by the first configuration; empty if it is pending
     * @param second its node by the second configuration; empty if it is pending
     */
    record DifferentPod(Pod pod, String owner, String nodeBefore, String first, String second) {}

    @Override
    public CompareAnswer withoutLists() {
        return new CompareAnswer(
                succeeded,
                pending,
                rescheduled,
                different,
                now,
                costPerHour,
                sides.stream()
                        .map(side ->
                                new Side(side.name, side.figures, side.costPerHour, Optional.empty(), Optional.empty()))
                        .toList(),
                Optional.empty());
    }
}
