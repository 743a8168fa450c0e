// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.moorage.api.GroupKey;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.PodGroups;
import org.moorage.runtime.internal.log.Log;

/**
 * The pending members of pod groups, by pod group. The members of a pod group are all in the same state, which depends
 * on its root, the topmost ancestor:
 *
 * <ul>
 * <li>they are incomplete if the root is unknown;
 * <li>they are pending while the root is in flight, until it returns to the queue with them;
 * <li>otherwise they are in the root's {@link QueuedPodGroupInfo}, which is in one of the sub-queues.
 * </ul>
 *
 * <p>Guarded by the queue's lock.
 */
final class QueuedGroupMembers {
    private static final Log LOG = Log.of(QueuedGroupMembers.class);

    private final boolean areGrouped;
    private final boolean haveComposites;
    private final FeatureGates featureGates;
    private final SubQueues queued;
    // Separate from the cache's groups, so that it is consistent with the queue even if the cache is ahead or behind.
    private PodGroups groups;
    private final Map<GroupKey, Map<String, QueuedPodInfo>> memberByKeyByPodGroup = new LinkedHashMap<>();
    private final Map<GroupKey, QueuedPodGroupInfo> queuedByRoot = new HashMap<>();
    private final Map<GroupKey, QueuedPodGroupInfo> inFlightByRoot = new HashMap<>();

    QueuedGroupMembers(FeatureGates featureGates, SubQueues queued) {
        areGrouped = featureGates.isEnabled(FeatureGates.GENERIC_WORKLOAD);
        haveComposites = featureGates.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
        this.featureGates = featureGates;
        this.queued = queued;
        groups = PodGroups.none(featureGates);
    }

    boolean areGrouped() {
        return areGrouped;
    }

    /**
     * Returns whether a pod is queued as a member of a pod group. A pod with a deferred resize is queued individually.
     */
    boolean isMember(Pod pod) {
        return areGrouped && !pod.spec().podGroupName().isEmpty() && !featureGates.isTriedForResize(pod);
    }

    /** Returns the pending member of that namespace, name and pod group; its UID may differ. */
    Optional<QueuedPodInfo> find(Pod pod) {
        return Optional.ofNullable(memberByKeyByPodGroup
                .getOrDefault(PodGroups.keyOf(pod), Map.of())
                .get(pod.key()));
    }

    /** Returns the queued group that a pod is, or would be, a member of; empty if there is none. */
    Optional<QueuedPodGroupInfo> queuedGroup(Pod member) {
        return groups.root(PodGroups.keyOf(member)).flatMap(root -> Optional.ofNullable(queuedByRoot.get(root)));
    }

    /** Adds a pending member. There must be none of that namespace, name and pod group. */
    void add(QueuedPodInfo member) {
        GroupKey podGroup = PodGroups.keyOf(member.pod());
        Map<String, QueuedPodInfo> memberByKey =
                memberByKeyByPodGroup.computeIfAbsent(podGroup, absent -> new LinkedHashMap<>());
        boolean isFirst = memberByKey.isEmpty();
        memberByKey.put(member.key(), member);
        Optional<GroupKey> root = groups.root(podGroup);
        if (root.isEmpty() || inFlightByRoot.containsKey(root.get())) {
            return;
        }
        QueuedPodGroupInfo group = queuedByRoot.get(root.get());
        if (group == null || isFirst) {
            join(root.get(), podGroup);
        } else {
            group.joined(member);
            queued.changed(group, List.of(member), WellKnownEvents.UNSCHEDULED_POD_ADD.label());
        }
    }

    // Requires that the root is known and not in flight, and that the members of the pod group are not in its entry.
    private void join(GroupKey root, GroupKey podGroup) {
        Collection<QueuedPodInfo> members =
                Objects.requireNonNull(memberByKeyByPodGroup.get(podGroup)).values();
        String event = WellKnownEvents.UNSCHEDULED_POD_ADD.label();
        QueuedPodGroupInfo group = queuedByRoot.get(root);
        if (group != null) {
            group.join(podGroup, members);
            queued.changed(group, members, event);
            return;
        }
        QueuedPodInfo first = members.iterator().next();
        QueuedPodGroupInfo added =
                new QueuedPodGroupInfo(root, groups.group(root).orElseThrow(), first.timestamp(), first.number());
        first.initialAttemptTimestamp().ifPresent(added::becameReady);
        added.join(podGroup, members);
        queuedByRoot.put(root, added);
        SubQueue ignored = queued.toActive(added, event);
    }

    /** Removes the pending member of that UID; returns false if there is none. */
    boolean remove(Pod pod) {
        Optional<QueuedPodInfo> known = find(pod).filter(member -> member.isSamePod(pod));
        if (known.isEmpty()) {
            return false;
        }
        GroupKey podGroup = PodGroups.keyOf(pod);
        Map<String, QueuedPodInfo> memberByKey = Objects.requireNonNull(memberByKeyByPodGroup.get(podGroup));
        memberByKey.remove(pod.key());
        if (memberByKey.isEmpty()) {
            memberByKeyByPodGroup.remove(podGroup);
        }
        Optional<QueuedPodGroupInfo> group = queuedGroup(pod);
        if (group.isPresent()) {
            group.get().left(podGroup, known.get());
            membersLeft(group.get(), WellKnownEvents.UNSCHEDULED_POD_ADD.label());
        }
        return true;
    }

    private void membersLeft(QueuedPodGroupInfo group, String event) {
        if (group.isEmpty()) {
            queuedByRoot.remove(group.root());
            queued.remove(group);
        } else {
            queued.changed(group, List.of(), event);
        }
    }

    /** Adds or updates a group. Incomplete members below it join their root if it is known now. */
    void put(SchedulingGroup group) {
        if (!isUsed(group)) {
            return;
        }
        GroupKey key = PodGroups.keyOf(group);
        Optional<SchedulingGroup> known = groups.group(key);
        if (known.isPresent() && known.get().parentName().equals(group.parentName())) {
            groups = groups.with(group);
            QueuedPodGroupInfo root = queuedByRoot.get(key);
            if (root != null) {
                root.replaceGroup(group);
                boolean ignored = queued.reorder(root);
            }
            return;
        }
        // The API server forbids changing the parent of a group, so this is another group of that name.
        known.ifPresent(this::delete);
        groups = groups.with(group);
        if (groups.root(key).isEmpty()) {
            return;
        }
        for (GroupKey podGroup : groups.podGroups(key)) {
            Optional<GroupKey> root = groups.root(podGroup);
            if (memberByKeyByPodGroup.containsKey(podGroup)
                    && root.isPresent()
                    && !inFlightByRoot.containsKey(root.get())) {
                join(root.get(), podGroup);
            }
        }
    }

    /** Removes a group; the pending members below it become incomplete. */
    void delete(SchedulingGroup group) {
        GroupKey key = PodGroups.keyOf(group);
        boolean isKnown = groups.group(key)
                .filter(known -> known.metadata().uid().equals(group.metadata().uid()))
                .isPresent();
        if (!isKnown) {
            return;
        }
        Optional<QueuedPodGroupInfo> root =
                groups.root(key).flatMap(above -> Optional.ofNullable(queuedByRoot.get(above)));
        List<GroupKey> below = root.isPresent() ? groups.podGroups(key) : List.of();
        groups = groups.without(group);
        if (root.isPresent()) {
            below.forEach(root.get()::removeGroup);
            membersLeft(root.get(), WellKnownEvents.UNSCHEDULED_POD_UPDATE.label());
        }
    }

    private boolean isUsed(SchedulingGroup group) {
        return areGrouped && (haveComposites || !(group instanceof CompositePodGroup));
    }

    /**
     * Pops a group that was removed from the sub-queues for an attempt. Members that are in flight already are skipped;
     * their own attempt returns them.
     *
     * @return whether there is any member to try
     */
    boolean pop(QueuedPodGroupInfo group, InFlightPods inFlight) {
        queuedByRoot.remove(group.root());
        Map<GroupKey, List<QueuedPodInfo>> membersByPodGroup = new HashMap<>();
        for (GroupKey podGroup : group.podGroups()) {
            List<QueuedPodInfo> ofGroup = new ArrayList<>(Objects.requireNonNull(memberByKeyByPodGroup.remove(podGroup))
                    .values());
            ofGroup.removeIf(member -> isInFlight(member, group, inFlight));
            ofGroup.sort(QueuedPodGroupInfo.ORDER);
            if (!ofGroup.isEmpty()) {
                membersByPodGroup.put(podGroup, ofGroup);
            }
        }
        if (membersByPodGroup.isEmpty()) {
            return false;
        }
        List<QueuedPodInfo> members = new ArrayList<>();
        GroupTree tree = groups.tree(group.root(), podGroup -> {
            List<QueuedPodInfo> ofGroup = membersByPodGroup.getOrDefault(podGroup, List.of());
            members.addAll(ofGroup);
            return pods(ofGroup);
        });
        group.popped(tree, members);
        group.startAttempt();
        group.members().forEach(inFlight::add);
        inFlightByRoot.put(group.root(), group);
        return true;
    }

    /**
     * Returns the root of a group, its descendants and their pending members, in the order of an attempt; empty if the
     * root is unknown.
     */
    Optional<GroupTree> tree(GroupKey group) {
        return groups.root(group)
                .map(root -> groups.tree(root, podGroup -> {
                    List<QueuedPodInfo> members = new ArrayList<>(memberByKeyByPodGroup
                            .getOrDefault(podGroup, Map.of())
                            .values());
                    members.sort(QueuedPodGroupInfo.ORDER);
                    return pods(members);
                }));
    }

    private static List<Pod> pods(List<QueuedPodInfo> members) {
        return members.stream().map(QueuedPodInfo::pod).toList();
    }

    private static boolean isInFlight(QueuedPodInfo member, QueuedPodGroupInfo group, InFlightPods inFlight) {
        if (!inFlight.contains(member.pod().uid())) {
            return false;
        }
        LOG.atError()
                .addKeyValue("pod", member)
                .addKeyValue("podGroup", group)
                .log("Discarding the popped pod group member. It's tracked in multiple places in the scheduler");
        return true;
    }

    /**
     * Ends the attempt at a group. If it has pending members now, it is queued again with them: immediately after a
     * success, at its old position if some of them were tried; otherwise after a backoff.
     *
     * @param number the order among entities with the same timestamp
     */
    void attempted(QueuedPodGroupInfo popped, PodGroupOutcome outcome, Instant now, long number, PodBackoff backoff) {
        GroupKey root = popped.root();
        if (!inFlightByRoot.remove(root, popped)) {
            LOG.atError()
                    .addKeyValue("podGroup", popped)
                    .log("Returning pod group is not in flight, so it is forgotten");
            return;
        }
        // Its members are incomplete if it was deleted in the meantime.
        if (!groups.root(root).equals(Optional.of(root))) {
            return;
        }
        QueuedPodGroupInfo returning =
                new QueuedPodGroupInfo(root, groups.group(root).orElseThrow(), now, number);
        Set<String> triedUids = new HashSet<>();
        popped.members().forEach(member -> triedUids.add(member.pod().uid()));
        boolean hasTried = false;
        for (GroupKey podGroup : groups.podGroups(root)) {
            Map<String, QueuedPodInfo> pending = memberByKeyByPodGroup.get(podGroup);
            if (pending != null) {
                returning.join(podGroup, pending.values());
                hasTried |= pending.values().stream()
                        .anyMatch(member -> triedUids.contains(member.pod().uid()));
            }
        }
        if (returning.isEmpty()) {
            return;
        }
        returning.continueFrom(popped);
        switch (outcome) {
            case SUCCESS -> {
                returning.succeeded();
                if (!hasTried) {
                    returning.returned(now, number);
                }
            }
            case REPEAT -> returning.repeats();
            case REJECTED -> returning.failed(true, now, number, backoff);
            case ERROR -> returning.failed(false, now, number, backoff);
        }
        queuedByRoot.put(root, returning);
        SubQueue subQueue = queued.putBack(returning, WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE);
        LOG.atDebug()
                .addKeyValue("podGroup", returning)
                .addKeyValue("event", WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE)
                .addKeyValue("queue", subQueue)
                .log(SubQueues.GROUP_MOVED);
    }

    /**
     * Returns whether members have arrived since a group was popped that can be tried with the others: no PreEnqueue
     * plugin gates any of them, and they have the same scheduler name, priority and preemption policy.
     */
    boolean hasNewcomers(QueuedPodGroupInfo popped) {
        GroupKey root = popped.root();
        if (inFlightByRoot.get(root) != popped || !groups.root(root).equals(Optional.of(root))) {
            return false;
        }
        PodSpec others = popped.firstMember().pod().spec();
        boolean hasAny = false;
        for (GroupKey podGroup : groups.podGroups(root)) {
            for (QueuedPodInfo newcomer :
                    memberByKeyByPodGroup.getOrDefault(podGroup, Map.of()).values()) {
                PodSpec spec = newcomer.pod().spec();
                if (!spec.schedulerName().equals(others.schedulerName())
                        || spec.priority() != others.priority()
                        || !spec.preemptionPolicy().equals(others.preemptionPolicy())
                        || queued.isGated(newcomer)) {
                    return false;
                }
                hasAny = true;
            }
        }
        return hasAny;
    }

    /** Passes the members that are in no sub-queue to an action, with their state, one pod group at a time. */
    void forEachOutsideSubQueues(BiConsumer<SubQueue, Collection<QueuedPodInfo>> action) {
        memberByKeyByPodGroup.forEach((podGroup, memberByKey) -> {
            Optional<GroupKey> root = groups.root(podGroup);
            if (root.isEmpty()) {
                action.accept(SubQueue.INCOMPLETE, memberByKey.values());
            } else if (inFlightByRoot.containsKey(root.get())) {
                action.accept(SubQueue.PENDING, memberByKey.values());
            }
        });
    }

    /** Returns the state of a member whose group is in no sub-queue. */
    SubQueue placeOutsideSubQueues(Pod member) {
        return groups.root(PodGroups.keyOf(member)).isEmpty() ? SubQueue.INCOMPLETE : SubQueue.PENDING;
    }
}
