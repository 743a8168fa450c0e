// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.moorage.api.GroupKey;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * Checks the scheduling of gangs.
 *
 * <ul>
 *   <li>If an attempt selects a node for a pod of a group, it does so for as many of the group's pods as the group
 *       needs, together with those that already have a node.
 *   <li>A pod of a gang is bound only if at some moment as many of the gang's pods as it needs, including this one, had
 *       a node or a selected node; below a composite group, only if this was true for as many groups as the composite
 *       group needs.
 *   <li>An idle cluster has fewer bound pods than that only for a reason other than the selection of nodes: a pod with
 *       a node ended or was deleted, a binding failed, the scheduler was killed in between, or the group was changed or
 *       created again.
 * </ul>
 */
final class GangAudit implements SchedulerListener {
    private final ModelApiServer server;
    private final List<String> problems = new ArrayList<>();
    private final Set<GroupKey> disturbed = new HashSet<>();
    private final Map<GroupKey, Integer> minimums = new HashMap<>();
    private final Map<String, Pod> chosen = new HashMap<>();
    private final Set<String> permitted = new HashSet<>();
    private final Set<String> bound = new HashSet<>();
    private final Map<GroupKey, Integer> foundInCycle = new HashMap<>();
    private final Supplier<UnreliablePlugin> scheduler;
    private final boolean hasComposites;

    /**
     * Creates an audit of consecutive schedulers.
     *
     * @param scheduler provides the objects that the running scheduler knows
     * @param hasComposites whether there are composite groups
     */
    GangAudit(ModelApiServer server, Supplier<UnreliablePlugin> scheduler, boolean hasComposites) {
        this.server = server;
        this.scheduler = scheduler;
        this.hasComposites = hasComposites;
        server.watch(this::changed);
    }

    List<String> problems() {
        return problems;
    }

    private static boolean isMember(Pod pod) {
        return !pod.spec().podGroupName().isEmpty();
    }

    /** Continues with the scheduler that replaces a killed one. */
    void restarted() {
        chosen.values().forEach(pod -> disturbed.add(GroupHierarchies.key(pod)));
        chosen.clear();
        permitted.clear();
        foundInCycle.clear();
    }

    /** Returns the uids of the pods with a selected node, whether or not they are bound by now. */
    Set<String> chosen() {
        return chosen.keySet();
    }

    private GroupHierarchies known() {
        UnreliablePlugin known = scheduler.get();
        return new GroupHierarchies(
                known.known(ObjectKind.POD_GROUP),
                hasComposites ? known.known(ObjectKind.COMPOSITE_POD_GROUP) : List.of());
    }

    // Returns the pods that the scheduler knows with a node or a selected node.
    private Set<String> placed(GroupKey group) {
        Set<String> uids = new TreeSet<>();
        for (Pod pod : scheduler.get().known(ObjectKind.POD)) {
            if (isMember(pod)
                    && GroupHierarchies.key(pod).equals(group)
                    && !pod.status().isTerminal()
                    && (pod.isBound() || chosen.containsKey(pod.uid()))) {
                uids.add(pod.uid());
            }
        }
        return uids;
    }

    @Override
    public void decided(Decision decision) {
        Pod pod = decision.pod();
        if (decision.outcome() != Decision.Outcome.SCHEDULED) {
            return;
        }
        if (!isMember(pod)) {
            chosen.put(pod.uid(), pod);
            return;
        }
        GroupKey group = GroupHierarchies.key(pod);
        foundInCycle.computeIfAbsent(group, first -> placed(first).size());
        foundInCycle.merge(group, 1, Integer::sum);
        chosen.put(pod.uid(), pod);
        GroupHierarchies trees = known();
        trees.root(group)
                .filter(root -> trees.isReady(root, key -> placed(key).size()))
                .ifPresent(root -> trees.podGroups(root).forEach(key -> permitted.addAll(placed(key))));
    }

    /** Called when a scheduling cycle ends, with whether a fatal error ended it. */
    void cycleEnded(boolean isBroken) {
        if (!isBroken && !foundInCycle.isEmpty()) {
            GroupHierarchies trees = known();
            foundInCycle.forEach((key, found) -> {
                int minimum = trees.find(key).map(SchedulingGroup::minimum).orElse(0);
                if (found < minimum) {
                    problems.add(
                            key + ": nodes chosen for " + found + " pods (expected: for at least " + minimum + ")");
                }
            });
        }
        foundInCycle.clear();
    }

    @Override
    public void bindingFailed(Pod pod, String nodeName, String message) {
        chosen.remove(pod.uid());
        permitted.remove(pod.uid());
        disturbed.add(GroupHierarchies.key(pod));
    }

    private void changed(ModelApiServer.Change change) {
        if (change.object() instanceof Pod pod && isMember(pod) && pod.isBound()) {
            boolean hasEnded = change.type() == ModelApiServer.Type.DELETED
                    || pod.status().isTerminal()
                    || pod.metadata().isDeleting();
            if (hasEnded) {
                disturbed.add(GroupHierarchies.key(pod));
            } else if (bound.add(pod.uid()) && !permitted.contains(pod.uid())) {
                problems.add("pod " + pod + ": bound before its group had what it needs");
            }
        } else if (change.object() instanceof PodGroup group && change.type() != ModelApiServer.Type.DELETED) {
            changed(group);
        }
    }

    // Regardless of whether pods are bound at that moment: the scheduler receives the change later.
    private void changed(PodGroup group) {
        GroupKey key = GroupKey.podGroup(group.namespace(), group.name());
        Integer before = minimums.put(key, group.minimum());
        boolean hasBound = server.all(ObjectKind.POD).stream()
                .anyMatch(pod -> pod.isBound()
                        && isMember(pod)
                        && GroupHierarchies.key(pod).equals(key));
        if (hasBound && before == null || before != null && before != group.minimum()) {
            disturbed.add(key);
        }
    }

    /** Checks the invariants of an idle cluster. */
    void atRest() {
        for (PodGroup group : server.all(ObjectKind.POD_GROUP)) {
            GroupKey key = GroupKey.podGroup(group.namespace(), group.name());
            long bound = server.all(ObjectKind.POD).stream()
                    .filter(pod -> pod.isBound()
                            && isMember(pod)
                            && GroupHierarchies.key(pod).equals(key))
                    .count();
            if (bound > 0 && bound < group.minimum() && !disturbed.contains(key)) {
                problems.add(key + ": " + bound + " pods bound (expected: none, or at least " + group.minimum() + ")");
            }
        }
    }
}
