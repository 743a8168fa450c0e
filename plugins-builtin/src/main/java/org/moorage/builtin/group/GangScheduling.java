// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.GroupKey;
import org.moorage.api.PlacementProgress;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.group.PlacementFeasiblePlugin;
import org.moorage.api.plugin.group.PlacementFeasibleResult;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.builtin.group.PodGroupHierarchy.Root;

/**
 * Schedules at least the minimum number of pods of a gang, or none: it gates the pods until enough exist, reports when
 * enough of them have a node, and makes those that have a node wait for the others. The same applies to a composite
 * group and its children. Same decisions as kube-scheduler's GangScheduling.
 */
public final class GangScheduling
        implements PreEnqueuePlugin, PlacementFeasiblePlugin, PermitPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "GangScheduling";
    /** Makes the plugin. */
    public static final PluginFactory<PluginArgs.None> FACTORY =
            PluginFactory.of(NAME, GangScheduling.class, GangScheduling::new);

    private static final Status TOO_FEW_PODS =
            Status.unresolvable("waiting for minCount pods from a gang to appear in scheduling queue");
    private static final String NO_HIERARCHY = "failed to build hierarchy snapshot: ";

    private static final PermitResult WAIT = PermitResult.waitAtMost(Duration.ofMinutes(5));

    private final Handle handle;
    private final boolean hasComposites;

    GangScheduling(Handle handle) {
        this.handle = handle;
        hasComposites = handle.featureGates().isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preEnqueue(Pod pod) {
        if (!isMember(pod)) {
            return Status.success();
        }
        PodGroupHierarchy hierarchy = new PodGroupHierarchy(handle.cluster().podGroups(), hasComposites);
        Root root = hierarchy.root(pod);
        if (!root.isKnown()) {
            return Status.unresolvable(
                    hasComposites
                            ? NO_HIERARCHY + root.problem()
                            : "waiting for pods's pod group \"" + pod.spec().podGroupName()
                                    + "\" to appear in scheduling queue");
        }
        if (hierarchy.isReady(root.key(), PodGroupState::allPodsCount)) {
            return Status.success();
        }
        return root.isComposite()
                ? Status.unresolvable(
                        "waiting for composite pod group \"" + root.key().name() + "\" tree to meet quorum")
                : TOO_FEW_PODS;
    }

    @Override
    public PlacementFeasibleResult placementFeasible(CycleState state, PodGroupInfo group, PlacementProgress progress) {
        int minimum = group.group().minimum();
        if (progress.scheduled() >= minimum) {
            return PlacementFeasibleResult.feasible();
        }
        return progress.scheduled() + progress.remaining() < minimum
                ? PlacementFeasibleResult.unschedulable(reason("cannot be satisfied", minimum, progress))
                : PlacementFeasibleResult.waiting(reason("is not yet satisfied", minimum, progress));
    }

    private static String reason(String what, int minimum, PlacementProgress progress) {
        return "minCount (" + minimum + ") " + what + ": " + progress.scheduled() + " scheduled, "
                + progress.remaining() + " remaining";
    }

    @Override
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        if (!isMember(pod)) {
            return PermitResult.allow();
        }
        // All at one moment.
        PodGroupLister groups = handle.cluster().podGroups();
        PodGroupHierarchy hierarchy = new PodGroupHierarchy(groups, hasComposites);
        Root root = hierarchy.root(pod);
        if (hasComposites && !root.isKnown()) {
            throw new PluginException(NO_HIERARCHY + root.problem());
        }
        boolean hasQuorum;
        if (root.isComposite()) {
            hasQuorum = hierarchy.isReady(root.key(), PodGroupState::scheduledPodsCount);
        } else {
            // Where there are no composite groups, what it needs is as the cycle sees it.
            PodGroup group = podGroup(
                    root.key(), hasComposites ? groups : handle.snapshot().podGroups());
            if (!group.isGang()) {
                return PermitResult.allow();
            }
            hasQuorum = groups.podGroup(group.namespace(), group.name())
                    .filter(members -> members.scheduledPodsCount() >= group.minCount())
                    .isPresent();
        }
        List<PodGroupState> podGroups = PodGroupHierarchy.podGroups(groups, root.key());
        if (hasQuorum) {
            allowAssumed(podGroups);
            return PermitResult.allow();
        }
        activateUnscheduled(podGroups);
        return WAIT;
    }

    private static PodGroup podGroup(GroupKey key, PodGroupLister groups) {
        return groups.podGroup(key.namespace(), key.name())
                .flatMap(PodGroupState::podGroup)
                .orElseThrow(() -> new PluginException("failed to get podGroup " + key.namespace() + "/" + key.name()
                        + ": pod group object not found for pod group " + key));
    }

    private void allowAssumed(List<PodGroupState> podGroups) {
        for (PodGroupState members : podGroups) {
            for (Pod assumed : members.assumedPods()) {
                handle.binding().waitingPod(assumed.uid()).ifPresent(waiting -> waiting.allow(NAME));
            }
        }
    }

    private void activateUnscheduled(List<PodGroupState> podGroups) {
        List<Pod> unscheduled = new ArrayList<>();
        for (PodGroupState members : podGroups) {
            unscheduled.addAll(members.unscheduledPods());
        }
        handle.queue().activate(unscheduled);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        List<EventRegistration> events = new ArrayList<>();
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.UNSCHEDULED_POD, ActionType.ADD), Pod.class, this::afterPodAddition));
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.ASSIGNED_POD, ActionType.ADD), Pod.class, this::afterPodAddition));
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.POD_GROUP, ActionType.ADD), PodGroup.class, this::afterGroupAddition));
        events.add(EventRegistration.of(
                ClusterEvent.of(EventResource.POD_GROUP, ActionType.UPDATE), PodGroup.class, this::afterGroupUpdate));
        if (hasComposites) {
            events.add(EventRegistration.of(
                    ClusterEvent.of(EventResource.COMPOSITE_POD_GROUP, ActionType.ADD),
                    CompositePodGroup.class,
                    this::afterCompositeAddition));
        }
        return List.copyOf(events);
    }

    private Hint afterPodAddition(Pod pod, ObjectChange<Pod> change) {
        Pod added = change.latest();
        return Hint.queueIf(isMember(added)
                && isInHierarchyOf(
                        pod, GroupKey.podGroup(added.namespace(), added.spec().podGroupName())));
    }

    private Hint afterGroupAddition(Pod pod, ObjectChange<PodGroup> change) {
        return Hint.queueIf(isInHierarchyOf(pod, keyOf(change.latest())));
    }

    // Only a lower minimum helps, and only the minimum of a gang can change.
    private Hint afterGroupUpdate(Pod pod, ObjectChange<PodGroup> change) {
        PodGroup after = change.latest();
        boolean needsLess = change.before()
                .filter(before -> before.isGang() && after.isGang() && after.minCount() < before.minCount())
                .isPresent();
        return Hint.queueIf(needsLess && isInHierarchyOf(pod, keyOf(after)));
    }

    private Hint afterCompositeAddition(Pod pod, ObjectChange<CompositePodGroup> change) {
        CompositePodGroup added = change.latest();
        return Hint.queueIf(isInHierarchyOf(pod, GroupKey.compositePodGroup(added.namespace(), added.name())));
    }

    private static GroupKey keyOf(PodGroup group) {
        return GroupKey.podGroup(group.namespace(), group.name());
    }

    private boolean isInHierarchyOf(Pod pod, GroupKey group) {
        if (!isMember(pod)) {
            return false;
        }
        GroupKey own = GroupKey.podGroup(pod.namespace(), pod.spec().podGroupName());
        if (!hasComposites) {
            return own.equals(group);
        }
        PodGroupLister groups = handle.cluster().podGroups();
        Optional<GroupKey> root = groups.root(own);
        return root.isPresent() && root.equals(groups.root(group));
    }

    private static boolean isMember(Pod pod) {
        return !pod.spec().podGroupName().isEmpty();
    }
}
