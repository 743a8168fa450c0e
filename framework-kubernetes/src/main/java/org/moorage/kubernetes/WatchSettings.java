// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.time.Duration;
import java.util.Objects;

/**
 * How the objects of an API server are watched.
 *
 * @param length after how long the server is asked to end a watch; some end a little earlier
 * @param grace how long after that a watch may still be silent before its connection counts as lost
 * @param refusal how long the server must refuse to list a kind before that is believed: one that starts may do so for a moment
 * @param reconnect the waits after lists and watches that failed without an answer, or with an error
 * @param lookAgain the waits between looks for a kind that the server does not serve, or does not allow to list
 */
public record WatchSettings(
        Duration length, Duration grace, Duration refusal, RetryBackoff reconnect, RetryBackoff lookAgain) {
    /** A lost connection is noticed within 40 seconds, a server that is back within 4, and a kind that is new within 30. */
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
