// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.Objects;

/**
 * A value of a recorded answer, and ours.
 *
 * @param what what the value is about, for example {@code filter n3}
 * @param expected kube-scheduler's value
 * @param got our value
 * @param match how the two compare
 * @param plugin the missing plugin that our value depends on; empty unless the match is open
 */
public record Comparison(String what, String expected, String got, Match match, String plugin) {
    public Comparison {
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(got, "got");
        Objects.requireNonNull(match, "match");
        Objects.requireNonNull(plugin, "plugin");
    }

    /** How two values compare. */
    public enum Match {
        /** They mean the same. */
        SAME,
        /** They differ. */
        DIFFERENT,
        /** Only a plugin that this version does not have could give the value. */
        OPEN
    }

    /** All of it in one line. */
    @Override
    public String toString() {
        return what + ": " + got + " (expected: " + expected + ")";
    }
}
