// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.util.Objects;

/**
 * Settings for watching the objects of an API server.
 *
 * @param length the timeout that is requested for a watch; some watches end a little earlier
 * @param grace how long after that timeout a silent connection counts as lost
 * @param refusal how long the server must refuse to list a kind before that counts: a starting server may refuse
 *     briefly
 * @param reconnect the waits after lists and watches that failed without a response, or with an error
 * @param lookAgain the waits between checks for a kind that the server does not serve or does not allow listing
 */
public record WatchSettings(
        Duration length, Duration grace, Duration refusal, RetryBackoff reconnect, RetryBackoff lookAgain) {
    /** Detects a lost connection within 40 seconds, the end of an outage within 4, and a new kind within 30. */
    public static final WatchSettings DEFAULTS = new WatchSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            new RetryBackoff(Duration.ofMillis(500), Duration.ofSeconds(4)),
            new RetryBackoff(Duration.ofSeconds(20), Duration.ofSeconds(30)));

    /** Checks the values. */
    public WatchSettings {
        Objects.requireNonNull(refusal, "refusal");
        Objects.requireNonNull(reconnect, "reconnect");
        Objects.requireNonNull(lookAgain, "lookAgain");
        if (length.compareTo(Duration.ofSeconds(1)) < 0 || grace.isNegative()) {
            throw new IllegalArgumentException(
                    "length: " + length + ", grace: " + grace + " (expected: at least 1s, and 0 or more)");
        }
    }
}
