// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.NodeInfo;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.RemedyPlugin;
import org.moorage.api.plugin.WaitingPod;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.cache.TrialSnapshot;
import org.moorage.runtime.internal.cycle.Diagnosis;
import org.moorage.runtime.internal.cycle.GroupResult;
import org.moorage.runtime.internal.cycle.MemberResult;
import org.moorage.runtime.internal.cycle.PodEvaluation;
import org.moorage.runtime.internal.cycle.PodGroupAlgorithm;
import org.moorage.runtime.internal.cycle.PostFilterRun;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.cycle.RejectionMessage;
import org.moorage.runtime.internal.cycle.Reservation;
import org.moorage.runtime.internal.cycle.SchedulingAlgorithm;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.PreemptionResult;
import org.moorage.runtime.whatif.ProfileComparison;
import org.moorage.runtime.whatif.Transaction;

/** A transaction on the snapshot and the store of a workspace. */
final class SnapshotTransaction implements Transaction {
    private static final List<ExtensionPoint> REJECTING = List.of(
            ExtensionPoint.PRE_ENQUEUE, ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, ExtensionPoint.PERMIT);

    private final WhatIfWorkspace workspace;
    private final @Nullable SnapshotTransaction outer;
    private final Thread thread;
    private final TrialSnapshot snapshot;
    private final TrialObjects objects;
    private final SchedulingAlgorithm algorithm;
    private final int changesBefore;
    private final WhatIfWorkspace.Chance chanceBefore;
    // By UID: the node of each pod that a question has placed (empty for an evicted pod), and its placement. Shared
    // with nested transactions.
    private final Map<String, String> moved;
    private final Map<String, TrialPlacement> placements;
    private @Nullable SnapshotTransaction inner;
    private boolean closed;

    private SnapshotTransaction(WhatIfWorkspace workspace, @Nullable SnapshotTransaction outer) {
        this.workspace = workspace;
        this.outer = outer;
        thread = Thread.currentThread();
        snapshot = workspace.snapshot;
        objects = workspace.objects;
        algorithm = workspace.algorithm;
        changesBefore = snapshot.changes();
        chanceBefore = workspace.chance();
        moved = outer == null ? new HashMap<>() : outer.moved;
        placements = outer == null ? new HashMap<>() : outer.placements;
    }

    /** Begins a transaction with a workspace that no other transaction uses. Closing the transaction gives it back. */
    static SnapshotTransaction begin(WhatIfWorkspace workspace, Ties ties) {
        workspace.begin(ties);
        return new SnapshotTransaction(workspace, null);
    }

    @Override
    public Transaction begin() {
        demandOpen();
        inner = new SnapshotTransaction(workspace, this);
        return inner;
    }

    private void demandOpen() {
        if (closed) {
            throw new IllegalStateException("transaction: closed (expected: an open one)");
        }
        if (inner != null) {
            throw new IllegalStateException(
                    "transaction: one within it is open (expected: the inner one is asked, or closed before)");
        }
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "transaction: used on thread " + Thread.currentThread().getName() + " (expected: thread "
                            + thread.getName() + ", which has begun it)");
        }
    }

    @Override
    public void keep() {
        demandOpen();
        if (outer == null) {
            throw new IllegalStateException("keep: not within another transaction (expected: an inner one)");
        }
        closed = true;
        outer.inner = null;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (inner != null) {
            inner.close();
        }
        closed = true;
        try {
            snapshot.revertTo(changesBefore);
        } finally {
            workspace.begin(chanceBefore);
            if (outer == null) {
                workspace.release();
            } else {
                outer.inner = null;
            }
        }
    }

    // Runs a question or a change, and undoes it if it fails.
    private <T> T trying(Supplier<T> work) {
        demandOpen();
        int before = snapshot.changes();
        boolean isDone = false;
        try {
            T done = work.get();
            isDone = true;
            return done;
        } finally {
            if (!isDone) {
                snapshot.revertTo(before);
            }
        }
    }

    // Answers a question without lasting effects.
    private <T> T only(Supplier<T> question) {
        demandOpen();
        int before = snapshot.changes();
        WhatIfWorkspace.Chance chance = workspace.chance();
        try {
            return question.get();
        } finally {
            snapshot.revertTo(before);
            workspace.begin(chance);
        }
    }

    @Override
    public Transaction evict(Collection<Pod> given) {
        List<Pod> pods = Given.selected(given);
        return trying(() -> {
            Map<String, List<Pod>> byNode = new LinkedHashMap<>();
            for (Pod pod : pods) {
                String nodeName = moved.getOrDefault(pod.uid(), pod.nodeName());
                if (nodeName.isEmpty()) {
                    throw new IllegalArgumentException(
                            "pod " + pod.key() + ": on no node (expected: a pod with a node)");
                }
                byNode.computeIfAbsent(nodeName, any -> new ArrayList<>()).add(pod);
            }
            byNode.forEach((nodeName, gone) -> {
                snapshot.remove(gone, nodeName);
                gone.forEach(this::removed);
            });
            workspace.controllers.podsDeleted(pods);
            pods.forEach(this::delete);
            return this;
        });
    }

    // Plugins that count the pods of the cluster see that it is gone.
    private void delete(Pod pod) {
        if (isKnown(pod)) {
            Optional<Pod> ignored = objects.remove(ObjectKind.POD, pod.key());
        }
    }

    private boolean isKnown(Pod pod) {
        return objects.find(ObjectKind.POD, pod.key())
                .filter(known -> known.uid().equals(pod.uid()))
                .isPresent();
    }

    private void removed(Pod pod) {
        put(moved, pod, "");
        TrialPlacement placement = placements.get(pod.uid());
        if (placement != null) {
            placement.release();
        }
    }

    private <T> void put(Map<String, T> byUid, Pod pod, T value) {
        T before = byUid.put(pod.uid(), value);
        snapshot.onRevert(() -> {
            if (before == null) {
                byUid.remove(pod.uid());
            } else {
                byUid.put(pod.uid(), before);
            }
        });
    }

    @Override
    public Transaction without(Collection<String> given) {
        Set<String> nodeNames = Given.names(given);
        return trying(() -> {
            List<Pod> gone = new ArrayList<>();
            for (String name : nodeNames) {
                NodeInfo node = node(name);
                gone.addAll(node.pods());
                Optional<Node> ignored = objects.remove(ObjectKind.NODE, name);
            }
            snapshot.removeNodes(nodeNames);
            gone.forEach(this::removed);
            workspace.controllers.podsDeleted(gone);
            gone.forEach(this::delete);
            return this;
        });
    }

    private NodeInfo node(String name) {
        return snapshot.node(name)
                .orElseThrow(() ->
                        new IllegalArgumentException("nodeName: \"" + name + "\" (expected: the name of a node)"));
    }

    @Override
    public Transaction with(Collection<? extends ClusterObject> given) {
        List<ClusterObject> added = Given.objects(given);
        return trying(() -> {
            List<Node> nodes = new ArrayList<>();
            List<Pod> pods = new ArrayList<>();
            for (ClusterObject object : added) {
                if (object instanceof Pod pod) {
                    removeReplaced(pod);
                }
                objects.put(object);
                if (object instanceof Node node) {
                    nodes.add(node);
                } else if (object instanceof Pod pod) {
                    pods.add(workspace.settings.view().of(pod));
                } else if (object instanceof PodGroup group) {
                    snapshot.changeGroups(groups -> groups.with(group));
                }
            }
            if (!nodes.isEmpty()) {
                snapshot.putNodes(nodes);
            }
            for (Pod pod : pods) {
                if (pod.isBound()) {
                    node(pod.nodeName());
                    snapshot.assume(pod, pod.nodeName());
                    put(moved, pod, pod.nodeName());
                } else {
                    snapshot.changeGroups(groups -> groups.with(pod));
                }
            }
            workspace.controllers.applied(added);
            return this;
        });
    }

    @Override
    public Transaction withPending(Collection<Pod> pods) {
        List<Pod> pending = Given.objects(pods);
        return trying(() -> {
            pending.forEach(pod -> addPending(workspace.settings.view().of(pod.withoutNode())));
            return this;
        });
    }

    // Removes the existing pod of the same name, which another pod replaces, from its node.
    private void removeReplaced(Pod replacement) {
        Optional<Pod> known = objects.find(ObjectKind.POD, replacement.key());
        if (known.isPresent()) {
            String nodeName = moved.getOrDefault(known.get().uid(), known.get().nodeName());
            if (snapshot.node(nodeName).isPresent()) {
                snapshot.remove(List.of(known.get()), nodeName);
                removed(known.get());
            }
        }
    }

    @Override
    public Transaction among(Collection<String> given) {
        Set<String> nodeNames = Given.names(given);
        return trying(() -> {
            List<NodeInfo> left = new ArrayList<>(nodeNames.size());
            for (String name : nodeNames) {
                left.add(node(name));
            }
            snapshot.narrow(left);
            return this;
        });
    }

    @Override
    public Transaction excluding(Collection<String> given) {
        Set<String> nodeNames = Given.names(given);
        return trying(() -> {
            List<NodeInfo> excluded = new ArrayList<>(nodeNames.size());
            for (String name : nodeNames) {
                excluded.add(node(name));
            }
            snapshot.exclude(excluded);
            return this;
        });
    }

    // Returns the pod as plugins see it while it is pending.
    private Pod waiting(Pod pod) {
        if (pod.isBound() && !moved.getOrDefault(pod.uid(), pod.nodeName()).isEmpty()) {
            throw new IllegalArgumentException(
                    "pod " + pod.key() + ": on node " + pod.nodeName() + " (expected: a pending or evicted pod)");
        }
        return workspace.settings.view().of(pod.isBound() ? pod.withoutNode() : pod);
    }

    // Returns the pod as plugins see it while it is pending; it must have no node in this transaction.
    private Pod unplaced(Pod pod) {
        String nodeName = moved.getOrDefault(pod.uid(), "");
        if (!nodeName.isEmpty()) {
            throw new IllegalArgumentException(
                    "pod " + pod.key() + ": placed on node " + nodeName + " (expected: a pod without a node)");
        }
        return waiting(pod);
    }

    private static Optional<PluginStatus> gate(Profile profile, Pod pod) {
        for (PluginCaller plugin : profile.at(ExtensionPoint.PRE_ENQUEUE)) {
            PluginStatus answer = new PluginStatus(plugin.name(), plugin.preEnqueue(pod));
            if (!answer.isSuccess()) {
                return Optional.of(answer);
            }
        }
        return Optional.empty();
    }

    @Override
    public List<String> nodeNames() {
        demandOpen();
        return snapshot.nodes().stream().map(NodeInfo::name).toList();
    }

    @Override
    public List<Pod> podsOn(String nodeName) {
        demandOpen();
        return List.copyOf(node(nodeName).pods());
    }

    @Override
    public Collection<WaitingPod> waitingPods() {
        demandOpen();
        return workspace.waiting.all();
    }

    @Override
    public List<RemedyPlugin.Remedy> remedies(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return only(() -> {
            Pod asked = waiting(pod);
            Set<PluginCaller> plugins = new LinkedHashSet<>();
            for (ExtensionPoint point : REJECTING) {
                plugins.addAll(workspace.profiles.of(asked).at(point));
            }
            List<RemedyPlugin.Remedy> remedies = new ArrayList<>();
            for (PluginCaller plugin : plugins) {
                try {
                    remedies.addAll(plugin.remedies(asked));
                } catch (PluginFailure failed) {
                    // The pod is rejected for the reason that is shown, whether or not there is a remedy.
                    continue;
                }
            }
            return List.copyOf(remedies);
        });
    }

    @Override
    public List<Pod> nominatedPods(String nodeName) {
        demandOpen();
        return workspace.nominatedPods(node(nodeName).name()).stream()
                .filter(pod -> !snapshot.isAssumed(pod))
                .toList();
    }

    @Override
    public Fit fits(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return only(() -> {
            Pod asked = waiting(pod);
            Profile profile = workspace.profiles.of(asked);
            return new QuestionAnswers.Fits(
                    asked, gate(profile, asked), algorithm.fits(profile, new CycleState(), asked));
        });
    }

    @Override
    public Evaluation evaluate(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return only(() -> {
            Pod asked = waiting(pod);
            return PodEvaluation.evaluate(algorithm, workspace.profiles.of(asked), asked);
        });
    }

    @Override
    public PlacedPods place(List<Pod> pods) {
        List<Pod> asked = Given.objects(pods);
        return trying(() -> places(asked, workspace.profiles::of));
    }

    private QuestionAnswers.Places places(List<Pod> pods, Function<Pod, Profile> profileOf) {
        List<PlacedPods.PlacedPod> places = new ArrayList<>(pods.size());
        for (Pod pod : pods) {
            Pod asked = unplaced(pod);
            places.add(place(profileOf.apply(asked), asked));
        }
        return new QuestionAnswers.Places(places, "");
    }

    private QuestionAnswers.Placed place(Profile profile, Pod pod) {
        addPending(pod);
        Optional<PluginStatus> gate = gate(profile, pod);
        if (gate.isPresent()) {
            return QuestionAnswers.Placed.none(
                    pod, RejectionMessage.of(gate.get().status().message()));
        }
        CycleState state = new CycleState();
        SchedulingAlgorithm.Result found = algorithm.find(profile, state, pod);
        NodeInfo node = found.node();
        if (node == null) {
            return QuestionAnswers.Placed.none(pod, message(found));
        }
        return reserve(profile, state, pod, node.name());
    }

    // Plugins that count the pods of the cluster see the pod before they decide about it. A pod of a question may have
    // the name of another one.
    private void addPending(Pod pod) {
        if (objects.find(ObjectKind.POD, pod.key()).isEmpty()) {
            objects.put(pod);
        }
    }

    private static RejectionMessage message(SchedulingAlgorithm.Result found) {
        Diagnosis diagnosis = found.diagnosis();
        return diagnosis == null ? RejectionMessage.NONE : diagnosis.message("");
    }

    private QuestionAnswers.Placed reserve(Profile profile, CycleState state, Pod pod, String nodeName) {
        TrialPlacement placement = new TrialPlacement(workspace, Reservation.of(profile, state, pod, nodeName));
        PluginStatus answer = placement.place();
        if (!answer.isSuccess()) {
            return QuestionAnswers.Placed.none(
                    pod, Diagnosis.ofChosenNode(answer).message(""));
        }
        put(moved, pod, nodeName);
        put(placements, pod, placement);
        return QuestionAnswers.Placed.on(pod, nodeName);
    }

    @Override
    public PlacedPods placeTogether(List<Pod> pods) {
        List<Pod> asked = Given.objects(pods);
        return trying(() -> {
            int before = snapshot.changes();
            QuestionAnswers.Places places = places(asked, workspace.profiles::of);
            if (places.isComplete()) {
                return places;
            }
            snapshot.revertTo(before);
            return places.withoutNodes(
                    places.placed() + " of " + places.pods().size() + " pods find a node (expected: all)");
        });
    }

    @Override
    public PlacedPods place(PodGroup group, List<Pod> pods) {
        Objects.requireNonNull(group, "group");
        List<Pod> asked = Given.objects(pods);
        return trying(() -> {
            FeatureGates features = workspace.settings.features();
            if (!features.isEnabled(FeatureGates.GENERIC_WORKLOAD)) {
                throw new IllegalArgumentException(
                        "feature GenericWorkload: off, so that pods of groups are scheduled alone (expected: on)");
            }
            if (asked.isEmpty()) {
                return new QuestionAnswers.Places(List.of(), "");
            }
            List<Pod> members = new ArrayList<>();
            for (Pod pod : asked) {
                members.add(unplaced(pod));
            }
            objects.put(group);
            snapshot.changeGroups(groups -> {
                PodGroups all = groups.with(group);
                for (Pod member : members) {
                    all = all.with(member);
                }
                return all;
            });
            GroupKey key = GroupKey.podGroup(group.namespace(), group.name());
            return place(new GroupTree(key, group, members, List.of()), features);
        });
    }

    private PlacedPods place(GroupTree root, FeatureGates features) {
        Profile profile;
        try {
            profile = root.profile(workspace.profiles.byName(), snapshot.podGroups(), features);
        } catch (GroupTree.Refused refused) {
            throw new IllegalArgumentException("group " + root.key() + ": " + refused.getMessage(), refused);
        }
        PodGroupAlgorithm group =
                new PodGroupAlgorithm(algorithm, profile, features, workspace.groupTies(), new Reservation.Held());
        Map<GroupKey, GroupResult> results = group.find(root, new CycleState());
        GroupResult.complete(root, results);
        GroupResult result = results.get(root.key());
        List<PlacedPods.PlacedPod> places = new ArrayList<>();
        boolean isPlaced = result != null && result.status().isSuccess();
        for (MemberResult member : result == null ? List.<MemberResult>of() : result.members()) {
            places.add(
                    isPlaced && member.isScheduled()
                            ? reserve(profile, member.state().withoutParent(), member.pod(), member.nodeName())
                            : QuestionAnswers.Placed.none(member.pod(), member.message()));
        }
        return new QuestionAnswers.Places(
                places, result == null ? "" : result.status().message());
    }

    @Override
    public HowMany howMany(Pod template, int atMost) {
        Objects.requireNonNull(template, "template");
        return only(() -> {
            Pod asked = waiting(template);
            Profile profile = workspace.profiles.of(asked);
            Map<String, String> nodeByUid = new LinkedHashMap<>();
            String stoppedBy = "";
            while (nodeByUid.size() < atMost && stoppedBy.isEmpty()) {
                Pod copy = copy(asked, nodeByUid.size());
                QuestionAnswers.Placed place = place(profile, copy);
                stoppedBy = place.message();
                place.nodeName().ifPresent(nodeName -> nodeByUid.put(copy.uid(), nodeName));
            }
            workspace
                    .waiting
                    .all()
                    .forEach(waiting -> nodeByUid.remove(waiting.pod().uid()));
            Map<String, Integer> byNode = new LinkedHashMap<>();
            nodeByUid.values().forEach(nodeName -> byNode.merge(nodeName, 1, Integer::sum));
            return new QuestionAnswers.Copies(nodeByUid.size(), byNode, stoppedBy);
        });
    }

    private static Pod copy(Pod template, int number) {
        return template.withMetadata(template.metadata().toBuilder(template.name() + "-" + number)
                .uid(template.uid() + "/" + number)
                .build());
    }

    @Override
    public PreemptionResult preempt(Pod pod) {
        Objects.requireNonNull(pod, "pod");
        return trying(() -> {
            Pod asked = unplaced(pod);
            Profile profile = workspace.profiles.of(asked);
            Optional<PluginStatus> gate = gate(profile, asked);
            if (gate.isPresent()) {
                return QuestionAnswers.Preempted.none(
                        asked, RejectionMessage.of(gate.get().status().message()));
            }
            addPending(asked);
            CycleState state = new CycleState();
            SchedulingAlgorithm.Result found = algorithm.find(profile, state, asked);
            NodeInfo node = found.node();
            if (node != null) {
                return room(reserve(profile, state, asked, node.name()), List.of());
            }
            return preempt(profile, state, asked, found);
        });
    }

    private PreemptionResult preempt(Profile profile, CycleState state, Pod pod, SchedulingAlgorithm.Result found) {
        Diagnosis diagnosis = found.diagnosis();
        if (diagnosis == null) {
            return QuestionAnswers.Preempted.none(pod, RejectionMessage.NONE);
        }
        Optional<PostFilterRun> answer =
                PostFilterRun.of(profile, state, pod, diagnosis, PostFilterRun.Execution.LEFT_OUT);
        boolean makesRoom = answer.isPresent() && answer.get().result().status().isSuccess();
        if (!makesRoom) {
            String postFilter =
                    answer.map(run -> run.result().status().message()).orElse("");
            return QuestionAnswers.Preempted.none(pod, diagnosis.message(postFilter));
        }
        String nodeName = answer.get().result().nomination().nodeName();
        List<Pod> victims = answer.get().result().victims();
        // Some of them may already be terminating.
        evict(victims);
        Pod nominated = pod.withStatus(
                pod.status().toBuilder().nominatedNodeName(nodeName).build());
        return room(place(profile, nominated), victims);
    }

    private static QuestionAnswers.Preempted room(QuestionAnswers.Placed place, List<Pod> victims) {
        return new QuestionAnswers.Preempted(place.pod(), place.nodeName(), victims, place.rejection());
    }

    @Override
    public ProfileComparison compare(String profile, List<Pod> pods) {
        Objects.requireNonNull(profile, "profile");
        List<Pod> asked = Given.objects(pods);
        Profile other = workspace.profiles.named(profile);
        return new QuestionAnswers.ComparedProfiles(
                only(() -> places(asked, workspace.profiles::of)), only(() -> places(asked, any -> other)));
    }
}
