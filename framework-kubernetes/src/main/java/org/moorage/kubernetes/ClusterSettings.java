// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.moorage.runtime.MonotonicClock;

/**
 * The settings of the communication with an API server.
 *
 * @param qps sustained requests per second, after the burst; 0 or less for no limit. Events have a separate limit of
 *     the same size
 * @param burst the number of requests that may be sent without waiting
 * @param requestTimeout the timeout of a change, and the longest pause in the response to a list
 * @param watches how objects are watched
 * @param backoff the waits after failures to send events, and after unreadable lists and watches
 * @param hostName the machine's name, for events
 * @param metrics records requests
 * @param monotonicClock the clock for durations
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

    /** Returns the name of this machine; {@code localhost} if it has none. */
    public static String ownHostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            return "localhost";
        }
    }

    /** Returns kube-scheduler's settings for a machine of the given name. */
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

    /** Returns these settings with another rate limit. */
    public ClusterSettings withRate(double newQps, int newBurst) {
        return new ClusterSettings(
                newQps, newBurst, requestTimeout, watches, backoff, hostName, metrics, monotonicClock);
    }

    /** Returns these settings with other metrics. */
    public ClusterSettings withMetrics(RequestMetrics told) {
        return new ClusterSettings(qps, burst, requestTimeout, watches, backoff, hostName, told, monotonicClock);
    }

    /** Returns these settings with another clock for durations. */
    public ClusterSettings withMonotonicClock(InstantSource clock) {
        return new ClusterSettings(qps, burst, requestTimeout, watches, backoff, hostName, metrics, clock);
    }
}
