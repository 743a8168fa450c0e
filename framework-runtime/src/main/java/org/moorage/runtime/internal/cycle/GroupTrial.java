// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cycle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.moorage.api.Code;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.ProposedAssignment;
import org.moorage.api.Snapshot;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;

/** A trial for one group, on the snapshot of its cycle. */
final class GroupTrial implements PodGroupTrial {
    private final PodGroupAlgorithm algorithm;
    private final Profile profile;
    private final TrialSnapshot snapshot;
    private final GroupTree root;
    private final Reservation.Held reservations;
    private List<ProposedAssignment> assignments = List.of();
    // The state of each assignment's pod, updated with the changes since its node was found.
    private List<CycleState> states = List.of();
    private boolean hasExtensions;
    private boolean eachNodeHoldsAlone;
    // The indexes of the assignments by node name, and the nodes that have changed since their assignments were
    // checked.
    private final Map<String, List<Integer>> assignmentsByNode = new LinkedHashMap<>();
    private final Set<String> changedNodes = new LinkedHashSet<>();

    GroupTrial(PodGroupAlgorithm algorithm, GroupTree root) {
        this.algorithm = algorithm;
        profile = algorithm.profile();
        snapshot = algorithm.snapshot();
        this.root = root;
        reservations = algorithm.reservations();
    }

    @Override
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public void assume(Pod added, String nodeName) {
        List<CycleState> before = states;
        snapshot.assume(added, nodeName, () -> undone(before, nodeName));
        changedNodes.add(nodeName);
        NodeInfo node = snapshot.node(nodeName).orElseThrow();
        follow((state, plugin, pod) -> plugin.addPod(state, pod, added, node));
    }

    @Override
    public void remove(Collection<Pod> removed, String nodeName) {
        List<CycleState> before = states;
        snapshot.remove(removed, nodeName, () -> undone(before, nodeName));
        changedNodes.add(nodeName);
        NodeInfo node = snapshot.node(nodeName).orElseThrow();
        for (Pod gone : removed) {
            follow((state, plugin, pod) -> plugin.removePod(state, pod, gone, node));
        }
    }

    private void undone(List<CycleState> before, String nodeName) {
        states = before;
        changedNodes.add(nodeName);
    }

    /** Applies a change to a pod's state by calling a plugin. */
    private interface StateChange {
        void apply(CycleState state, PluginCaller plugin, Pod pod);
    }

    private void follow(StateChange change) {
        if (!hasExtensions) {
            return;
        }
        List<CycleState> changed = new ArrayList<>(states.size());
        for (int i = 0; i < states.size(); i++) {
            PluginCaller[] extensions = PodAttempt.of(states.get(i)).filters().extensions();
            CycleState state = states.get(i).fork();
            for (PluginCaller plugin : extensions) {
                change.apply(state, plugin, assignments.get(i).pod());
            }
            changed.add(state);
        }
        states = changed;
    }

    @Override
    public int changes() {
        return snapshot.changes();
    }

    @Override
    public void revertTo(int changesLeft) {
        snapshot.revertTo(changesLeft);
    }

    @Override
    public Result schedule() {
        Map<GroupKey, GroupResult> results = algorithm.find(root, new CycleState());
        List<ProposedAssignment> found = new ArrayList<>();
        root.forEachPodGroup(leaf -> {
            GroupResult result = results.get(leaf.key());
            if (result != null) {
                result.addAssignments(found);
            }
        });
        assignments = List.copyOf(found);
        states = found.stream().map(ProposedAssignment::state).toList();
        hasExtensions = false;
        eachNodeHoldsAlone = true;
        assignmentsByNode.clear();
        for (int i = 0; i < found.size(); i++) {
            String nodeName = found.get(i).nodeName();
            PodFilters run = PodAttempt.of(states.get(i)).filters();
            hasExtensions |= run.extensions().length > 0;
            eachNodeHoldsAlone &= run.dependsOnNodeAlone(nodeName);
            assignmentsByNode
                    .computeIfAbsent(nodeName, any -> new ArrayList<>())
                    .add(i);
        }
        changedNodes.addAll(assignmentsByNode.keySet());
        GroupResult ofRoot = results.get(root.key());
        GroupStatus status = ofRoot == null ? GroupStatus.unschedulable(List.of()) : ofRoot.status();
        return Result.of(Status.of(status.code(), reasons(status)), found);
    }

    // A status must have a reason unless it is a success.
    private static List<String> reasons(GroupStatus status) {
        return status.code() == Code.SUCCESS ? List.of() : List.of(status.message());
    }

    @Override
    public boolean holds() {
        if (!eachNodeHoldsAlone) {
            return hold(IntStream.range(0, assignments.size()).boxed().toList());
        }
        // On unchanged nodes every filter would return the same result as before, regardless of later Reserve calls.
        Iterator<String> left = changedNodes.iterator();
        while (left.hasNext()) {
            if (!hold(assignmentsByNode.getOrDefault(left.next(), List.of()))) {
                return false;
            }
            left.remove();
        }
        return true;
    }

    private boolean hold(List<Integer> asked) {
        int changes = snapshot.changes();
        try {
            for (int i : asked) {
                ProposedAssignment assignment = assignments.get(i);
                CycleState state = states.get(i);
                NodeInfo node = snapshot.node(assignment.nodeName()).orElseThrow();
                if (!PodAttempt.of(state).filters().filter(state, node).isSuccess()) {
                    return false;
                }
                reserve(assignment, state);
            }
            return true;
        } finally {
            snapshot.revertTo(changes);
        }
    }

    // As in kube-scheduler, the result of Reserve is ignored.
    private void reserve(ProposedAssignment assignment, CycleState state) {
        int changes = snapshot.changes();
        boolean isReserved = false;
        try {
            isReserved = reservations
                    .reserve(profile, state, assignment.pod(), assignment.nodeName(), snapshot)
                    .isSuccess();
        } catch (PluginFailure failure) {
            profile.failed(failure);
        }
        if (!isReserved) {
            snapshot.revertTo(changes);
            snapshot.assume(assignment.pod().withNode(assignment.nodeName()), assignment.nodeName());
        }
    }
}
