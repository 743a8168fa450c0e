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
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.testkit.TestScheduler.GroupAttempt;

/**
 * A tester that checks a plugin's results for a pod group, and the result of scheduling the group. The scheduler tries
 * to schedule the group once, as in a cluster: it executes the decision of PodGroupPostFilter and binds pods. Each
 * method checks one result and returns this tester. On a mismatch it throws an {@link AssertionError} whose message
 * lists all results of the plugin.
 *
 * <p>For a group within a composite group, the results in the composite group's first placement are checked.
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
        StringBuilder text = new StringBuilder(of).append("\nResults for the pods:");
        for (Pod pod : attempt().members()) {
            text.append("\n  ").append(pod.name()).append(": ").append(outcome(pod));
        }
        throw new AssertionError(text.toString());
    }

    private static String text(Object value) {
        return value instanceof Status status ? PluginCall.text(status) : value.toString();
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

    /** Checks that PlacementGenerate generates placements with these names, in this order. */
    public GroupTester generates(String... placementNames) {
        check("Placements", List.of(placementNames), generated(GroupTester::placementNames));
        return this;
    }

    private static List<String> placementNames(PlacementGenerateResult result) {
        return result.placements().stream().map(Placement::name).toList();
    }

    /** Checks that PlacementGenerate generates a placement with this name and these nodes, ordered by name. */
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

    /** Selects the part of the placements to check. */
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

    /** Checks that PlacementGenerate rejects the group. */
    public GroupTester rejectsGroup(Status status) {
        check("PlacementGenerate", status, generated(GroupTester::placementNames));
        return this;
    }

    /**
     * Checks the result of PlacementFeasible in a placement, when {@code scheduled} pods of the group, or child groups
     * of a composite group, have a node and {@code remaining} have not been tried yet.
     *
     * @param placementName the name of the placement; empty if none was generated
     */
    public GroupTester feasible(String placementName, int scheduled, int remaining, PlacementFeasibleResult expected) {
        Map<PlacementProgress, PlacementFeasibleResult> found = answers().feasible(placementName);
        PlacementFeasibleResult answered = found.get(PlacementProgress.of(remaining, scheduled));
        check(
                "PlacementFeasible with " + scheduled + " scheduled and " + remaining + " remaining in placement \""
                        + placementName + "\"",
                expected,
                answered == null ? "not asked; it was asked with " + found.keySet() : answered);
        return this;
    }

    /** Checks the placement's score after normalization, from 0 to 100. */
    public GroupTester scores(String placementName, long score) {
        return scores(
                "Score of placement \"" + placementName + "\"",
                placementName,
                score,
                answers().scores());
    }

    /** Checks the placement's score before normalization. */
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

    /** Checks that all pods of the group that were pending are now on these nodes: one on each, or several on one. */
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

    /** Checks that a pod of the group is now on one of these nodes. */
    public GroupTester places(Pod member, String... nodeNames) {
        Pod pod = member(member);
        if (!pod.isBound() || !Set.of(nodeNames).contains(pod.nodeName())) {
            check("Pod " + pod.name(), "on one of the nodes " + List.of(nodeNames), outcome(pod));
        }
        return this;
    }

    /** Checks that a pod of the group has no node, and that its condition has this message. */
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
        throw new IllegalArgumentException("pod: " + pod.key() + " (expected: a pending pod of group " + group.key()
                + ": " + PluginCall.names(attempt().members()) + ")");
    }

    /**
     * Checks that the group is scheduled: enough pods have a node. For a composite group, checks each pod group below
     * it.
     */
    public GroupTester isScheduled() {
        return condition("True Scheduled");
    }

    /**
     * Checks that the group is unschedulable, and that its condition has this message. For a composite group, checks
     * each pod group below it.
     */
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

    /** Checks that PodGroupPostFilter preempts these pods, given by name. */
    public GroupTester preempts(String... victims) {
        check(
                "Pods that leave for the pods",
                List.of(victims),
                answers()
                        .postFilter()
                        .<Object>map(result ->
                                result.status().isSuccess() ? PluginCall.names(result.victims()) : result.status())
                        .orElse(NO_POST_FILTER));
        return this;
    }

    /** Checks that PodGroupPostFilter cannot make room. */
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

    /** Checks that the plugin throws, so that the attempt ends with an error and no pod of the group gets a node. */
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
