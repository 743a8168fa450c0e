// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The result of an extension point: a {@link Code} and, for a rejection, human-readable reasons.
 *
 * <p>Statuses are immutable and never null. A plugin keeps its rejections as constants, so that returning them
 * allocates nothing:
 *
 * <pre>{@code
 * private static final Status UNSCHEDULABLE_NODE =
 *         Status.unresolvable("node(s) were unschedulable");
 * }</pre>
 */
public final class Status {
    /** The maximum total number of characters of the reasons: the API server's limit for the message of a condition. */
    private static final int MOST_CHARACTERS = 32_768;

    private static final String CUT = " ...";
    private static final Status SUCCESS = new Status(Code.SUCCESS, List.of());
    private static final Status SKIP = new Status(Code.SKIP, List.of());

    private final Code code;
    private final List<String> reasons;

    private Status(Code code, List<String> reasons) {
        this.code = code;
        this.reasons = reasons;
    }

    /**
     * Returns a status. Reasons that exceed 32,768 characters in total are truncated.
     *
     * @throws IllegalArgumentException if an error has no reason, or skip has one
     */
    public static Status of(Code code, List<String> reasons) {
        Objects.requireNonNull(code, "code");
        List<String> bounded = bounded(List.copyOf(reasons));
        if (code == Code.ERROR && bounded.isEmpty() || code == Code.SKIP && !bounded.isEmpty()) {
            throw new IllegalArgumentException("reasons: " + bounded + " (expected: "
                    + (code == Code.ERROR ? "at least one for code " : "none for code ") + code + ")");
        }
        return new Status(code, bounded);
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
            // 2 for the ", " that joins the reasons.
            left -= Math.min(left, length + 2);
        }
        return reasons;
    }

    /** Returns a success. Always the same instance. */
    public static Status success() {
        return SUCCESS;
    }

    /** Returns a skip: the plugin has nothing to do, see {@link Code#SKIP}. Always the same instance. */
    public static Status skip() {
        return SKIP;
    }

    /** Returns a rejection that preemption may resolve. */
    public static Status unschedulable(String... reasons) {
        return of(Code.UNSCHEDULABLE, List.of(reasons));
    }

    /** Returns a rejection that preemption cannot resolve. */
    public static Status unresolvable(String... reasons) {
        return of(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, List.of(reasons));
    }

    /** Returns a rejection whose cause another component is working on, see {@link Code#PENDING}. */
    public static Status pending(String... reasons) {
        return of(Code.PENDING, List.of(reasons));
    }

    /** Returns an error. An exception from a plugin becomes one as well. */
    public static Status error(String reason) {
        return of(Code.ERROR, List.of(reason));
    }

    /** Returns the effect on the cycle. */
    public Code code() {
        return code;
    }

    /**
     * Returns the reasons, which appear in the pod's condition: at least one for an error, none for skip, and for a
     * success only PostFilter's message about the room that it makes.
     */
    public List<String> reasons() {
        return reasons;
    }

    /** Returns whether this is {@link Code#SUCCESS}, so that the cycle continues. */
    public boolean isSuccess() {
        return code == Code.SUCCESS;
    }

    /** Returns whether this is {@link Code#SKIP}. */
    public boolean isSkip() {
        return code == Code.SKIP;
    }

    /** Returns whether the plugin rejected the pod (as opposed to having failed). */
    public boolean isRejection() {
        return code.isRejection();
    }

    /**
     * Returns this rejection.
     *
     * @throws IllegalArgumentException if it is not a rejection; the message has its reasons if it is an error
     */
    public Status requireRejection() {
        if (!isRejection()) {
            String why = code == Code.ERROR ? " \"" + message() + "\"" : "";
            throw new IllegalArgumentException(
                    "status: " + code + why + " (expected: a rejection; a plugin that fails throws)");
        }
        return this;
    }

    /** Returns all reasons in one line, joined by a comma and a space. */
    public String message() {
        return reasons.size() == 1 ? reasons.get(0) : String.join(", ", reasons);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Status that && code == that.code && reasons.equals(that.reasons);
    }

    @Override
    public int hashCode() {
        return Objects.hash(code, reasons);
    }

    @Override
    public String toString() {
        return "Status[code=" + code + ", reasons=" + reasons + "]";
    }
}
