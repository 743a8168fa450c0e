// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.runtime.decision.PluginStatus;

/**
 * A group without a parent and all its waiting pods, which are tried together.
 *
 * <p>Its own rejectors stay empty: what rejected an attempt, its members know.
 */
public final class QueuedPodGroupInfo extends QueuedEntity {
    /** The order in which the members of a pod group are tried. */
    static final Comparator<QueuedPodInfo> ORDER = Comparator.<QueuedPodInfo>comparingInt(QueuedPodInfo::priority)
            .thenComparingInt(QueuedPodInfo::attempts)
            .reversed()
            .thenComparing(QueuedPodInfo::timestamp)
            .thenComparing(queued -> queued.pod().name());

    private final GroupKey root;
    private boolean isRepeat;
    private SchedulingGroup group;
    // The members of each pod group that has any, while it waits. Those of a pod group are shared with who knows all
    // that wait.
    private final Map<GroupKey, Collection<QueuedPodInfo>> waiting = new LinkedHashMap<>();
    // The members that no PreEnqueue plugin was asked about since they joined.
    private final Set<QueuedPodInfo> newcomers = new LinkedHashSet<>();
    private @Nullable QueuedPodInfo gatedMember;
    private @Nullable Group tree;
    private List<QueuedPodInfo> members = List.of();

    /**
     * A group and its waiting pods, as it was when it was popped.
     *
     * @param key its key
     * @param object the group
     * @param children the groups whose parent it is, the oldest first; none of a pod group
     * @param members its pods, in the order in which they are to be tried; none of a composite pod group
     */
    public record Group(GroupKey key, SchedulingGroup object, List<Group> children, List<QueuedPodInfo> members) {
        public Group {
            children = List.copyOf(children);
            members = List.copyOf(members);
        }
    }

    QueuedPodGroupInfo(GroupKey root, SchedulingGroup group, Instant timestamp, long number) {
        super(root.toString(), timestamp, number);
        this.root = root;
        this.group = group;
    }

    /** The key of the group without a parent. */
    public GroupKey root() {
        return root;
    }

    /** The group without a parent. Its priority is that of all. */
    public SchedulingGroup group() {
        return group;
    }

    /**
     * The group, the groups below it and their pods.
     *
     * @throws IllegalStateException if it is not popped
     */
    public Group tree() {
        if (tree == null) {
            throw new IllegalStateException("tree: asked for of " + this + ", which waits (expected: a popped group)");
        }
        return tree;
    }

    /** Its pods: after it was popped those of one pod group after the other, each in the order in which they are to be tried. */
    public List<QueuedPodInfo> members() {
        if (tree != null) {
            return members;
        }
        List<QueuedPodInfo> all = new ArrayList<>(size());
        waiting.values().forEach(all::addAll);
        return all;
    }

    /** One of its pods, for those who know no groups: the first to be tried once it is popped. */
    @Override
    public Pod pod() {
        return firstMember().pod();
    }

    @Override
    public int priority() {
        return group.priority();
    }

    @Override
    public RejectorPlugins rejectors() {
        return RejectorPlugins.NONE;
    }

    @Override
    String type() {
        return "podgroup";
    }

    @Override
    int size() {
        if (tree != null) {
            return members.size();
        }
        int size = 0;
        for (Collection<QueuedPodInfo> ofGroup : waiting.values()) {
            size += ofGroup.size();
        }
        return size;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    QueuedPodInfo firstMember() {
        return tree == null ? waiting.values().iterator().next().iterator().next() : members.get(0);
    }

    /** Whether the condition holds for any of its waiting pods. */
    boolean hasMember(Predicate<Pod> condition) {
        for (Collection<QueuedPodInfo> ofGroup : membersByPodGroup()) {
            for (QueuedPodInfo member : ofGroup) {
                if (condition.test(member.pod())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Its waiting pods, those of each pod group. */
    Collection<Collection<QueuedPodInfo>> membersByPodGroup() {
        return waiting.values();
    }

    /** Its last attempt is repeated, with pods that came meanwhile. */
    void repeats() {
        isRepeat = true;
        retractAttempt();
    }

    /** Whether its last attempt is repeated, with pods that came meanwhile. */
    public boolean isRepeat() {
        return isRepeat;
    }

    void replaceGroup(SchedulingGroup current) {
        group = current;
    }

    /** All waiting pods of a pod group join: these, and those that are added to them later, each of which is told of. */
    void join(GroupKey podGroup, Collection<QueuedPodInfo> ofGroup) {
        waiting.put(podGroup, ofGroup);
        newcomers.addAll(ofGroup);
    }

    /** A pod was added to those of a pod group that has joined. */
    void joined(QueuedPodInfo member) {
        newcomers.add(member);
    }

    /** A pod was removed from those of a pod group that has joined. */
    void left(GroupKey podGroup, QueuedPodInfo member) {
        if (Objects.requireNonNull(waiting.get(podGroup)).isEmpty()) {
            waiting.remove(podGroup);
        }
        forget(member);
    }

    /** All waiting pods of a pod group leave; does nothing if it has none here. */
    void leave(GroupKey podGroup) {
        Collection<QueuedPodInfo> ofGroup = waiting.remove(podGroup);
        if (ofGroup != null) {
            ofGroup.forEach(this::forget);
        }
    }

    private void forget(QueuedPodInfo member) {
        newcomers.remove(member);
        if (gatedMember == member) {
            gatedMember = null;
        }
    }

    /** The pod groups that have waiting pods. */
    List<GroupKey> podGroups() {
        return List.copyOf(waiting.keySet());
    }

    /** It is popped as it is in this tree. */
    void popped(Group current) {
        tree = current;
        List<QueuedPodInfo> all = new ArrayList<>();
        addMembers(current, all);
        members = List.copyOf(all);
        waiting.clear();
        newcomers.clear();
        gatedMember = null;
    }

    private static void addMembers(Group from, List<QueuedPodInfo> members) {
        members.addAll(from.members());
        from.children().forEach(child -> addMembers(child, members));
    }

    /** Those who have joined since this was called last. */
    List<QueuedPodInfo> takeNewcomers() {
        List<QueuedPodInfo> taken = List.copyOf(newcomers);
        newcomers.clear();
        return taken;
    }

    /** The member that a PreEnqueue plugin gates and the whole group with it; null if none does, or it has left. */
    @Nullable
    QueuedPodInfo gatedMember() {
        return gatedMember;
    }

    /** A PreEnqueue plugin gates one member, so that it gates all. */
    void gateBy(QueuedPodInfo member) {
        gatedMember = member;
        gate(Objects.requireNonNull(member.gate()));
    }

    void ungateAll() {
        gatedMember = null;
        ungate();
    }

    @Override
    void startAttempt() {
        super.startAttempt();
        members().forEach(QueuedPodInfo::startAttempt);
    }

    @Override
    void becameReady(Instant now) {
        super.becameReady(now);
        members().forEach(member -> member.becameReady(now));
    }

    @Override
    void gate(PluginStatus answer) {
        if (wasFlushed()) {
            members().forEach(QueuedPodInfo::notFlushed);
        }
        super.gate(answer);
    }

    @Override
    void flushed(Instant now) {
        super.flushed(now);
        members().forEach(member -> member.flushed(now));
    }
}
