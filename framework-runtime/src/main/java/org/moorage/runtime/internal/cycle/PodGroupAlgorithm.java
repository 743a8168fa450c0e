// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.Placement;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupState;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.group.PlacementGenerateResult;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.extender.ExtenderException;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.plugin.PluginMethod;
import org.moorage.runtime.internal.plugin.PointRun;

/**
 * Finds nodes for a group of pods. It tries one placement after the other, and in each one pod after the other on the
 * snapshot, with the earlier pods in place. Then it undoes all changes. Same decisions as kube-scheduler's pod group
 * scheduling algorithm.
 *
 * <p>An instance serves one group, on one thread.
 */
public final class PodGroupAlgorithm {
    private final SchedulingAlgorithm algorithm;
    private final Profile profile;
    private final TrialSnapshot snapshot;
    private final boolean triesPlacements;
    private final boolean hasComposites;
    private final @Nullable RandomGenerator ties;
    private final Reservation.Held reservations;

    /**
     * Creates an algorithm.
     *
     * @param algorithm finds a node for a pod, on a snapshot with the pods before it
     * @param profile the profile of the group's pods
     * @param features the enabled features
     * @param ties chooses among the best placements; null for the first of them
     * @param reservations holds the reservations of pods that are tried
     */
    public PodGroupAlgorithm(
            SchedulingAlgorithm algorithm,
            Profile profile,
            FeatureGates features,
            @Nullable RandomGenerator ties,
            Reservation.Held reservations) {
        this.algorithm = algorithm;
        this.profile = profile;
        snapshot = algorithm.snapshot();
        triesPlacements = features.isEnabled(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING);
        hasComposites = features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
        this.ties = ties;
        this.reservations = reservations;
    }

    Profile profile() {
        return profile;
    }

    TrialSnapshot snapshot() {
        return snapshot;
    }

    Reservation.Held reservations() {
        return reservations;
    }

    /**
     * Finds nodes. Afterwards the snapshot is as before, and nothing is reserved.
     *
     * @param state the state of the root's cycle
     * @return the results of the root and of each group below it that was tried, by key
     */
    public Map<GroupKey, GroupResult> find(GroupTree root, CycleState state) {
        return find(root, state, new GroupEvaluationRecorder(GroupEvaluationRecorder.Detail.PROGRESS));
    }

    /** Like {@link #find(GroupTree, CycleState)}, with a recorder that follows the attempt. */
    public Map<GroupKey, GroupResult> find(GroupTree root, CycleState state, GroupEvaluationRecorder recorder) {
        int changes = snapshot.changes();
        try {
            Map<GroupKey, GroupResult> results = new LinkedHashMap<>();
            GroupResult result = find(root, state, results, recorder);
            if (result.status().isSuccess() && !result.isAnyScheduled()) {
                results.put(root.key(), result.with(GroupStatus.unschedulable(List.of())));
            }
            return results;
        } finally {
            snapshot.revertTo(changes);
        }
    }

    // After a success, the group's pods stay assumed on the snapshot if other groups may follow.
    private GroupResult find(
            GroupTree group, CycleState state, Map<GroupKey, GroupResult> results, GroupEvaluationRecorder recorder) {
        recorder.began(group, scheduledPods(group));
        GroupResult result;
        if (group.isComposite() || triesPlacements) {
            result = bestPlacement(group, state, results, recorder);
        } else {
            recorder.beganPlacement("", snapshot.candidates().size());
            result = tryMembers(group, new CycleState(state), recorder);
            recorder.endedPlacement(result);
        }
        recorder.ended(result);
        results.put(group.key(), result);
        return result;
    }

    private int scheduledPods(GroupTree group) {
        return group.isComposite()
                ? 0
                : snapshot.podGroups()
                        .podGroup(group.key().namespace(), group.key().name())
                        .map(PodGroupState::scheduledPodsCount)
                        .orElse(0);
    }

    private GroupResult bestPlacement(
            GroupTree group, CycleState state, Map<GroupKey, GroupResult> results, GroupEvaluationRecorder recorder) {
        List<Placement> placements = new ArrayList<>();
        GroupStatus generated = generate(group, state, placements);
        if (!generated.isSuccess()) {
            return GroupResult.of(generated);
        }
        List<Placement> feasible = new ArrayList<>();
        List<Integer> feasibleNumbers = new ArrayList<>();
        List<Map<GroupKey, GroupResult>> found = new ArrayList<>();
        Map<GroupKey, GroupResult> first = null;
        for (int i = 0; i < placements.size(); i++) {
            Placement placement = placements.get(i);
            recorder.beganPlacement(placement.name(), placement.nodes().size());
            Map<GroupKey, GroupResult> tried = tryPlacement(group, state, placement, recorder);
            GroupResult result = result(tried, group);
            recorder.endedPlacement(result);
            if (result.status().code() == Code.ERROR) {
                return result;
            }
            first = first == null ? tried : first;
            if (result.status().isSuccess()) {
                feasible.add(placement);
                feasibleNumbers.add(i);
                found.add(tried);
            }
        }
        if (feasible.isEmpty()) {
            Map<GroupKey, GroupResult> shown = Objects.requireNonNull(first);
            results.putAll(shown);
            GroupResult result = result(shown, group);
            return result.with(GroupStatus.unschedulable(List.of("0/" + placements.size()
                    + " placements are available, first placement status: "
                    + result.status().asError())));
        }
        int best;
        try {
            best = feasible.size() == 1 ? 0 : choose(group, state, feasible, found);
        } catch (PluginFailure failure) {
            profile.failed(failure);
            return GroupResult.of(GroupStatus.error(failure.getMessage()));
        }
        recorder.chose(feasibleNumbers.get(best));
        if (hasComposites) {
            Optional<String> failure = assume(group, found.get(best));
            if (failure.isPresent()) {
                return GroupResult.of(GroupStatus.error("failed to assume the subtree: " + failure.get()));
            }
        }
        results.putAll(found.get(best));
        return result(found.get(best), group);
    }

    private GroupStatus generate(GroupTree group, CycleState state, List<Placement> placements) {
        Placement parent = Placement.of("", snapshot.candidates());
        List<PluginCaller> generators = profile.at(ExtensionPoint.PLACEMENT_GENERATE);
        if (generators.isEmpty()) {
            placements.add(parent);
            return GroupStatus.success();
        }
        PlacementGenerateResult generated;
        try (PointRun run = profile.begin(PluginMethod.PLACEMENT_GENERATE)) {
            generated = generators.get(0).generatePlacements(state, group, parent, snapshot);
            run.end(generated.status().code());
        } catch (PluginFailure failure) {
            profile.failed(failure);
            return GroupStatus.error(failure.getMessage());
        }
        if (!generated.status().isSuccess()) {
            return GroupStatus.rejected(
                    generated.status().code(), generated.status().reasons());
        }
        if (generated.placements().isEmpty()) {
            return GroupStatus.rejected(Code.UNSCHEDULABLE, List.of("no feasible placements found"));
        }
        placements.addAll(generated.placements());
        if (!group.isComposite()) {
            profile.listeners().measure(listener -> listener.placementsGenerated(profile.name(), placements.size()));
        }
        return GroupStatus.success();
    }

    private Map<GroupKey, GroupResult> tryPlacement(
            GroupTree group, CycleState state, Placement placement, GroupEvaluationRecorder recorder) {
        int changes = snapshot.changes();
        long start = System.nanoTime();
        Map<GroupKey, GroupResult> tried = new LinkedHashMap<>();
        try {
            snapshot.narrow(placement.nodes());
        } catch (IllegalArgumentException unknown) {
            GroupStatus failed = GroupStatus.error("failed to assume pod group placement: " + unknown.getMessage());
            tried.put(group.key(), GroupResult.of(failed));
            return tried;
        }
        try {
            CycleState placementState = new CycleState(state);
            if (group.isComposite()) {
                GroupResult result = tryChildren(group, placementState, tried, recorder);
                tried.put(group.key(), result);
            } else {
                GroupResult result = tryMembers(group, placementState, recorder);
                tried.put(group.key(), result);
                if (result.status().code() != Code.ERROR) {
                    profile.listeners()
                            .measure(listener -> listener.placementEvaluated(
                                    profile.name(), result.status().isSuccess(), System.nanoTime() - start));
                }
            }
            return tried;
        } finally {
            snapshot.revertTo(changes);
        }
    }

    private GroupResult tryChildren(
            GroupTree group,
            CycleState placementState,
            Map<GroupKey, GroupResult> results,
            GroupEvaluationRecorder recorder) {
        int changes = snapshot.changes();
        int remaining = group.children().size();
        int scheduled = 0;
        boolean anyScheduled = false;
        GroupStatus status = GroupStatus.error("placement feasibility was not asked");
        try {
            PlacementFeasibleResult feasible = feasible(placementState, group, PlacementProgress.of(remaining, 0));
            for (GroupTree child : group.children()) {
                if (feasible.outcome() == PlacementFeasibleResult.Outcome.UNSCHEDULABLE) {
                    break;
                }
                GroupResult result = find(child, new CycleState(placementState), results, recorder);
                if (result.status().code() == Code.ERROR) {
                    status = GroupStatus.error("composite pod group evaluation failed due to child error: "
                            + result.status().asError());
                    return new GroupResult(status, List.of(), placementState, false, false);
                }
                anyScheduled |= result.isAnyScheduled();
                remaining--;
                scheduled += result.status().isSuccess() ? 1 : 0;
                feasible = feasible(placementState, group, PlacementProgress.of(remaining, scheduled));
            }
            status = statusOf(feasible);
        } catch (PluginFailure failure) {
            profile.failed(failure);
            status = GroupStatus.error("running PlacementFeasible plugin: " + failure.getMessage());
        } finally {
            if (!status.isSuccess()) {
                snapshot.revertTo(changes);
            }
        }
        return new GroupResult(status, List.of(), placementState, anyScheduled, false);
    }

    private GroupResult tryMembers(GroupTree group, CycleState placementState, GroupEvaluationRecorder recorder) {
        int changes = snapshot.changes();
        List<MemberResult> members = new ArrayList<>(group.members().size());
        boolean anyScheduled = false;
        GroupStatus status = GroupStatus.error("placement feasibility was not asked");
        try {
            Optional<PodGroupState> known = snapshot.podGroups()
                    .podGroup(group.key().namespace(), group.key().name());
            if (known.isEmpty()) {
                status = GroupStatus.error("failed to get podGroup state for podGroup "
                        + group.key().namespace() + "/" + group.key().name()
                        + " to compute gang feasibility: pod group state not found for pod group "
                        + group.key().namespace() + "/" + group.key().name());
                return GroupResult.of(status);
            }
            int remaining = group.members().size();
            int scheduled = known.get().scheduledPodsCount();
            PlacementFeasibleResult feasible =
                    feasible(placementState, group, PlacementProgress.of(remaining, scheduled));
            if (feasible.outcome() == PlacementFeasibleResult.Outcome.UNSCHEDULABLE) {
                status = GroupStatus.unschedulable(List.of(feasible.reason()));
                return GroupResult.of(status);
            }
            status = statusOf(feasible);
            for (Pod pod : group.members()) {
                MemberResult member = tryMember(pod, placementState);
                members.add(member);
                if (member.code() == Code.ERROR) {
                    status = GroupStatus.error("failed to schedule other pod from a pod group: "
                            + member.message().text());
                    break;
                }
                remaining--;
                scheduled += member.isScheduled() ? 1 : 0;
                feasible = feasible(placementState, group, PlacementProgress.of(remaining, scheduled));
                status = feasible.outcome() == PlacementFeasibleResult.Outcome.UNSCHEDULABLE
                        ? GroupStatus.rejected(Code.UNSCHEDULABLE, List.of(feasible.reason()))
                        : statusOf(feasible);
                if (feasible.outcome() == PlacementFeasibleResult.Outcome.UNSCHEDULABLE) {
                    recorder.stopped(member, snapshot);
                    break;
                }
                anyScheduled |= member.isScheduled();
            }
            if (status.isSuccess() && !anyScheduled && !members.isEmpty()) {
                // Enough pods were scheduled before, and none of the others fits a node.
                recorder.stopped(members.get(members.size() - 1), snapshot);
            }
        } catch (PluginFailure failure) {
            profile.failed(failure);
            status = GroupStatus.error("failed to evaluate placement feasibility: running PlacementFeasible plugin: "
                    + failure.getMessage());
        } finally {
            if (!status.isSuccess()) {
                snapshot.revertTo(changes);
            }
        }
        return new GroupResult(status, members, placementState, anyScheduled, false);
    }

    private MemberResult tryMember(Pod pod, CycleState placementState) {
        CycleState state = new CycleState(placementState);
        if (snapshot.candidates().isEmpty()) {
            return MemberResult.noNodes(pod, state);
        }
        long start = System.nanoTime();
        try {
            SchedulingAlgorithm.Result found = algorithm.find(profile, state, pod);
            NodeInfo node = found.node();
            if (node == null) {
                return MemberResult.rejected(
                        pod, state, found, Objects.requireNonNull(found.diagnosis()), Nomination.keep());
            }
            PluginStatus reserved = reservations.reserve(profile, state, pod, node.name(), snapshot);
            return reserved.isSuccess()
                    ? MemberResult.found(pod, state, found)
                    : MemberResult.rejected(pod, state, null, Diagnosis.ofChosenNode(reserved), Nomination.clear());
        } catch (PluginFailure failure) {
            profile.failed(failure);
            return MemberResult.error(pod, state, failure.getMessage());
        } catch (ExtenderException failure) {
            return MemberResult.error(pod, state, failure.getMessage());
        } finally {
            profile.listeners().measure(listener -> listener.algorithmRan(System.nanoTime() - start));
        }
    }

    // Assumes and reserves the chosen result again, for the groups that are tried after this one.
    private Optional<String> assume(GroupTree group, Map<GroupKey, GroupResult> results) {
        int changes = snapshot.changes();
        for (GroupResult result : successes(group, results)) {
            for (MemberResult member : result.members()) {
                if (!member.isScheduled()) {
                    continue;
                }
                String failure;
                try {
                    PluginStatus reserved =
                            reservations.reserve(profile, member.state(), member.pod(), member.nodeName(), snapshot);
                    failure = reserved.isSuccess()
                            ? ""
                            : Diagnosis.ofChosenNode(reserved).message("").text();
                } catch (PluginFailure thrown) {
                    profile.failed(thrown);
                    failure = thrown.getMessage();
                }
                if (!failure.isEmpty()) {
                    snapshot.revertTo(changes);
                    return Optional.of(failure);
                }
            }
        }
        return Optional.empty();
    }

    // Returns the results of pod groups that succeeded, if all groups above them did, too.
    private static List<GroupResult> successes(GroupTree group, Map<GroupKey, GroupResult> results) {
        List<GroupResult> successes = new ArrayList<>();
        addSuccesses(group, results, successes);
        return successes;
    }

    private static void addSuccesses(GroupTree group, Map<GroupKey, GroupResult> results, List<GroupResult> successes) {
        GroupResult result = results.get(group.key());
        if (result == null || !result.status().isSuccess()) {
            return;
        }
        for (GroupTree child : group.children()) {
            addSuccesses(child, results, successes);
        }
        if (!result.members().isEmpty()) {
            successes.add(result);
        }
    }

    // Returns the index of the placement with the highest score.
    private int choose(
            GroupTree group, CycleState state, List<Placement> placements, List<Map<GroupKey, GroupResult>> found) {
        long[] totals;
        try (PointRun run = profile.begin(PluginMethod.PLACEMENT_SCORE)) {
            totals = score(group, state, placements, found);
            run.end(Code.SUCCESS);
        }
        int best = 0;
        int equal = 1;
        for (int i = 1; i < totals.length; i++) {
            if (totals[i] > totals[best]) {
                best = i;
                equal = 1;
            } else if (totals[i] == totals[best]) {
                equal++;
                // Gives each of the equal placements the same probability.
                best = ties != null && ties.nextInt(equal) == 0 ? i : best;
            }
        }
        return best;
    }

    private long[] score(
            GroupTree group, CycleState state, List<Placement> placements, List<Map<GroupKey, GroupResult>> found) {
        List<PodGroupAssignments> assignments = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            List<ProposedAssignment> proposed = new ArrayList<>();
            successes(group, found.get(i)).forEach(result -> result.addAssignments(proposed));
            assignments.add(PodGroupAssignments.of(placements.get(i), proposed));
        }
        long[] totals = new long[placements.size()];
        for (PluginCaller plugin : profile.at(ExtensionPoint.PLACEMENT_SCORE)) {
            long[] scores = new long[placements.size()];
            for (int i = 0; i < scores.length; i++) {
                CycleState placementState =
                        Objects.requireNonNull(result(found.get(i), group).placementState());
                scores[i] = plugin.scorePlacement(placementState, group, assignments.get(i));
            }
            PlacementScores normalized =
                    plugin.normalizePlacementScores(state, group, PlacementScores.of(placements, scores));
            for (int i = 0; i < totals.length; i++) {
                totals[i] += normalized.score(i) * profile.weight(ExtensionPoint.PLACEMENT_SCORE, plugin);
            }
        }
        return totals;
    }

    private PlacementFeasibleResult feasible(CycleState placementState, GroupTree group, PlacementProgress progress) {
        PlacementFeasibleResult answer = PlacementFeasibleResult.feasible();
        for (PluginCaller plugin : profile.at(ExtensionPoint.PLACEMENT_FEASIBLE)) {
            PlacementFeasibleResult result = plugin.placementFeasible(placementState, group, progress);
            switch (result.outcome()) {
                case FEASIBLE -> {}
                case WAIT -> answer = result;
                case UNSCHEDULABLE -> {
                    return result;
                }
            }
        }
        return answer;
    }

    private static GroupStatus statusOf(PlacementFeasibleResult feasible) {
        return switch (feasible.outcome()) {
            case FEASIBLE -> GroupStatus.success();
            case WAIT -> GroupStatus.unschedulable(List.of(feasible.reason()));
            case UNSCHEDULABLE -> GroupStatus.rejected(Code.UNSCHEDULABLE, List.of(feasible.reason()));
        };
    }

    private static GroupResult result(Map<GroupKey, GroupResult> results, GroupTree group) {
        return Objects.requireNonNull(results.get(group.key()), group.key().toString());
    }
}
