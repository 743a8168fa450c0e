// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.Comparators;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A version as <a href="https://semver.org">semver.org</a> defines it. Versions that only differ in build metadata are
 * equal.
 *
 * @param major the first number
 * @param minor the second number
 * @param patch the third number
 * @param preRelease the pre-release identifiers; empty for a release
 * @param build the build metadata; empty if there is none
 */
public record SemanticVersion(long major, long minor, long patch, List<String> preRelease, String build)
        implements Comparable<SemanticVersion> {
    private static final String PART = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
    private static final Pattern FORM = Pattern.compile("(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)" + "(?:-("
            + PART + "(?:\\." + PART + ")*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?");
    // Numbers go before texts and have no leading zeros, so the longer one is greater.
    private static final Comparator<String> BY_PART = Comparator.comparingInt(
                    (String part) -> part.matches("[0-9]+") ? part.length() : Integer.MAX_VALUE)
            .thenComparing(Comparator.naturalOrder());
    private static final Comparator<SemanticVersion> ORDER = Comparator.comparing(
                    SemanticVersion::major, Long::compareUnsigned)
            .thenComparing(SemanticVersion::minor, Long::compareUnsigned)
            .thenComparing(SemanticVersion::patch, Long::compareUnsigned)
            .thenComparing(version -> version.preRelease.isEmpty())
            .thenComparing(SemanticVersion::preRelease, Comparators.lexicographical(BY_PART));

    public SemanticVersion {
        preRelease = List.copyOf(preRelease);
    }

    /**
     * Reads a version.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static SemanticVersion parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a version such as 1.10.0)");
        }
        return new SemanticVersion(
                Long.parseUnsignedLong(parts.group(1)),
                Long.parseUnsignedLong(parts.group(2)),
                Long.parseUnsignedLong(parts.group(3)),
                parts.group(4) == null ? List.of() : List.of(parts.group(4).split("\\.")),
                parts.group(5) == null ? "" : parts.group(5));
    }

    /** Reads a version that may have a {@code v} before it, leading zeros, and only its first one or two numbers. */
    static SemanticVersion parseTolerantly(String text) {
        List<String> parts = Stream.of(text.replaceFirst("^v", "").split("\\.", 3))
                .map(part -> part.replaceFirst("^0+(?=[0-9])", ""))
                .toList();
        return parse(parts.stream().collect(Collectors.joining(".", "", ".0".repeat(3 - parts.size()))));
    }

    @Override
    public int compareTo(SemanticVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SemanticVersion that && compareTo(that) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(major, minor, patch, preRelease);
    }

    /** Returns the version as it is written. */
    @Override
    public String toString() {
        String release =
                Long.toUnsignedString(major) + "." + Long.toUnsignedString(minor) + "." + Long.toUnsignedString(patch);
        return release
                + (preRelease.isEmpty() ? "" : "-" + String.join(".", preRelease))
                + (build.isEmpty() ? "" : "+" + build);
    }
}
