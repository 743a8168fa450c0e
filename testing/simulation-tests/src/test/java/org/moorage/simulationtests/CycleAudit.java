// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.runtime.debug.SchedulerDump;

/**
 * Checks the scheduling cycles of one scheduler from within.
 *
 * <ul>
 *   <li>A cycle starts with the state of the cache. When a PodGroupPostFilter plugin is called, and when the pods of a
 *       group are reserved, the state is still that of the start of the cycle: no simulated change remains.
 *   <li>A reservation of a pod is either released once, or the pod is bound. After each cycle, only pods with a
 *       selected node have reservations.
 * </ul>
 */
final class CycleAudit {
    private final ModelApiServer server;
    private final Supplier<SchedulerDump> dump;
    private final Map<CycleState, Pod> reserved = new IdentityHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> atBeginning = new HashMap<>();
    private boolean isInCycle;

    /**
     * Creates an audit of one scheduler.
     *
     * @param dump provides the state of the scheduler
     */
    CycleAudit(ModelApiServer server, Supplier<SchedulerDump> dump) {
        this.server = server;
        this.dump = dump;
    }

    List<String> problems() {
        return problems;
    }

    /**
     * Returns the factory of the plugin in that scheduler that collects the data for the checks. It rejects nothing.
     */
    PluginFactory<?> factory() {
        return PluginFactory.of(Check.NAME, Check.class, handle -> new Check(this, handle));
    }

    /** Called when a cycle starts. */
    void cycleBegins() {
        isInCycle = true;
        atBeginning.clear();
    }

    /**
     * Called when a cycle ends.
     *
     * @param chosen the uids of the pods with a selected node
     */
    void cycleEnded(Set<String> chosen) {
        isInCycle = false;
        for (Pod pod : reserved.values()) {
            if (!chosen.contains(pod.uid())) {
                problems.add("pod " + pod + ": something is reserved for it on " + pod.nodeName()
                        + " though it is not to be bound");
            }
        }
    }

    private void preFilter(Snapshot snapshot) {
        if (!isInCycle || !atBeginning.isEmpty()) {
            return;
        }
        Map<String, Set<String>> cached = new HashMap<>();
        dump.get().nodes().forEach(node -> cached.put(node.name(), uids(node.pods())));
        for (NodeInfo node : snapshot.nodes()) {
            Set<String> expected = cached.getOrDefault(node.name(), Set.of());
            if (!uids(node.pods()).equals(expected)) {
                problems.add("node " + node.name() + ": the cycle begins with " + uids(node.pods()) + " (the cache: "
                        + expected + ")");
            }
            atBeginning.put("node " + node.name(), describe(node));
        }
        atBeginning.putAll(groups(snapshot));
    }

    private void reserve(CycleState state, Pod pod, Supplier<Snapshot> snapshot) {
        if (reserved.put(state, pod) != null) {
            problems.add("pod " + pod + ": reserved twice with one state");
        }
        if (isInCycle && state.parent().isEmpty() && !pod.spec().podGroupName().isEmpty() && !atBeginning.isEmpty()) {
            compare(pod, snapshot.get());
        }
    }

    private void compare(Object whom, Snapshot snapshot) {
        Map<String, String> now = groups(snapshot);
        snapshot.nodes().forEach(node -> now.put("node " + node.name(), describe(node)));
        atBeginning.forEach((what, before) -> {
            if (!before.equals(now.get(what))) {
                problems.add(whom + " continues while " + what + " is " + now.get(what)
                        + " (at the beginning of the cycle: " + before + ")");
            }
        });
    }

    private Map<String, String> groups(Snapshot snapshot) {
        Map<String, String> groups = new TreeMap<>();
        server.all(ObjectKind.POD_GROUP)
                .forEach(group -> snapshot.podGroups()
                        .podGroup(group.namespace(), group.name())
                        .ifPresent(members -> groups.put(
                                "group " + group.name(),
                                uids(members.scheduledPods()) + ", to be placed: " + uids(members.unscheduledPods()))));
        return groups;
    }

    private static String describe(NodeInfo node) {
        return uids(node.pods()) + ", requested " + node.requested(ResourceName.CPU) + "m and "
                + node.requested(ResourceName.MEMORY) + ", by score " + node.nonZeroRequested(ResourceName.CPU)
                + "m and "
                + node.nonZeroRequested(ResourceName.MEMORY) + ", with affinity " + uids(node.podsWithAffinity())
                + ", apart " + uids(node.podsWithRequiredAntiAffinity());
    }

    private static Set<String> uids(Collection<Pod> pods) {
        Set<String> uids = new TreeSet<>();
        pods.forEach(pod -> uids.add(pod.uid()));
        return uids;
    }

    /**
     * Checks the invariants of an idle scheduler: each reservation belongs to a bound pod, and each pod has at most
     * one.
     */
    void atRest() {
        Set<String> seen = new TreeSet<>();
        for (Pod pod : reserved.values()) {
            if (!seen.add(pod.uid())) {
                problems.add("pod " + pod + ": reserved twice");
            }
            // Reservations of deleted pods do not matter.
            boolean isElsewhere = server.pod(pod)
                    .filter(current -> !current.nodeName().equals(pod.nodeName()))
                    .isPresent();
            if (isElsewhere) {
                problems.add("pod " + pod + ": something is still reserved for it on " + pod.nodeName());
            }
        }
    }

    /** The plugin that collects the data for the checks. */
    static final class Check implements PreFilterPlugin, ReservePlugin, PodGroupPostFilterPlugin {
        static final String NAME = "CycleCheck";

        private final CycleAudit audit;
        private final Handle handle;

        private Check(CycleAudit audit, Handle handle) {
            this.audit = audit;
            this.handle = handle;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
            audit.preFilter(snapshot);
            return PreFilterResult.allNodes();
        }

        @Override
        public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
            audit.compare(group.key(), trial.snapshot());
            return PodGroupPostFilterResult.rejected(Status.unschedulable("looked at"));
        }

        @Override
        public Status reserve(CycleState state, Pod pod, String nodeName) {
            audit.reserve(state, pod, handle::snapshot);
            return Status.success();
        }

        @Override
        public void unreserve(CycleState state, Pod pod, String nodeName) {
            Pod ignored = audit.reserved.remove(state);
        }
    }
}
