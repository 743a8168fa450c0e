// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.recording;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.recording.Replay.Outcome;
import org.moorage.app.internal.report.Answer;

/**
 * The pods of a recording, scheduled by another configuration.
 *
 * @param changes the number of replayed changes
 * @param otherSchedulers the number of pods that no profile of the configuration is responsible for
 * @param outcomes the number of pods by outcome
 * @param recorded the recorded scheduler in figures
 * @param replayed the replay in figures
 * @param preemptedHere the number of pods that the replay preempted
 * @param pods the pods, in the order in which they were created
 */
record ReplayAnswer(
        int changes,
        int otherSchedulers,
        Map<Outcome, Long> outcomes,
        Side recorded,
        Side replayed,
        int preemptedHere,
        List<ReplayedPod> pods)
        implements Answer {
    /**
     * One of the two schedulers.
     *
     * @param placed the number of pods that it scheduled
     * @param nodesUsed the number of nodes that it scheduled them to
     * @param waitMedianSeconds the median of the time that pods were pending, of pods that both scheduled
     * @param waitP99Seconds the 99th percentile of that time
     * @param waitMostSeconds the longest time
     */
    record Side(
            long placed,
            long nodesUsed,
            Optional<Double> waitMedianSeconds,
            Optional<Double> waitP99Seconds,
            Optional<Double> waitMostSeconds) {}

    /**
     * A pod.
     *
     * @param pod namespace and name
     * @param outcome its nodes compared
     * @param recordedNode the recorded node; empty if there is none
     * @param node the node in the replay; empty if there is none
     * @param message the reason why it has no node in the replay
     * @param recordedWaitSeconds the recorded time that it was pending
     * @param waitSeconds the time that it was pending in the replay
     */
    record ReplayedPod(
            Pod pod,
            Outcome outcome,
            String recordedNode,
            String node,
            String message,
            Optional<Double> recordedWaitSeconds,
            Optional<Double> waitSeconds) {
        static ReplayedPod of(Replay.ReplayedPod pod) {
            return new ReplayedPod(
                    pod.recorded().pod(),
                    pod.outcome(),
                    pod.recorded().nodeName(),
                    pod.nodeName(),
                    pod.nodeName().isEmpty() ? pod.message() : "",
                    pod.recorded().waited().map(ReplayAnswer::seconds),
                    pod.waited().map(ReplayAnswer::seconds));
        }
    }

    static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
