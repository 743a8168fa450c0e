// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pods that wait for an event, the gated ones included.
 *
 * <p>They are kept in groups of which all pods wait for the same: there are few such groups, however many pods there are, so
 * an event that no rejector of a group waits for costs the group's pods nothing. Guarded by the queue's lock.
 */
final class UnschedulablePods {
    private final Map<GroupKey, Group> groupByCause = new LinkedHashMap<>();
    private final Map<String, Group> groupByKey = new HashMap<>();
    private int gated;

    /**
     * Why pods are parked.
     *
     * @param profile their scheduler name
     * @param rejectors the plugins that rejected them
     * @param gatedBy the plugin that gates them; empty if none does
     */
    record GroupKey(String profile, RejectorPlugins rejectors, String gatedBy) {
        boolean isGate() {
            return !gatedBy.isEmpty();
        }
    }

    /**
     * Pods that are parked for the same cause.
     *
     * @param cause the cause
     * @param entryByKey the pods, in the order of their coming
     */
    private record Group(GroupKey cause, Map<String, QueuedPodInfo> entryByKey) {}

    /** How many pods there are, without the gated ones. */
    int unschedulable() {
        return groupByKey.size() - gated;
    }

    int gated() {
        return gated;
    }

    /** Where an entry is that is here. */
    static SubQueue placeOf(QueuedPodInfo entry) {
        return entry.isGated() ? SubQueue.GATED : SubQueue.UNSCHEDULABLE;
    }

    Collection<GroupKey> causes() {
        return groupByCause.keySet();
    }

    /** The pods that are parked for that cause, in the order of their coming. */
    Collection<QueuedPodInfo> of(GroupKey cause) {
        Group group = groupByCause.get(cause);
        return group == null ? List.of() : group.entryByKey().values();
    }

    Optional<QueuedPodInfo> find(String key) {
        Group group = groupByKey.get(key);
        return group == null
                ? Optional.empty()
                : Optional.ofNullable(group.entryByKey().get(key));
    }

    /** Adds an entry. While it is here, it must not be gated, or given other rejectors. */
    void put(QueuedPodInfo entry) {
        remove(entry.key());
        GroupKey cause = new GroupKey(entry.pod().spec().schedulerName(), entry.rejectors(), entry.gatedBy());
        Group group = groupByCause.computeIfAbsent(cause, absent -> new Group(absent, new LinkedHashMap<>()));
        group.entryByKey().put(entry.key(), entry);
        groupByKey.put(entry.key(), group);
        gated += cause.isGate() ? 1 : 0;
    }

    Optional<QueuedPodInfo> remove(String key) {
        Group group = groupByKey.remove(key);
        if (group == null) {
            return Optional.empty();
        }
        Optional<QueuedPodInfo> entry = Optional.ofNullable(group.entryByKey().remove(key));
        if (group.entryByKey().isEmpty()) {
            groupByCause.remove(group.cause());
        }
        gated -= group.cause().isGate() ? 1 : 0;
        return entry;
    }
}
