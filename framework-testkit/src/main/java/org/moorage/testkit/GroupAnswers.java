// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.testkit.TestScheduler.GroupAttempt;

/**
 * A plugin's results for one group, by placement. They are from the first attempt to schedule the group: within a
 * composite group, it is tried in each placement of the composite group, and once more by PodGroupPostFilter.
 */
final class GroupAnswers {
    private final List<PluginCall> generated;
    private final List<PluginCall> answers;

    GroupAnswers(SchedulingGroup group, GroupAttempt attempt) {
        GroupKey key = key(group);
        List<PluginCall> offered = about(key, attempt.generated()).stream()
                .filter(answer -> answer.method().equals("generatePlacements"))
                .toList();
        List<PluginCall> all = about(key, attempt.answers());
        Optional<CycleState> first =
                (offered.isEmpty() ? all : offered).stream().findFirst().map(GroupAnswers::groupState);
        generated = ofState(first, offered);
        answers = ofState(first, all);
    }

    static GroupKey key(SchedulingGroup group) {
        return group instanceof PodGroup
                ? GroupKey.podGroup(group.namespace(), group.name())
                : GroupKey.compositePodGroup(group.namespace(), group.name());
    }

    private static List<PluginCall> about(GroupKey key, List<PluginCall> answers) {
        return answers.stream()
                .filter(answer -> answer.arguments().stream()
                        .anyMatch(argument -> argument instanceof PodGroupInfo info
                                && info.key().equals(key)))
                .toList();
    }

    private static List<PluginCall> ofState(Optional<CycleState> state, List<PluginCall> answers) {
        return answers.stream()
                .filter(answer -> state.equals(Optional.of(groupState(answer))))
                .toList();
    }

    // PlacementFeasible and PlacementScore are called with the state of a placement.
    private static CycleState groupState(PluginCall answer) {
        CycleState given = given(answer, 0, CycleState.class);
        return switch (answer.method()) {
            case "placementFeasible", "scorePlacement" -> given.parent().orElseThrow();
            default -> given;
        };
    }

    private static <T> T given(PluginCall answer, int index, Class<T> type) {
        return type.cast(answer.arguments().get(index));
    }

    private List<PluginCall> of(String method) {
        return answers.stream().filter(answer -> answer.method().equals(method)).toList();
    }

    private static <T> Optional<T> first(List<PluginCall> from, Class<T> type) {
        return from.stream()
                .map(PluginCall::value)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    /** Returns the result of PlacementGenerate; empty if it was not called or threw. */
    Optional<PlacementGenerateResult> generated() {
        return first(generated, PlacementGenerateResult.class);
    }

    /**
     * Returns the results of PlacementFeasible in a placement, by progress. The placement's name is empty if none was
     * generated.
     */
    Map<PlacementProgress, PlacementFeasibleResult> feasible(String placementName) {
        List<String> names = generated()
                .map(result -> result.placements().stream().map(Placement::name).toList())
                .orElse(List.of(""));
        List<CycleState> states = new ArrayList<>();
        Map<PlacementProgress, PlacementFeasibleResult> found = new LinkedHashMap<>();
        for (PluginCall answer : of("placementFeasible")) {
            CycleState state = given(answer, 0, CycleState.class);
            if (!states.contains(state)) {
                // Each placement is tried with a separate state, in the order in which they were generated.
                states.add(state);
            }
            if (answer.value() instanceof PlacementFeasibleResult result
                    && names.get(states.size() - 1).equals(placementName)) {
                found.put(given(answer, 2, PlacementProgress.class), result);
            }
        }
        return found;
    }

    /** Returns the results of PlacementScore, by placement name. */
    Map<String, Long> rawScores() {
        Map<String, Long> scores = new LinkedHashMap<>();
        for (PluginCall answer : of("scorePlacement")) {
            if (answer.value() instanceof Long score) {
                scores.put(
                        given(answer, 2, PodGroupAssignments.class).placement().name(), score);
            }
        }
        return scores;
    }

    /** Returns the scores after normalization, by placement name. */
    Map<String, Long> scores() {
        Map<String, Long> scores = new LinkedHashMap<>();
        for (PluginCall answer : of("normalizePlacementScores")) {
            if (answer.value() instanceof PlacementScores values) {
                for (int i = 0; i < values.size(); i++) {
                    scores.put(values.placement(i).name(), values.score(i));
                }
            }
        }
        return scores;
    }

    /** Returns the result of PodGroupPostFilter; empty if it was not called or threw. */
    Optional<PodGroupPostFilterResult> postFilter() {
        return first(of("podGroupPostFilter"), PodGroupPostFilterResult.class);
    }

    /** Returns the last exception. */
    Optional<Throwable> thrown() {
        @Nullable Throwable last = null;
        for (PluginCall answer : answers) {
            last = answer.thrown() == null ? last : answer.thrown();
        }
        return Optional.ofNullable(last);
    }
}
