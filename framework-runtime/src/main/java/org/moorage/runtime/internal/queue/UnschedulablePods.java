// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The unschedulable pods and groups, including gated ones, which wait for an event.
 *
 * <p>Pods of one profile with the same rejectors are in one bucket. There are few buckets, however many pods there are,
 * and an event that no rejector of a bucket registered costs nothing for the bucket's pods. Guarded by the queue's
 * lock.
 */
final class UnschedulablePods {
    private final Map<BucketKey, Bucket> bucketByKey = new LinkedHashMap<>();
    private final Map<String, Bucket> bucketByPod = new HashMap<>();
    private final Map<String, QueuedPodGroupInfo> groupByKey = new LinkedHashMap<>();

    /**
     * The common properties of the pods of a bucket.
     *
     * @param profile their scheduler name
     * @param rejectors the plugins that rejected them
     * @param gatedBy the plugin that gates them; empty if none does
     */
    record BucketKey(String profile, RejectorPlugins rejectors, String gatedBy) {
        boolean isGated() {
            return !gatedBy.isEmpty();
        }
    }

    /**
     * The pods with the same key, which are checked against an event together.
     *
     * @param key their common properties
     * @param podByKey the pods, in insertion order
     */
    private record Bucket(BucketKey key, Map<String, QueuedPodInfo> podByKey) {}

    Collection<BucketKey> buckets() {
        return bucketByKey.keySet();
    }

    /** Returns the pods of a bucket, in insertion order. */
    Collection<QueuedPodInfo> of(BucketKey key) {
        Bucket bucket = bucketByKey.get(key);
        return bucket == null ? List.of() : bucket.podByKey().values();
    }

    /** Returns the pod groups, in insertion order. */
    Collection<QueuedPodGroupInfo> podGroups() {
        return groupByKey.values();
    }

    /** Returns all entities: the pods, bucket by bucket, and then the groups. */
    List<QueuedEntity> values() {
        List<QueuedEntity> values = new ArrayList<>(bucketByPod.size() + groupByKey.size());
        bucketByKey.values().forEach(bucket -> values.addAll(bucket.podByKey().values()));
        values.addAll(groupByKey.values());
        return values;
    }

    Optional<QueuedEntity> find(String key) {
        Bucket bucket = bucketByPod.get(key);
        return bucket == null
                ? Optional.ofNullable(groupByKey.get(key))
                : Optional.ofNullable(bucket.podByKey().get(key));
    }

    /** Adds a pod or a group. While a pod is here, the properties in its bucket key must not change. */
    void put(QueuedEntity queued) {
        if (queued instanceof QueuedPodInfo pod) {
            put(pod);
        } else if (queued instanceof QueuedPodGroupInfo group) {
            groupByKey.put(group.key(), group);
        }
    }

    private void put(QueuedPodInfo pod) {
        Optional<QueuedEntity> ignored = remove(pod.key());
        BucketKey key = new BucketKey(pod.pod().spec().schedulerName(), pod.rejectors(), pod.gatedBy());
        Bucket bucket = bucketByKey.computeIfAbsent(key, absent -> new Bucket(absent, new LinkedHashMap<>()));
        bucket.podByKey().put(pod.key(), pod);
        bucketByPod.put(pod.key(), bucket);
    }

    Optional<QueuedEntity> remove(String key) {
        Bucket bucket = bucketByPod.remove(key);
        if (bucket == null) {
            return Optional.ofNullable(groupByKey.remove(key));
        }
        Optional<QueuedEntity> queued = Optional.ofNullable(bucket.podByKey().remove(key));
        if (bucket.podByKey().isEmpty()) {
            bucketByKey.remove(bucket.key());
        }
        return queued;
    }
}
