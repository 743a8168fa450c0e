// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Collects what is wrong with a configuration, so that all of it can be reported at once.
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
     * One thing that is wrong.
     *
     * @param path where, for example {@code profiles[0].pluginConfig[1].args.bindTimeoutSeconds}
     * @param message what was seen and what was expected
     */
    public record Problem(String path, String message) {
        /** Path and message in one line. */
        @Override
        public String toString() {
            return path.isEmpty() ? message : path + ": " + message;
        }
    }

    /** An empty collection whose paths start from here. */
    public static Problems collector() {
        return new Problems("", new ArrayList<>());
    }

    /** The same collection, for a field of the value at hand. */
    public Problems at(String field) {
        return new Problems(path.isEmpty() ? field : path + "." + field, found);
    }

    /** The same collection, for an element of the list at hand. */
    public Problems at(int index) {
        return new Problems(path + "[" + index + "]", found);
    }

    /** The path of the value at hand. */
    public String path() {
        return path;
    }

    /** Reports a value that is not allowed. */
    public void invalid(Object value, String expected) {
        Objects.requireNonNull(value, "value");
        String shown = value instanceof CharSequence ? "\"" + value + "\"" : value.toString();
        report((value instanceof Duration time ? shown(time) : shown) + " (expected: " + expected + ")");
    }

    // As people write them in configurations: -1s and 1ms, where Java has PT-1S and PT0.001S.
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

    /** Reports in other words; they should name what was seen and what was expected. */
    public void report(String message) {
        found.add(new Problem(path, Objects.requireNonNull(message, "message")));
    }

    /** Whether nothing was reported, here or at any other path. */
    public boolean isEmpty() {
        return found.isEmpty();
    }

    /** Everything reported so far, at all paths. */
    public List<Problem> all() {
        return List.copyOf(found);
    }
}
