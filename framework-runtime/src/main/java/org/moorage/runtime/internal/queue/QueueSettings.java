// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.moorage.api.feature.FeatureGates;

/**
 * The settings of the queue.
 *
 * @param initialBackoff the backoff after the first failed attempt; doubled with each further one
 * @param maxBackoff the maximum backoff; zero for no backoff
 * @param maxInUnschedulable the maximum time that a pod waits for an event
 * @param featureGates the feature gates, such as the one for popping pods early from backoff
 * @param rejectedEarlyPops the maximum number of rejections per second of pods that are popped early; 0 for no limit
 */
public record QueueSettings(
        Duration initialBackoff,
        Duration maxBackoff,
        Duration maxInUnschedulable,
        FeatureGates featureGates,
        int rejectedEarlyPops) {
    /** kube-scheduler's defaults: one second, ten seconds, five minutes. */
    public static final QueueSettings DEFAULTS = new QueueSettings(
            Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(5), FeatureGates.DEFAULTS, 0);

    public QueueSettings {
        demandNotNegative("initialBackoff", initialBackoff);
        demandNotNegative("maxBackoff", maxBackoff);
        demandNotNegative("maxInUnschedulable", maxInUnschedulable);
        if (rejectedEarlyPops < 0) {
            throw new IllegalArgumentException("rejectedEarlyPops: " + rejectedEarlyPops + " (expected: >= 0)");
        }
    }

    boolean popsEarly() {
        return featureGates.isEnabled(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q);
    }

    // kube-scheduler checks all pods if composite pod groups are enabled, since it cannot determine their pods in
    // advance.
    boolean narrowsEvents() {
        return featureGates.isEnabled(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS)
                && !featureGates.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
    }

    // Pods whose backoff ends in the same second are popped by priority; this only matters if pods are popped early.
    PodBackoff backoff() {
        return new PodBackoff(initialBackoff, maxBackoff, popsEarly() ? ChronoUnit.SECONDS : ChronoUnit.NANOS);
    }

    private static void demandNotNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 0)");
        }
    }
}
