// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import org.moorage.app.internal.page.ClusterView;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.page.ServedPage;
import org.moorage.app.internal.page.ShownCluster;
import org.moorage.app.internal.report.SimulationReport;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Page;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.Explanation;
import org.moorage.simulation.SimulatedPod.State;

/** The page of a running scheduler: the nodes, pods, queue and groups that it knows. */
final class SchedulerPage {
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
                turn);
    }

    private static Explanation explain(Scheduler scheduler, ClusterView view, Pod pod) {
        try (WhatIf cluster = scheduler.whatIf()) {
            return ShownCluster.explain(cluster, view, pod);
        }
    }

    /** What the page shows of what a scheduler holds. */
    static PageContent.Builder content(SchedulerDump dump) {
        List<ObjectNode> groups = new ArrayList<>();
        sorted(dump.podGroups()).forEach(key -> {
            PodGroupState state = dump.podGroups().get(key);
            if (state != null) {
                groups.add(tree(key, state));
            }
        });
        sorted(dump.compositePodGroups()).forEach(key -> {
            CompositePodGroupState state = dump.compositePodGroups().get(key);
            if (state != null) {
                groups.add(tree(key, state, groups));
            }
        });
        return PageContent.of("running scheduler", ClusterView.of(dump)).groups(groups);
    }

    private static List<GroupKey> sorted(Map<GroupKey, ?> groups) {
        return groups.keySet().stream()
                .sorted(Comparator.comparing(GroupKey::toString))
                .toList();
    }

    private static ObjectNode tree(GroupKey key, PodGroupState state) {
        int placed = state.assumedPods().size() + state.assignedPods().size();
        ObjectNode tree = tree(key, "PodGroup", state.podGroup());
        boolean isPlaced = placed > 0 && placed >= tree.path("needed").asInt();
        tree.put("outcome", isPlaced ? SimulationReport.name(State.SCHEDULED) : "pending")
                .put("placed", placed)
                .put("members", placed + state.unscheduledPods().size())
                .put("message", state.podGroup().map(SchedulerPage::message).orElse("the group is not known"));
        ArrayNode pods = tree.putArray("pods");
        List.of(state.unscheduledPods(), state.assumedPods(), state.assignedPods())
                .forEach(part -> part.forEach(pod -> pods.add(pod.key())));
        return tree;
    }

    private static String message(PodGroup group) {
        return group.initiallyScheduled()
                .filter(condition -> condition.status().equals("False"))
                .map(PodCondition::message)
                .orElse("");
    }

    private static ObjectNode tree(GroupKey key, CompositePodGroupState state, List<ObjectNode> podGroups) {
        ObjectNode tree = tree(key, "CompositePodGroup", state.compositePodGroup());
        String scheduled = SimulationReport.name(State.SCHEDULED);
        long placed = podGroups.stream()
                .filter(child -> child.path("parent").asText().equals(key.namespace() + "/" + key.name())
                        && child.path("outcome").asText().equals(scheduled))
                .count();
        tree.put("outcome", placed > 0 && placed >= tree.path("needed").asInt() ? scheduled : "pending")
                .put("placed", placed)
                .put("members", state.children().size())
                .put("message", "");
        tree.putArray("pods");
        return tree;
    }

    private static ObjectNode tree(GroupKey key, String kind, Optional<? extends SchedulingGroup> group) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("kind", kind)
                .put("group", key.namespace() + "/" + key.name());
        group.map(SchedulingGroup::parentName)
                .filter(name -> !name.isEmpty())
                .ifPresent(name -> tree.put("parent", key.namespace() + "/" + name));
        return tree.put("needed", group.map(SchedulingGroup::minimum).orElse(0)).put("domain", "");
    }
}
