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
final class ParkedPods {
    private final Map<Cause, Group> groupByCause = new LinkedHashMap<>();
    private final Map<String, Group> groupByKey = new HashMap<>();
    private int gated;

    /**
     * Why pods are parked.
     *
     * @param profile their scheduler name
     * @param rejectors the plugins that rejected them
     * @param gatedBy the plugin that gates them; empty if none does
     */
    record Cause(String profile, Rejectors rejectors, String gatedBy) {
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
    private record Group(Cause cause, Map<String, QueueEntry> entryByKey) {}

    /** How many pods there are, without the gated ones. */
    int unschedulable() {
        return groupByKey.size() - gated;
    }

    int gated() {
        return gated;
    }

    /** Where an entry is that is here. */
    static QueuePlace placeOf(QueueEntry entry) {
        return entry.isGated() ? QueuePlace.GATED : QueuePlace.UNSCHEDULABLE;
    }

    Collection<Cause> causes() {
        return groupByCause.keySet();
    }

    /** The pods that are parked for that cause, in the order of their coming. */
    Collection<QueueEntry> of(Cause cause) {
        Group group = groupByCause.get(cause);
        return group == null ? List.of() : group.entryByKey().values();
    }

    Optional<QueueEntry> find(String key) {
        Group group = groupByKey.get(key);
        return group == null
                ? Optional.empty()
                : Optional.ofNullable(group.entryByKey().get(key));
    }

    /** Adds an entry. While it is here, it must not be gated, or given other rejectors. */
    void put(QueueEntry entry) {
        remove(entry.key());
        Cause cause = new Cause(entry.pod().spec().schedulerName(), entry.rejectors(), entry.gatedBy());
        Group group = groupByCause.computeIfAbsent(cause, absent -> new Group(absent, new LinkedHashMap<>()));
        group.entryByKey().put(entry.key(), entry);
        groupByKey.put(entry.key(), group);
        gated += cause.isGate() ? 1 : 0;
    }

    Optional<QueueEntry> remove(String key) {
        Group group = groupByKey.remove(key);
        if (group == null) {
            return Optional.empty();
        }
        Optional<QueueEntry> entry = Optional.ofNullable(group.entryByKey().remove(key));
        if (group.entryByKey().isEmpty()) {
            groupByCause.remove(group.cause());
        }
        gated -= group.cause().isGate() ? 1 : 0;
        return entry;
    }
}
