// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.moorage.api.CompositePodGroupState;
import org.moorage.api.GroupKey;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.PodGroupState;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.log.SafeException;

/**
 * A group that is scheduled, and the groups below it.
 *
 * @param key its type, namespace and name
 * @param group the group object
 * @param members its pending pods, in the order in which they are tried; empty for a composite group
 * @param children the groups directly below it, in the order in which they are tried; empty for a pod group
 */
public record GroupTree(GroupKey key, SchedulingGroup group, List<Pod> members, List<GroupTree> children)
        implements PodGroupInfo {
    private static final String ALL = "all pods in a single pod group should have the same ";

    public GroupTree {
        members = List.copyOf(members);
        children = List.copyOf(children);
    }

    /** Thrown if a group cannot be tried at all; the message is kube-scheduler's reason. */
    public static final class Refused extends SafeException {
        private static final long serialVersionUID = 1L;

        Refused(String reason) {
            super(reason, null);
        }
    }

    /** Returns whether its members are groups rather than pods. */
    public boolean isComposite() {
        return key.type() == GroupKey.Type.COMPOSITE_POD_GROUP;
    }

    /** Passes each pod group of the tree to a consumer, in order. */
    public void forEachPodGroup(Consumer<GroupTree> consumer) {
        if (isComposite()) {
            children.forEach(child -> child.forEachPodGroup(consumer));
        } else {
            consumer.accept(this);
        }
    }

    @Override
    public List<Pod> unscheduledPods() {
        if (!isComposite()) {
            return members;
        }
        List<Pod> all = new ArrayList<>();
        forEachPodGroup(leaf -> all.addAll(leaf.members));
        return all;
    }

    public GroupTree only(Predicate<Pod> which) {
        return new GroupTree(
                key,
                group,
                members.stream().filter(which).toList(),
                children.stream().map(child -> child.only(which)).toList());
    }

    /**
     * Returns the tree with the group objects of a snapshot.
     *
     * @throws Refused if the snapshot lacks a group, or has another shape of the tree
     */
    public GroupTree in(PodGroupLister snapshot, FeatureGates features) {
        if (!isComposite()) {
            PodGroupState state = snapshot.podGroup(key.namespace(), key.name()).orElseThrow(() -> missing("state"));
            return new GroupTree(key, checked(state.podGroup(), features), members, List.of());
        }
        CompositePodGroupState state =
                snapshot.compositePodGroup(key.namespace(), key.name()).orElseThrow(() -> missing("state"));
        SchedulingGroup known = checked(state.compositePodGroup(), features);
        if (state.children().size() != children.size()) {
            throw new Refused("different number of children in composite pod group between snapshot ("
                    + state.children().size() + ") and queued entity (" + children.size() + ")");
        }
        List<GroupTree> below = new ArrayList<>();
        children.forEach(child -> below.add(child.in(snapshot, features)));
        return new GroupTree(key, known, members, below);
    }

    private SchedulingGroup checked(Optional<? extends SchedulingGroup> object, FeatureGates features) {
        SchedulingGroup known = object.orElse(null);
        if (known == null) {
            throw missing("object");
        }
        if (features.isEnabled(FeatureGates.COMPOSITE_POD_GROUP)
                && !known.parentName().equals(group.parentName())) {
            throw new Refused("different parent in " + kind() + " between snapshot (" + shown(known.parentName())
                    + ") and queued entity (" + shown(group.parentName()) + ")");
        }
        return known;
    }

    private Refused missing(String what) {
        return new Refused(kind() + " " + what + " not found for " + kind() + " " + key.namespace() + "/" + key.name());
    }

    private String kind() {
        return isComposite() ? "composite pod group" : "pod group";
    }

    private static String shown(String name) {
        return name.isEmpty() ? "[unset]" : name;
    }

    /**
     * Returns the profile of the pods. All pods of the groups must have the same scheduler name, priority and preemption
     * policy.
     *
     * @param profiles the profiles by name
     * @param known the groups with their scheduled pods
     * @throws Refused if they differ, or there is no such profile
     */
    public <P> P profile(Map<String, P> profiles, PodGroupLister known, FeatureGates features) {
        boolean hasPolicy = features.isEnabled(FeatureGates.POD_GROUP_PREEMPTION_POLICY);
        List<Pod> pods = new ArrayList<>(unscheduledPods());
        PodSpec first = pods.get(0).spec();
        String policy = policy(hasPolicy ? group.preemptionPolicy().orElse("") : first.preemptionPolicy());
        forEachPodGroup(leaf -> known.podGroup(leaf.key.namespace(), leaf.key.name())
                .map(PodGroupState::scheduledPods)
                .ifPresent(pods::addAll));
        pods.forEach(pod -> check(pod, first.schedulerName(), policy, hasPolicy));
        P profile = profiles.get(first.schedulerName());
        if (profile == null) {
            throw new Refused("profile not found for scheduler name \"" + first.schedulerName() + "\"");
        }
        return profile;
    }

    private void check(Pod pod, String schedulerName, String preemptionPolicy, boolean isPolicyOfGroup) {
        if (!pod.spec().schedulerName().equals(schedulerName)) {
            throw new Refused(ALL + ".spec.schedulerName set, got: \""
                    + pod.spec().schedulerName() + "\" and \"" + schedulerName + "\"");
        }
        if (pod.spec().priority() != group.priority()) {
            throw new Refused(ALL + "priority as the pod group's priority, got "
                    + pod.spec().priority() + " and " + group.priority());
        }
        String policy = policy(pod.spec().preemptionPolicy());
        if (!policy.equals(preemptionPolicy)) {
            throw new Refused(ALL + "preemption policy"
                    + (isPolicyOfGroup ? " as the pod group's preemption policy" : "") + ", got " + policy + " and "
                    + preemptionPolicy);
        }
    }

    private static String policy(String named) {
        return named.isEmpty() ? "PreemptLowerPriority" : named;
    }
}
