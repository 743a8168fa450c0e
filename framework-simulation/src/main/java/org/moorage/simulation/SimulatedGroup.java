// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.api.GroupKey;
import org.moorage.simulation.SimulatedPod.State;

/**
 * A group of pods at the end of a {@link Simulation}.
 *
 * @param key its kind, namespace and name
 * @param parent the composite group that it is a child of; empty if it has none
 * @param state {@link State#SCHEDULED} if as many of its members are placed as it needs; otherwise the state of the
 *     members that are in its way
 * @param placed how many of its members are placed. The members of a pod group are its pods, those that have been
 *     placed before included; those of a composite group are the groups right below it
 * @param members how many members it has, preempted pods included
 * @param needed how many members have to be placed together; 0 if the group is not in the cluster, and only pods name
 *     it
 * @param domain the value of the label of its topology constraint on the nodes of its pods; empty without such a
 *     constraint or such a pod, several with a comma between them if pods were placed before that break it
 * @param nodes the names of the nodes of the pods that are placed, in order, each as often as it has such a pod; those
 *     of all groups below a composite one
 * @param plugin the PreEnqueue plugin that gates its pods; empty if none does
 * @param message what the group's condition says, or else what is said of the pod that is in its way; empty if it is
 *     {@link State#SCHEDULED}
 * @param pods those of its pods that the scheduler was given to place, or that were preempted; none of a composite
 *     group
 */
public record SimulatedGroup(
        GroupKey key,
        Optional<GroupKey> parent,
        State state,
        int placed,
        int members,
        int needed,
        String domain,
        List<String> nodes,
        String plugin,
        String message,
        List<SimulatedPod> pods) {
    public SimulatedGroup {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(parent, "parent");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(domain, "domain");
        nodes = List.copyOf(nodes);
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(message, "message");
        pods = List.copyOf(pods);
    }
}
