// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.Objects;

/**
 * One thing that a recorded answer says, beside what we say.
 *
 * @param what what it is about, for example {@code filter n3}
 * @param expected what kube-scheduler says
 * @param got what we say
 * @param judgement what follows
 * @param plugin the plugin that would have to be there to tell; empty unless the judgement is open
 */
public record Finding(String what, String expected, String got, Judgement judgement, String plugin) {
    public Finding {
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(got, "got");
        Objects.requireNonNull(judgement, "judgement");
        Objects.requireNonNull(plugin, "plugin");
    }

    /** How two answers compare. */
    public enum Judgement {
        /** They mean the same. */
        SAME,
        /** They do not, and it is our fault. */
        DIFFERENT,
        /** Only a plugin that this version does not have could say what kube-scheduler says. */
        OPEN
    }

    /** What, expected and got in one line. */
    @Override
    public String toString() {
        return what + ": " + got + " (expected: " + expected + ")";
    }
}
