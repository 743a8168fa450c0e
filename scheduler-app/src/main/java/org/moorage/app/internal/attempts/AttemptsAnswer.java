// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import java.util.List;
import java.util.Optional;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.report.Answer;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;

/**
 * The state of a pod in a running scheduler and the last attempts at it, or the last attempts at a group.
 *
 * @param pod namespace and name of the pod; absent for a group
 * @param group the group, such as {@code podgroup/NAMESPACE/NAME}; absent for a pod
 * @param state the state of the pod: a place in the scheduler, or {@code gone}
 * @param uid the uid of the pod
 * @param scheduler the scheduler that the pod names
 * @param node the pod's node; empty if it has none
 * @param nominatedNode the node on which preemption makes room for the pod; empty if there is none
 * @param podGroup the name of the pod's group; empty if it has none
 * @param queue the pod's place in the scheduling queue
 * @param permits the plugins whose permits the pod waits for
 * @param groupAttempts the last attempts at the pod's group, the newest first
 * @param keptAttempts the maximum number of attempts that are kept of each pod; 0 if none are kept
 * @param attempts the last attempts, the newest first
 * @param now the result of an attempt now, if that was asked
 */
record AttemptsAnswer(
        Optional<String> pod,
        Optional<String> group,
        Optional<String> state,
        Optional<String> uid,
        Optional<String> scheduler,
        Optional<String> node,
        Optional<String> nominatedNode,
        Optional<String> podGroup,
        Optional<Queue> queue,
        Optional<List<Permit>> permits,
        Optional<List<PastAttempt>> groupAttempts,
        int keptAttempts,
        List<PastAttempt> attempts,
        Optional<Now> now)
        implements Answer {
    /**
     * A place in the scheduling queue.
     *
     * @param in the part of the queue
     * @param forSeconds the time since the pod came or was tried last
     * @param attempts the number of attempts
     * @param backoffSeconds the rest of the backoff
     * @param gate the plugin that gates the pod
     * @param rejectedBy the plugins that rejected it, with the events after which it is tried again
     */
    record Queue(
            String in,
            double forSeconds,
            int attempts,
            double backoffSeconds,
            Optional<Gate> gate,
            List<Rejector> rejectedBy) {}

    /**
     * A gate.
     *
     * @param plugin the plugin
     * @param message its message
     */
    record Gate(String plugin, String message) {}

    /**
     * A plugin that rejected the pod.
     *
     * @param plugin the plugin
     * @param movedBy the events after which the pod is tried again
     */
    record Rejector(String plugin, List<String> movedBy) {}

    /**
     * A plugin whose permit the pod waits for.
     *
     * @param plugin the plugin
     * @param atMostSeconds the time after which the pod is rejected
     */
    record Permit(String plugin, long atMostSeconds) {}

    /**
     * An attempt, or several in a row with the same result.
     *
     * @param at the end of the last of them
     * @param firstAt the end of the first of them
     * @param times the number of attempts
     * @param number the number of the last attempt at the pod, from 1 on; 0 for a group
     * @param result the result
     * @param node the chosen node; empty if there is none
     * @param message the reason why there is no node, or why the pod was not bound
     * @param evaluatedNodes the number of nodes that were looked at
     * @param feasibleNodes the number of feasible nodes among them
     * @param reasons the reasons why nodes are not feasible, the most frequent first
     * @param best the nodes with the highest scores
     * @param postFilter the answer of PostFilter
     * @param nominatedNode the node on which preemption makes room; empty if there is none
     */
    record PastAttempt(
            String at,
            String firstAt,
            int times,
            int number,
            Attempt.Result result,
            String node,
            String message,
            int evaluatedNodes,
            int feasibleNodes,
            List<NodeReason> reasons,
            List<Score> best,
            Optional<String> postFilter,
            String nominatedNode) {}

    /**
     * The score of a node.
     *
     * @param node the node
     * @param score the total score
     */
    record Score(String node, long score) {}

    /**
     * The result of an attempt now.
     *
     * @param nodes the number of nodes
     * @param feasibleNodes the number of feasible nodes
     * @param message the reason why no node is feasible; empty if one is
     * @param preemption the node on which preemption would make room
     * @param changes changes of the pod or the cluster that make it fit
     * @param changesComplete whether there was time to try all changes
     * @param changesError the reason why changes could not be tried
     * @param error the failure of a plugin, in place of all other fields
     */
    record Now(
            Optional<Integer> nodes,
            Optional<Integer> feasibleNodes,
            Optional<String> message,
            Optional<Room> preemption,
            Optional<List<PodChange.Short>> changes,
            Optional<Boolean> changesComplete,
            Optional<String> changesError,
            Optional<String> error) {
        static Now failed(String error) {
            return new Now(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(error));
        }
    }

    /**
     * A node on which preemption would make room.
     *
     * @param node the node
     * @param victims the number of pods to preempt
     * @param examples the first of them
     */
    record Room(String node, int victims, List<String> examples) {}

    static AttemptsAnswer ofGroup(String group, int keptAttempts, List<PastAttempt> attempts) {
        return past(Optional.empty(), Optional.of(group), Optional.empty(), keptAttempts, attempts);
    }

    static AttemptsAnswer ofGonePod(String pod, int keptAttempts, List<PastAttempt> attempts) {
        return past(Optional.of(pod), Optional.empty(), Optional.of("gone"), keptAttempts, attempts);
    }

    // The attempts are all that is known.
    private static AttemptsAnswer past(
            Optional<String> pod,
            Optional<String> group,
            Optional<String> state,
            int keptAttempts,
            List<PastAttempt> attempts) {
        return new AttemptsAnswer(
                pod,
                group,
                state,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                keptAttempts,
                attempts,
                Optional.empty());
    }
}
