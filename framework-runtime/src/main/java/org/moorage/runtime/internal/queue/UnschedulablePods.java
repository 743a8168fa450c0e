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
 * <p>Pods of one profile with the same rejectors are in one group. There are few groups, however many pods there are, and an
 * event that no rejector of a group registered costs nothing for the group's pods. Guarded by the queue's lock.
 */
final class UnschedulablePods {
    private final Map<GroupKey, Group> groupByKey = new LinkedHashMap<>();
    private final Map<String, Group> groupByPod = new HashMap<>();

    /**
     * What the pods of a group have in common.
     *
     * @param profile their scheduler name
     * @param rejectors the plugins that rejected them
     * @param gatedBy the plugin that gates them; empty if none does
     */
    record GroupKey(String profile, RejectorPlugins rejectors, String gatedBy) {
        boolean isGated() {
            return !gatedBy.isEmpty();
        }
    }

    /**
     * A group of pods.
     *
     * @param key what they have in common
     * @param podByKey the pods, in the order in which they came
     */
    private record Group(GroupKey key, Map<String, QueuedPodInfo> podByKey) {}

    Collection<GroupKey> groups() {
        return groupByKey.keySet();
    }

    /** The pods of a group, in the order in which they came. */
    Collection<QueuedPodInfo> of(GroupKey key) {
        Group group = groupByKey.get(key);
        return group == null ? List.of() : group.podByKey().values();
    }

    Optional<QueuedPodInfo> find(String key) {
        Group group = groupByPod.get(key);
        return group == null
                ? Optional.empty()
                : Optional.ofNullable(group.podByKey().get(key));
    }

    /** Adds a pod. While it is here, what decides about its group must not change. */
    void put(QueuedPodInfo queued) {
        remove(queued.key());
        GroupKey key = new GroupKey(queued.pod().spec().schedulerName(), queued.rejectors(), queued.gatedBy());
        Group group = groupByKey.computeIfAbsent(key, absent -> new Group(absent, new LinkedHashMap<>()));
        group.podByKey().put(queued.key(), queued);
        groupByPod.put(queued.key(), group);
    }

    Optional<QueuedPodInfo> remove(String key) {
        Group group = groupByPod.remove(key);
        if (group == null) {
            return Optional.empty();
        }
        Optional<QueuedPodInfo> queued = Optional.ofNullable(group.podByKey().remove(key));
        if (group.podByKey().isEmpty()) {
            groupByKey.remove(group.key());
        }
        return queued;
    }
}
