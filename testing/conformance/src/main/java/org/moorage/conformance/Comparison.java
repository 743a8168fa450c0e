// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.Objects;

/**
 * A recorded value and Moorage's value.
 *
 * @param what the name of the value, for example {@code filter n3}
 * @param expected kube-scheduler's value
 * @param got Moorage's value
 * @param match the result of the comparison
 * @param plugin the missing plugin that Moorage's value depends on; empty unless the match is open
 */
public record Comparison(String what, String expected, String got, Match match, String plugin) {
    public Comparison {
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(got, "got");
        Objects.requireNonNull(match, "match");
        Objects.requireNonNull(plugin, "plugin");
    }

    /** The result of comparing two values. */
    public enum Match {
        /** The values mean the same. */
        SAME,
        /** The values differ. */
        DIFFERENT,
        /** The value depends on a plugin that is not registered. */
        OPEN,
        /** The recorded scheduler crashed, or refused its plugin's score, so there is no value to compare with. */
        NO_ANSWER
    }

    /** Returns the comparison in one line. */
    @Override
    public String toString() {
        return what + ": " + got + " (expected: " + expected + ")";
    }
}
