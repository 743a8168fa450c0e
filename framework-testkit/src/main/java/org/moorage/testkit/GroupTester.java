// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.PlacementFeasibleResult;
import org.moorage.api.plugin.PlacementGenerateResult;
import org.moorage.api.plugin.PodGroupPostFilterResult;
import org.moorage.testkit.TestScheduler.GroupAttempt;

/**
 * Checks what a plugin says about a group of pods, and what becomes of the group. The scheduler tries to schedule the group once, as it
 * would in a cluster: what PodGroupPostFilter decides is done, and pods are bound. Each method checks one answer, and returns this; where
 * the answer is another one, it throws an {@link AssertionError} that tells everything that the plugin answered.
 *
 * <p>Of a group within a composite one, what is said in the first placement of that is checked.
 */
public final class GroupTester {
    private static final String NO_PLACEMENTS =
            "PlacementGenerate was not asked, or failed (it is asked if TopologyAwareWorkloadScheduling is on)";
    private static final String NO_SCORE = "not asked, or failed (it is asked if the group fits in two placements)";
    private static final String NO_POST_FILTER = "PodGroupPostFilter was not asked, or failed";

    private final SchedulingGroup group;
    private final Supplier<GroupAttempt> asking;
    private @Nullable GroupAttempt known;

    GroupTester(SchedulingGroup group, Supplier<GroupAttempt> asking) {
        this.group = Objects.requireNonNull(group, "group");
        this.asking = asking;
    }

    private GroupAttempt attempt() {
        GroupAttempt asked = known;
        if (asked == null) {
            asked = asking.get();
            known = asked;
        }
        return asked;
    }

    private GroupAnswers answers() {
        return new GroupAnswers(group, attempt());
    }

    private void check(String what, Object expected, Object answered) {
        if (expected.equals(answered)) {
            return;
        }
        String of = FailureText.of(
                what + " of group " + group.key(),
                text(expected),
                text(answered),
                attempt().answers());
        StringBuilder text = new StringBuilder(of).append("\nWhat became of the pods:");
        for (Pod pod : attempt().members()) {
            text.append("\n  ").append(pod.name()).append(": ").append(outcome(pod));
        }
        throw new AssertionError(text.toString());
    }

    private static String text(Object value) {
        return value instanceof Status status ? Answer.text(status) : value.toString();
    }

    private static String outcome(Pod pod) {
        return pod.isBound() ? "on node " + pod.nodeName() : "on no node: " + message(pod);
    }

    private static String message(Pod pod) {
        return pod.status()
                .condition(PodCondition.POD_SCHEDULED)
                .map(PodCondition::message)
                .orElse("");
    }

    /** PlacementGenerate offers placements of these names, in this order. */
    public GroupTester generates(String... placementNames) {
        check("Placements", List.of(placementNames), generated(GroupTester::placementNames));
        return this;
    }

    private static List<String> placementNames(PlacementGenerateResult result) {
        return result.placements().stream().map(Placement::name).toList();
    }

    /** PlacementGenerate offers a placement of that name, with these nodes, here in the order of their names. */
    public GroupTester placementHas(String placementName, String... nodeNames) {
        check(
                "Nodes of placement \"" + placementName + "\"",
                List.of(nodeNames),
                generated(result -> result.placements().stream()
                        .filter(placement -> placement.name().equals(placementName))
                        .findFirst()
                        .<Object>map(placement -> placement.nodes().stream()
                                .map(NodeInfo::name)
                                .sorted()
                                .toList())
                        .orElse("there is no such placement")));
        return this;
    }

    /** What of the placements is looked at. */
    private interface Look {
        Object at(PlacementGenerateResult result);
    }

    private Object generated(Look look) {
        Optional<PlacementGenerateResult> result = answers().generated();
        if (result.isEmpty()) {
            return NO_PLACEMENTS;
        }
        return result.get().status().isSuccess()
                ? look.at(result.get())
                : result.get().status();
    }

    /** PlacementGenerate rejects the group. */
    public GroupTester rejectsGroup(Status status) {
        check("PlacementGenerate", status, generated(GroupTester::placementNames));
        return this;
    }

    /**
     * PlacementFeasible gives this answer in a placement, once so many pods of the group, or groups of a composite one, have a node and so
     * many have not been tried yet.
     *
     * @param placementName the name of the placement; empty if none was generated
     */
    public GroupTester feasible(String placementName, int scheduled, int remaining, PlacementFeasibleResult expected) {
        Map<PlacementProgress, PlacementFeasibleResult> found = answers().feasible(placementName);
        PlacementFeasibleResult answered = found.get(new PlacementProgress(remaining, scheduled));
        check(
                "PlacementFeasible with " + scheduled + " scheduled and " + remaining + " remaining in placement \""
                        + placementName + "\"",
                expected,
                answered == null ? "not asked; it was asked with " + found.keySet() : answered);
        return this;
    }

    /** PlacementScore gives the placement this score, from 0 to 100, after normalizing. */
    public GroupTester scores(String placementName, long score) {
        return scores(
                "Score of placement \"" + placementName + "\"",
                placementName,
                score,
                answers().scores());
    }

    /** PlacementScore gives the placement this score before normalizing. */
    public GroupTester scoresRaw(String placementName, long score) {
        return scores(
                "Score before normalizing of placement \"" + placementName + "\"",
                placementName,
                score,
                answers().rawScores());
    }

    private GroupTester scores(String what, String placementName, long score, Map<String, Long> found) {
        Long answered = found.get(placementName);
        check(what, score, answered == null ? NO_SCORE : answered);
        return this;
    }

    /** All pods of the group that waited are on these nodes now: one on each, or several on one. */
    public GroupTester places(String... nodeNames) {
        List<String> off = new ArrayList<>();
        for (Pod pod : attempt().members()) {
            if (!pod.isBound() || !Set.of(nodeNames).contains(pod.nodeName())) {
                off.add(pod.name());
            }
        }
        check("Pods that are not on nodes " + List.of(nodeNames), List.of(), off);
        return this;
    }

    /** A pod of the group is on one of these nodes now. */
    public GroupTester places(Pod member, String... nodeNames) {
        Pod pod = member(member);
        if (!pod.isBound() || !Set.of(nodeNames).contains(pod.nodeName())) {
            check("Pod " + pod.name(), "on one of the nodes " + List.of(nodeNames), outcome(pod));
        }
        return this;
    }

    /** A pod of the group has no node, and its condition has this message. */
    public GroupTester leaves(Pod member, String message) {
        Pod pod = member(member);
        check("Pod " + pod.name(), "on no node: " + message, outcome(pod));
        return this;
    }

    private Pod member(Pod pod) {
        for (Pod member : attempt().members()) {
            if (member.uid().equals(pod.uid())) {
                return member;
            }
        }
        throw new IllegalArgumentException("pod: " + pod.key() + " (expected: one that waited, of group " + group.key()
                + ": " + Answer.names(attempt().members()) + ")");
    }

    /** The group is scheduled: enough pods have a node. Of a composite group, each pod group below it is. */
    public GroupTester isScheduled() {
        return condition("True Scheduled");
    }

    /** The group is unschedulable, and its condition has this message. Of a composite group, each pod group below it is. */
    public GroupTester isUnschedulable(String message) {
        return condition("False Unschedulable: " + message);
    }

    private GroupTester condition(String expected) {
        if (attempt().podGroups().isEmpty()) {
            check("Pod groups", "one at least", "none");
        }
        for (PodGroup podGroup : attempt().podGroups()) {
            check(
                    "Condition " + PodGroup.INITIALLY_SCHEDULED + " of " + podGroup.key(),
                    expected,
                    podGroup.initiallyScheduled().map(GroupTester::text).orElse("none"));
        }
        return this;
    }

    private static String text(PodCondition condition) {
        return condition.status() + " " + condition.reason()
                + (condition.message().isEmpty() ? "" : ": " + condition.message());
    }

    /** PodGroupPostFilter makes room by having these pods, given by name, leave. */
    public GroupTester preempts(String... victims) {
        check(
                "Pods that leave for the pods",
                List.of(victims),
                answers()
                        .postFilter()
                        .<Object>map(result ->
                                result.status().isSuccess() ? Answer.names(result.victims()) : result.status())
                        .orElse(NO_POST_FILTER));
        return this;
    }

    /** PodGroupPostFilter cannot make room. */
    public GroupTester doesNotPreempt(Status status) {
        check(
                "PodGroupPostFilter",
                status,
                answers()
                        .postFilter()
                        .<Object>map(PodGroupPostFilterResult::status)
                        .orElse(NO_POST_FILTER));
        return this;
    }

    /** The plugin throws: the attempt ends with an error, and no pod of the group gets a node. */
    public GroupTester fails(String message) {
        check(
                "Message of what the plugin throws",
                message,
                answers()
                        .thrown()
                        .map(thrown -> String.valueOf(thrown.getMessage()))
                        .orElse("nothing is thrown"));
        for (Pod pod : attempt().members()) {
            if (pod.isBound()) {
                check("Pod " + pod.name(), "on no node, since the plugin throws", outcome(pod));
            }
        }
        return this;
    }
}
