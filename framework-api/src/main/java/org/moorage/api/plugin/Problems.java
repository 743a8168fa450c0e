// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The problems of a configuration, collected so that all of them are reported together.
 *
 * <pre>{@code
 * if (weight < 0 || weight > 100) {
 *     problems.at("hardPodAffinityWeight").invalid(weight, "0 to 100");
 * }
 * }</pre>
 */
public final class Problems {
    private final String path;
    private final List<Problem> found;

    private Problems(String path, List<Problem> found) {
        this.path = path;
        this.found = found;
    }

    /**
     * One problem.
     *
     * @param path the path of the value, for example {@code profiles[0].pluginConfig[1].args.bindTimeoutSeconds}
     * @param message the actual and the expected value
     */
    public record Problem(String path, String message) {
        /** Returns path and message in one line. */
        @Override
        public String toString() {
            return path.isEmpty() ? message : path + ": " + message;
        }
    }

    /** Returns an empty collection whose paths start at the current value. */
    public static Problems collector() {
        return new Problems("", new ArrayList<>());
    }

    /** Returns the same collection, for a field of the current value. */
    public Problems at(String field) {
        return new Problems(path.isEmpty() ? field : path + "." + field, found);
    }

    /** Returns the same collection, for an element of the current list. */
    public Problems at(int index) {
        return new Problems(path + "[" + index + "]", found);
    }

    /** Returns the path of the current value. */
    public String path() {
        return path;
    }

    /** Reports a value that is not allowed. */
    public void invalid(Object value, String expected) {
        Objects.requireNonNull(value, "value");
        String shown = value instanceof CharSequence ? "\"" + value + "\"" : value.toString();
        report((value instanceof Duration time ? shown(time) : shown) + " (expected: " + expected + ")");
    }

    // In the format of configurations: -1s and 1ms, where Java has PT-1S and PT0.001S.
    private static String shown(Duration time) {
        if (time.isNegative()) {
            return "-" + shown(time.negated());
        }
        return time.isZero() || time.toSeconds() > 0
                ? time.toString().substring("PT".length()).toLowerCase(Locale.ROOT)
                : BigDecimal.valueOf(time.toNanos(), 6).stripTrailingZeros().toPlainString() + "ms";
    }

    /** Reports a value that is missing. */
    public void missing(String expected) {
        report("missing (expected: " + expected + ")");
    }

    /** Reports a custom message, which should name the actual and the expected value. */
    public void report(String message) {
        found.add(new Problem(path, Objects.requireNonNull(message, "message")));
    }

    /** Returns whether nothing was reported, at this or any other path. */
    public boolean isEmpty() {
        return found.isEmpty();
    }

    /** Returns all problems reported so far, at all paths. */
    public List<Problem> all() {
        return List.copyOf(found);
    }
}
