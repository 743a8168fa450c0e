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
import org.moorage.runtime.internal.cache.GroupTree;

/**
 * A group without a parent and all its pending pods, which are tried together.
 *
 * <p>Its own rejectors stay empty; its members record the plugins that rejected an attempt.
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
    // The members of each non-empty pod group, while this group is queued. The collections are shared with
    // QueuedGroupMembers.
    private final Map<GroupKey, Collection<QueuedPodInfo>> waiting = new LinkedHashMap<>();
    // The members for which PreEnqueue has not run since they joined.
    private final Set<QueuedPodInfo> newcomers = new LinkedHashSet<>();
    private @Nullable QueuedPodInfo gatedMember;
    private @Nullable GroupTree tree;
    private List<QueuedPodInfo> members = List.of();

    QueuedPodGroupInfo(GroupKey root, SchedulingGroup group, Instant timestamp, long number) {
        super(root.toString(), timestamp, number);
        this.root = root;
        this.group = group;
    }

    public GroupKey root() {
        return root;
    }

    /** Returns the group without a parent. Its priority applies to all members. */
    public SchedulingGroup group() {
        return group;
    }

    /**
     * Returns the group, its descendants and their pods.
     *
     * @throws IllegalStateException if it is not popped
     */
    public GroupTree tree() {
        if (tree == null) {
            throw new IllegalStateException("tree: asked for of " + this + ", which waits (expected: a popped group)");
        }
        return tree;
    }

    @Override
    public List<QueuedPodInfo> members() {
        if (tree != null) {
            return members;
        }
        List<QueuedPodInfo> all = new ArrayList<>(size());
        waiting.values().forEach(all::addAll);
        return all;
    }

    /**
     * Returns one of its pods, for callers that do not handle groups; after it was popped, the first one to be tried.
     */
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

    @Override
    boolean hasMember(Predicate<Pod> condition) {
        return waiting.values().stream().flatMap(Collection::stream).anyMatch(member -> condition.test(member.pod()));
    }

    /** Returns its pending pods, one collection for each pod group. */
    Collection<Collection<QueuedPodInfo>> membersByPodGroup() {
        return waiting.values();
    }

    /** Records that its last attempt is repeated, with pods that arrived meanwhile. */
    void repeats() {
        isRepeat = true;
        retractAttempt();
    }

    /** Returns whether its last attempt is repeated, with pods that arrived meanwhile. */
    public boolean isRepeat() {
        return isRepeat;
    }

    void replaceGroup(SchedulingGroup current) {
        group = current;
    }

    /**
     * Adds all pending pods of a pod group. Pods that are added to the collection later are reported with {@link
     * #joined}.
     */
    void join(GroupKey podGroup, Collection<QueuedPodInfo> ofGroup) {
        waiting.put(podGroup, ofGroup);
        newcomers.addAll(ofGroup);
    }

    /** Reports that a pod was added to a pod group that has joined. */
    void joined(QueuedPodInfo member) {
        newcomers.add(member);
    }

    /** Reports that a pod was removed from a pod group that has joined. */
    void left(GroupKey podGroup, QueuedPodInfo member) {
        if (Objects.requireNonNull(waiting.get(podGroup)).isEmpty()) {
            waiting.remove(podGroup);
        }
        forget(member);
    }

    /** Removes all pending pods of a pod group; has no effect if it has none here. */
    void removeGroup(GroupKey podGroup) {
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

    List<GroupKey> podGroups() {
        return List.copyOf(waiting.keySet());
    }

    /** Records that it is popped, with the members of a tree, in its order. */
    void popped(GroupTree current, List<QueuedPodInfo> ofTree) {
        tree = current;
        members = List.copyOf(ofTree);
        waiting.clear();
        newcomers.clear();
        gatedMember = null;
    }

    /** Returns the members that joined since the last call. */
    List<QueuedPodInfo> takeNewcomers() {
        List<QueuedPodInfo> taken = List.copyOf(newcomers);
        newcomers.clear();
        return taken;
    }

    /**
     * Returns the member that a PreEnqueue plugin gates, which gates the whole group; null if there is none, or it has
     * left.
     */
    @Nullable
    QueuedPodInfo gatedMember() {
        return gatedMember;
    }

    /** Gates the whole group because a PreEnqueue plugin gates one member. */
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
