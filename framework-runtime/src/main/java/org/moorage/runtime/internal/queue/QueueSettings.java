// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.moorage.api.plugin.FeatureGates;

/**
 * How long pods wait.
 *
 * @param initialBackoff after the first failed attempt; doubled with each further one
 * @param maxBackoff after a failed attempt at most; zero to have no backoff
 * @param maxInUnschedulable for an event at most
 * @param featureGates whether a pod that backs off may be popped early
 * @param rejectedEarlyPops how many of those that are popped early may be rejected in a second; 0 for any number
 */
public record QueueSettings(
        Duration initialBackoff,
        Duration maxBackoff,
        Duration maxInUnschedulable,
        FeatureGates featureGates,
        int rejectedEarlyPops) {
    /** Those of kube-scheduler: one second, ten seconds, five minutes. */
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

    // kube-scheduler looks at all pods again as soon as there are composite pod groups, of which it does not know the
    // pods beforehand.
    boolean narrowsEvents() {
        return featureGates.isEnabled(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS)
                && !featureGates.isEnabled(FeatureGates.COMPOSITE_POD_GROUP);
    }

    // Pods that back off for a whole second the same are popped by priority; where none is popped early,
    // it does not matter.
    PodBackoff backoff() {
        return new PodBackoff(initialBackoff, maxBackoff, popsEarly() ? ChronoUnit.SECONDS : ChronoUnit.NANOS);
    }

    private static void demandNotNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 0)");
        }
    }
}
