// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The answer of an extension point: a {@link Code}, and for a rejection the reasons that a person will read.
 *
 * <p>Statuses are immutable and never null. A plugin keeps its rejections as constants, so that answering allocates
 * nothing:
 *
 * <pre>{@code
 * private static final Status UNSCHEDULABLE_NODE =
 *         Status.unresolvable("node(s) were unschedulable");
 * }</pre>
 *
 * @param code what the answer means for the cycle
 * @param reasons why, in the words that end up in the pod's condition; at least one for an error, none for skip, and for a success only
 *     what PostFilter says of the room that it makes
 */
public record Status(Code code, List<String> reasons) {
    /** How many characters the reasons have in all: as many as the API server accepts in the message of a condition. */
    private static final int MOST_CHARACTERS = 32_768;

    private static final String CUT = " ...";
    private static final Status SUCCESS = new Status(Code.SUCCESS, List.of());
    private static final Status SKIP = new Status(Code.SKIP, List.of());

    /**
     * Checks that an error is explained, and cuts reasons that have more than 32,768 characters in all.
     *
     * @throws IllegalArgumentException if an error has no reason, or skip has one
     */
    public Status {
        Objects.requireNonNull(code, "code");
        reasons = bounded(List.copyOf(reasons));
        if (code == Code.ERROR && reasons.isEmpty() || code == Code.SKIP && !reasons.isEmpty()) {
            throw new IllegalArgumentException("reasons: " + reasons + " (expected: "
                    + (code == Code.ERROR ? "at least one for code " : "none for code ") + code + ")");
        }
    }

    private static List<String> bounded(List<String> reasons) {
        int left = MOST_CHARACTERS;
        for (int i = 0; i < reasons.size(); i++) {
            int length = reasons.get(i).length();
            if (length > left) {
                List<String> kept = new ArrayList<>(reasons.subList(0, i));
                kept.add(reasons.get(i).substring(0, Math.max(0, left - CUT.length())) + CUT);
                return List.copyOf(kept);
            }
            // As many as the characters that join them.
            left -= Math.min(left, length + 2);
        }
        return reasons;
    }

    /** No objection. Always the same instance. */
    public static Status success() {
        return SUCCESS;
    }

    /** Nothing to do for this plugin, see {@link Code#SKIP}. Always the same instance. */
    public static Status skip() {
        return SKIP;
    }

    /** A rejection that preemption may resolve. */
    public static Status unschedulable(String... reasons) {
        return new Status(Code.UNSCHEDULABLE, List.of(reasons));
    }

    /** A rejection that preemption cannot resolve. */
    public static Status unresolvable(String... reasons) {
        return new Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, List.of(reasons));
    }

    /** A rejection that somebody else is working on, see {@link Code#PENDING}. */
    public static Status pending(String... reasons) {
        return new Status(Code.PENDING, List.of(reasons));
    }

    /** A failure. What a plugin throws is one, too. */
    public static Status error(String reason) {
        return new Status(Code.ERROR, List.of(reason));
    }

    /** Whether the cycle goes on. */
    public boolean isSuccess() {
        return code == Code.SUCCESS;
    }

    /** Whether this is {@link Code#SKIP}. */
    public boolean isSkip() {
        return code == Code.SKIP;
    }

    /** Whether the plugin rejected the pod (as opposed to having failed). */
    public boolean isRejection() {
        return code.isRejection();
    }

    /** All reasons in one line, joined by a comma and a space. */
    public String message() {
        return reasons.size() == 1 ? reasons.get(0) : String.join(", ", reasons);
    }
}
