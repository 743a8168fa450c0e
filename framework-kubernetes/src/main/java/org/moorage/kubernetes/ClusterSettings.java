// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.moorage.runtime.MonotonicClock;

/**
 * How an API server is talked to.
 *
 * @param qps requests a second, once the burst is used up; 0 or less for no limit. Events have a limit of their own of the
 *     same size
 * @param burst requests that may be sent at once
 * @param requestTimeout how long a change may take, and how long a list may be silent
 * @param watches how objects are watched
 * @param backoff the waits after failures of events, and after lists and watches that cannot be read
 * @param hostName the machine's name, which events carry
 * @param metrics is told of requests
 * @param monotonicClock measures, and never goes back
 */
public record ClusterSettings(
        double qps,
        int burst,
        Duration requestTimeout,
        WatchSettings watches,
        RetryBackoff backoff,
        String hostName,
        RequestMetrics metrics,
        InstantSource monotonicClock) {
    /** Checks the values. */
    public ClusterSettings {
        Objects.requireNonNull(watches, "watches");
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(hostName, "hostName");
        Objects.requireNonNull(metrics, "metrics");
        Objects.requireNonNull(monotonicClock, "monotonicClock");
        if (requestTimeout.isNegative() || requestTimeout.isZero()) {
            throw new IllegalArgumentException("requestTimeout: " + requestTimeout + " (expected: > 0)");
        }
    }

    /** The name that this machine says it has; {@code localhost} if it says none. */
    public static String ownHostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            return "localhost";
        }
    }

    /** What kube-scheduler does, on a machine of that name. */
    public static ClusterSettings on(String hostName) {
        return new ClusterSettings(
                50,
                100,
                Duration.ofSeconds(30),
                WatchSettings.DEFAULTS,
                new RetryBackoff(Duration.ofMillis(800), Duration.ofSeconds(30)),
                hostName,
                RequestMetrics.NONE,
                MonotonicClock.system());
    }

    /** The same with another limit on requests. */
    public ClusterSettings withRate(double newQps, int newBurst) {
        return new ClusterSettings(
                newQps, newBurst, requestTimeout, watches, backoff, hostName, metrics, monotonicClock);
    }

    /** The same with metrics. */
    public ClusterSettings withMetrics(RequestMetrics told) {
        return new ClusterSettings(qps, burst, requestTimeout, watches, backoff, hostName, told, monotonicClock);
    }

    /** The same with another clock for what is measured. */
    public ClusterSettings withMonotonicClock(InstantSource clock) {
        return new ClusterSettings(qps, burst, requestTimeout, watches, backoff, hostName, metrics, clock);
    }
}
