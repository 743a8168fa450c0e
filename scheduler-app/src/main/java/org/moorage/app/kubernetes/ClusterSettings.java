// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import java.time.Duration;
import java.util.Objects;

/**
 * How an API server is talked to.
 *
 * @param qps requests a second, once the burst is used up; 0 or less for no limit. Events have a limit of their own of the
 *     same size
 * @param burst requests that may be sent at once
 * @param listTimeout how long {@link KubernetesCluster#watch} may take
 * @param requestTimeout how long a change may take, and how long a list may be silent
 * @param backoff the waits after failures of lists, watches and events
 * @param hostName the machine's name, which events carry
 */
public record ClusterSettings(
        double qps, int burst, Duration listTimeout, Duration requestTimeout, RetryBackoff backoff, String hostName) {
    /** Checks the values. */
    public ClusterSettings {
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(hostName, "hostName");
        if (listTimeout.isNegative()
                || listTimeout.isZero()
                || requestTimeout.isNegative()
                || requestTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "listTimeout: " + listTimeout + ", requestTimeout: " + requestTimeout + " (expected: > 0)");
        }
    }

    /** What kube-scheduler does, on a machine of that name. */
    public static ClusterSettings on(String hostName) {
        return new ClusterSettings(
                50,
                100,
                Duration.ofMinutes(2),
                Duration.ofSeconds(30),
                new RetryBackoff(Duration.ofMillis(800), Duration.ofSeconds(30)),
                hostName);
    }

    /** The same with another limit on requests. */
    public ClusterSettings withRate(double newQps, int newBurst) {
        return new ClusterSettings(newQps, newBurst, listTimeout, requestTimeout, backoff, hostName);
    }

    /** The same with another limit on the first lists. */
    public ClusterSettings withListTimeout(Duration timeout) {
        return new ClusterSettings(qps, burst, timeout, requestTimeout, backoff, hostName);
    }
}
