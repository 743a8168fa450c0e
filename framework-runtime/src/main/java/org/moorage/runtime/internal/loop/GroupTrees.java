// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.cycle.GroupTree;
import org.moorage.runtime.internal.cycle.Profile;
import org.moorage.runtime.internal.queue.QueuedPodGroupInfo;

/** A factory of group trees for queued groups, which also finds the profiles that schedule them. */
public final class GroupTrees {
    private final Map<String, Profile> profiles;
    private final FeatureGates features;

    /** Creates trees for pods of these profiles. */
    public GroupTrees(Map<String, Profile> profiles, FeatureGates features) {
        this.profiles = profiles;
        this.features = features;
    }

    /** Thrown if a group cannot be tried at all. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String reason;

        Refused(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        /** Returns the reason. */
        public String reason() {
            return reason;
        }
    }

    /**
     * Returns the tree of a queued group, with the group objects of the snapshot.
     *
     * @throws Refused if the snapshot lacks a group, or has another shape of the tree than the queue
     */
    GroupTree tree(QueuedPodGroupInfo.Group queued, PodGroupLister known) {
        String namespace = queued.key().namespace();
        String name = queued.key().name();
        List<Pod> members = new ArrayList<>();
        queued.members().forEach(member -> members.add(member.pod()));
        if (queued.key().type() == GroupKey.Type.POD_GROUP) {
            PodGroup group = known.podGroup(namespace, name)
                    .orElseThrow(() -> new Refused("pod group state not found for pod group " + namespace + "/" + name))
                    .podGroup()
                    .orElseThrow(
                            () -> new Refused("pod group object not found for pod group " + namespace + "/" + name));
            if (features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP)) {
                checkParent("pod group", group, queued.object());
            }
            return new GroupTree(queued.key(), group, members, List.of());
        }
        CompositePodGroupState state = known.compositePodGroup(namespace, name)
                .orElseThrow(() -> new Refused(
                        "composite pod group state not found for composite pod group " + namespace + "/" + name));
        CompositePodGroup group = state.compositePodGroup()
                .orElseThrow(() -> new Refused(
                        "composite pod group object not found for composite pod group " + namespace + "/" + name));
        checkParent("composite pod group", group, queued.object());
        if (state.children().size() != queued.children().size()) {
            throw new Refused("different number of children in composite pod group between snapshot ("
                    + state.children().size() + ") and queued entity ("
                    + queued.children().size() + ")");
        }
        List<GroupTree> children = new ArrayList<>();
        for (QueuedPodGroupInfo.Group child : queued.children()) {
            children.add(tree(child, known));
        }
        return new GroupTree(queued.key(), group, members, children);
    }

    private static void checkParent(String kind, SchedulingGroup known, SchedulingGroup queued) {
        if (!known.parentName().equals(queued.parentName())) {
            throw new Refused("different parent in " + kind + " between snapshot (" + shown(known.parentName())
                    + ") and queued entity (" + shown(queued.parentName()) + ")");
        }
    }

    private static String shown(String name) {
        return name.isEmpty() ? "[unset]" : name;
    }

    /**
     * Returns the profile of the group's pods, which must have the same scheduler name, priority and preemption policy.
     *
     * @param root a group with pending pods
     * @throws Refused if they differ, or there is no such profile
     */
    public Profile profile(GroupTree root, PodGroupLister known) {
        List<Pod> waiting = root.unscheduledPods();
        Agreement agreement = new Agreement(
                waiting.get(0).spec().schedulerName(),
                root.group(),
                features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY));
        waiting.forEach(agreement::check);
        root.forEachPodGroup(
                leaf -> known.podGroup(leaf.key().namespace(), leaf.key().name())
                        .map(PodGroupState::scheduledPods)
                        .ifPresent(scheduled -> scheduled.forEach(agreement::check)));
        Profile profile = profiles.get(agreement.schedulerName);
        if (profile == null) {
            throw new Refused("profile not found for scheduler name \"" + agreement.schedulerName + "\"");
        }
        return profile;
    }

    /** The fields that all pods of a group must have in common. */
    private static final class Agreement {
        private static final String ALL = "all pods in a single pod group should have the same ";

        private final String schedulerName;
        private final int priority;
        private final boolean isOfGroup;
        private String preemptionPolicy;

        Agreement(String schedulerName, SchedulingGroup root, boolean hasPreemptionPolicy) {
            this.schedulerName = schedulerName;
            priority = root.priority();
            isOfGroup = hasPreemptionPolicy;
            preemptionPolicy =
                    hasPreemptionPolicy ? policy(root.preemptionPolicy().orElse("")) : "";
        }

        private static String policy(String named) {
            return named.isEmpty() ? "PreemptLowerPriority" : named;
        }

        void check(Pod pod) {
            if (!pod.spec().schedulerName().equals(schedulerName)) {
                throw new Refused(ALL + ".spec.schedulerName set, got: \""
                        + pod.spec().schedulerName() + "\" and \"" + schedulerName + "\"");
            }
            if (pod.spec().priority() != priority) {
                throw new Refused(ALL + "priority as the pod group's priority, got "
                        + pod.spec().priority() + " and " + priority);
            }
            String policy = policy(pod.spec().preemptionPolicy());
            if (preemptionPolicy.isEmpty()) {
                preemptionPolicy = policy;
            }
            if (!policy.equals(preemptionPolicy)) {
                throw new Refused(ALL + "preemption policy"
                        + (isOfGroup ? " as the pod group's preemption policy" : "") + ", got " + policy + " and "
                        + preemptionPolicy);
            }
        }
    }
}
