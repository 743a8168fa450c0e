// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.simulation.SimulatedGroup;
import org.moorage.simulation.SimulatedPod;

/**
 * A group of pods at the end of a simulation.
 *
 * @param kind {@code PodGroup} or {@code CompositePodGroup}
 * @param group namespace and name
 * @param parent the composite group that it is a child of
 * @param outcome {@code scheduled} if enough members are placed; otherwise the outcome of the members that are not, or
 *     {@code pending} in a running scheduler
 * @param message the message of its condition; empty if it is scheduled
 * @param placed the number of placed members: of pods, or of child groups
 * @param members the number of members
 * @param needed the number of members that have to be placed together; 0 if the group is not in the cluster
 * @param domain the topology domain of its pods; empty without a topology constraint
 * @param plugin the plugin that gates its pods
 * @param pods its pods that were pending or were preempted
 * @param nodes the nodes of its pods
 */
public record GroupResult(
        String kind,
        String group,
        Optional<String> parent,
        String outcome,
        String message,
        int placed,
        int members,
        int needed,
        String domain,
        Optional<String> plugin,
        List<Pod> pods,
        List<String> nodes) {
    /** Returns a group of a simulation. */
    public static GroupResult of(SimulatedGroup group) {
        return new GroupResult(
                kind(group.key()),
                name(group.key()),
                group.parent().map(GroupResult::name),
                AnswerJson.name(group.state()),
                group.message(),
                group.placed(),
                group.members(),
                group.needed(),
                group.domain(),
                Optional.of(group.plugin()).filter(plugin -> !plugin.isEmpty()),
                group.pods().stream().map(SimulatedPod::pod).toList(),
                group.nodes().stream().distinct().toList());
    }

    /** Returns the groups of a simulation. */
    public static List<GroupResult> all(Collection<SimulatedGroup> groups) {
        return groups.stream().map(GroupResult::of).toList();
    }

    /** Returns the kind of a group's object. */
    public static String kind(GroupKey key) {
        return key.type() == GroupKey.Type.POD_GROUP ? "PodGroup" : "CompositePodGroup";
    }

    /** Returns namespace and name of a group. */
    public static String name(GroupKey key) {
        return key.namespace() + "/" + key.name();
    }
}
