// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.PluginMessage;
import org.moorage.app.internal.answer.RejectedNodes;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.simulation.Explanation.Moment;
import org.moorage.simulation.GroupExplanation;

/**
 * The attempt to schedule a group of pods: how many pods fit in each placement, and the pod that stops it.
 *
 * @param kind {@code PodGroup} or {@code CompositePodGroup}
 * @param group namespace and name
 * @param moment the moment of the evaluation: at the group's turn in the simulation, at its end, or in the cluster as
 *     it is
 * @param attempts the number of attempts
 * @param podsBefore the number of pods of others that were tried before
 * @param outcome the group at the end of the simulation
 * @param fits whether as many pods as needed fit
 * @param message the message of the condition of its pod groups; empty if it fits
 * @param notes notes on the evaluation
 * @param pods its pending pods, in the order in which they are tried
 * @param attempt the attempt, if there was one
 * @param postFilter the answer of PodGroupPostFilter plugins, if they were asked
 * @param victims the pods to preempt, if that makes room
 */
record GroupExplanationAnswer(
        String kind,
        String group,
        Moment moment,
        int attempts,
        int podsBefore,
        Optional<GroupResult> outcome,
        boolean fits,
        String message,
        List<String> notes,
        List<Pod> pods,
        Optional<Attempt> attempt,
        Optional<PluginMessage> postFilter,
        List<Pod> victims)
        implements Answer {
    /**
     * The attempt to place one group.
     *
     * @param kind {@code PodGroup} or {@code CompositePodGroup}
     * @param group namespace and name
     * @param needed the number of members that have to be placed together
     * @param placedBefore the number of members that were placed before
     * @param missing the number of further members that would have to be placed
     * @param fits whether enough members are placed
     * @param message the reason why not; empty if it fits
     * @param placements the placements that were tried
     * @param best the placement that the group gets, or the one in which most members are placed
     */
    record Attempt(
            String kind,
            String group,
            int needed,
            int placedBefore,
            int missing,
            boolean fits,
            String message,
            List<Placement> placements,
            Optional<Best> best) {
        static Attempt of(GroupEvaluation.Attempt attempt) {
            return new Attempt(
                    GroupResult.kind(attempt.group()),
                    GroupResult.name(attempt.group()),
                    attempt.needed(),
                    attempt.placedBefore(),
                    attempt.missing(),
                    attempt.fits(),
                    attempt.message(),
                    attempt.placements().stream().map(Placement::of).toList(),
                    attempt.best().map(Best::of));
        }
    }

    /**
     * A placement that was tried.
     *
     * @param placement the name, such as a topology domain; empty for all nodes
     * @param nodes the number of its nodes
     * @param placed the number of members that fit
     * @param pods the number of pods that fit, with those of child groups
     * @param fits whether these are enough
     * @param message the reason why not; empty if it fits
     */
    record Placement(String placement, int nodes, int placed, int pods, boolean fits, String message) {
        static Placement of(GroupEvaluation.Placement placement) {
            return new Placement(
                    placement.name(),
                    placement.nodes(),
                    placement.placed(),
                    placement.pods(),
                    placement.fits(),
                    placement.message());
        }
    }

    /**
     * The best placement in detail.
     *
     * @param placement the name of the placement
     * @param members the pods that were tried
     * @param children the child groups that were tried
     * @param stop the pod that stops the group
     */
    record Best(String placement, List<Member> members, List<Attempt> children, Optional<Stop> stop) {
        static Best of(GroupEvaluation.Best best) {
            return new Best(
                    best.placement().name(),
                    best.members().stream()
                            .map(member -> new Member(member.pod(), member.nodeName(), member.message()))
                            .toList(),
                    best.children().stream().map(Attempt::of).toList(),
                    best.stop().map(Stop::of));
        }
    }

    /**
     * A pod of the group.
     *
     * @param pod namespace and name
     * @param node the node; empty if there is none
     * @param message the reason why there is no node
     */
    record Member(Pod pod, String node, String message) {}

    /**
     * The pod without which too few members are left.
     *
     * @param pod namespace and name
     * @param message the reason why it fits on no node
     * @param preFilter the rejection of the pod as a whole
     * @param rejections the nodes that plugins reject, by reason
     * @param free the free amounts of the resources that the pod requests, by node
     */
    record Stop(
            Pod pod,
            String message,
            Optional<PluginMessage> preFilter,
            List<RejectedNodes> rejections,
            List<FreeNode> free) {
        static Stop of(GroupEvaluation.Stop stop) {
            List<ResourceName> requested = AmountFormat.names(stop.pod().spec().requests());
            return new Stop(
                    stop.pod(),
                    stop.message(),
                    stop.preFilterRejection()
                            .map(rejection -> PluginMessage.of(rejection.plugin(), rejection.status())),
                    RejectedNodes.of(stop.objections()),
                    stop.free().entrySet().stream()
                            .map(node -> {
                                Map<ResourceName, Long> amounts = new LinkedHashMap<>();
                                requested.forEach(name ->
                                        amounts.put(name, node.getValue().amount(name)));
                                return new FreeNode(node.getKey(), amounts);
                            })
                            .toList());
        }
    }

    /**
     * The free amounts of a node.
     *
     * @param node the node
     * @param resources the amounts by resource
     */
    record FreeNode(String node, Map<ResourceName, Long> resources) {}

    static GroupExplanationAnswer of(GroupExplanation explanation, List<String> notes) {
        GroupEvaluation evaluation = explanation.evaluation();
        return new GroupExplanationAnswer(
                GroupResult.kind(evaluation.group()),
                GroupResult.name(evaluation.group()),
                explanation.moment(),
                explanation.attempts(),
                explanation.podsBefore(),
                explanation.outcome().map(GroupResult::of),
                evaluation.fits(),
                evaluation.message(),
                notes,
                evaluation.pods(),
                evaluation.attempt().map(Attempt::of),
                evaluation.postFilter().map(answer -> PluginMessage.of(answer.plugin(), answer.status())),
                evaluation.victims());
    }
}
