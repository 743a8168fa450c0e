// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupState;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.page.ServedPage;
import org.moorage.app.internal.page.ShownCluster;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Page;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.SimulatedPod.State;

/** The page of a running scheduler: its nodes, pods, queue and groups. */
final class SchedulerPage {
    private static final String SCHEDULED = AnswerJson.name(State.SCHEDULED);

    private SchedulerPage() {}

    /**
     * The page of a scheduler.
     *
     * @param attempts what a pod waits for, and the last attempts at it
     * @param turn whose turn it is
     */
    static ServedPage of(Scheduler scheduler, Page attempts, OneAtATime turn, InstantSource clock) {
        return new ServedPage(
                () -> content(scheduler.dump()).made(clock.instant()),
                () -> {
                    ClusterView view = ClusterView.of(scheduler.dump());
                    return new ShownCluster(view, pod -> explain(scheduler, view, pod), scheduler.profileNames());
                },
                Optional.of(attempts),
                "",
                turn);
    }

    private static Explanation explain(Scheduler scheduler, ClusterView view, Pod pod) {
        try (WhatIf cluster = scheduler.whatIf()) {
            return ShownCluster.explain(cluster, view, pod);
        }
    }

    /** Returns the content of the page. */
    static PageContent.Builder content(SchedulerDump dump) {
        List<GroupResult> groups = new ArrayList<>();
        sorted(dump.podGroups()).forEach(key -> {
            PodGroupState state = dump.podGroups().get(key);
            if (state != null) {
                groups.add(result(key, state));
            }
        });
        sorted(dump.compositePodGroups()).forEach(key -> {
            CompositePodGroupState state = dump.compositePodGroups().get(key);
            if (state != null) {
                groups.add(result(key, state, groups));
            }
        });
        return PageContent.of("running scheduler", ClusterView.of(dump)).groups(groups);
    }

    private static List<GroupKey> sorted(Map<GroupKey, ?> groups) {
        return groups.keySet().stream()
                .sorted(Comparator.comparing(GroupKey::toString))
                .toList();
    }

    private static GroupResult result(GroupKey key, PodGroupState state) {
        List<Pod> pods = new ArrayList<>();
        List.of(state.unscheduledPods(), state.assumedPods(), state.assignedPods())
                .forEach(pods::addAll);
        int placed = state.assumedPods().size() + state.assignedPods().size();
        String message = state.podGroup().map(SchedulerPage::message).orElse("the group is not known");
        return result(key, state.podGroup(), placed, pods.size(), message, pods);
    }

    private static String message(PodGroup group) {
        return group.initiallyScheduled()
                .filter(condition -> condition.status().equals("False"))
                .map(PodCondition::message)
                .orElse("");
    }

    private static GroupResult result(GroupKey key, CompositePodGroupState state, List<GroupResult> podGroups) {
        long placed = podGroups.stream()
                .filter(child -> child.parent().equals(Optional.of(GroupResult.name(key)))
                        && child.outcome().equals(SCHEDULED))
                .count();
        return result(
                key, state.compositePodGroup(), (int) placed, state.children().size(), "", List.of());
    }

    private static GroupResult result(
            GroupKey key,
            Optional<? extends SchedulingGroup> group,
            int placed,
            int members,
            String message,
            List<Pod> pods) {
        int needed = group.map(SchedulingGroup::minimum).orElse(0);
        return new GroupResult(
                GroupResult.kind(key),
                GroupResult.name(key),
                group.map(SchedulingGroup::parentName)
                        .filter(name -> !name.isEmpty())
                        .map(name -> key.namespace() + "/" + name),
                placed > 0 && placed >= needed ? SCHEDULED : "pending",
                message,
                placed,
                members,
                needed,
                "",
                Optional.empty(),
                pods,
                List.of());
    }
}
