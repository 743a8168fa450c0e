// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A version as <a href="https://semver.org">semver.org</a> defines it. Two are equal if neither goes before the other, so
 * build metadata does not count.
 *
 * @param major the first number
 * @param minor the second number
 * @param patch the third number
 * @param preRelease what tells versions before the release apart; empty for the release
 * @param build what tells builds of one version apart; empty if nothing does
 */
public record SemanticVersion(long major, long minor, long patch, List<String> preRelease, String build)
        implements Comparable<SemanticVersion> {
    private static final String DIGITS = "[0-9]+";

    public SemanticVersion {
        preRelease = List.copyOf(preRelease);
    }

    /**
     * Reads a version.
     *
     * @throws IllegalArgumentException if it is none, in the words of the library that kube-scheduler uses
     */
    public static SemanticVersion parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("Version string empty");
        }
        String[] parts = text.split("\\.", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("No Major.Minor.Patch elements found");
        }
        long major = number("Major", parts[0]);
        long minor = number("Minor", parts[1]);
        String[] build = parts[2].split("\\+", 2);
        String[] release = build[0].split("-", 2);
        SemanticVersion version = new SemanticVersion(
                major,
                minor,
                number("Patch", release[0]),
                release.length == 1 ? List.of() : List.of(release[1].split("\\.", -1)),
                build.length == 1 ? "" : build[1]);
        for (String part : version.preRelease) {
            check(part, "Prerelease is empty", "prerelease");
            if (part.matches("0" + DIGITS)) {
                throw new IllegalArgumentException(
                        "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
            }
        }
        if (build.length == 2) {
            for (String part : version.build.split("\\.", -1)) {
                check(part, "Build meta data is empty", "build meta data");
            }
        }
        return version;
    }

    private static long number(String which, String text) {
        if (!text.isEmpty() && !text.matches(DIGITS)) {
            throw new IllegalArgumentException(
                    "Invalid character(s) found in " + which.toLowerCase(Locale.ROOT) + " number \"" + text + "\"");
        }
        if (text.matches("0" + DIGITS)) {
            throw new IllegalArgumentException(which + " number must not contain leading zeroes \"" + text + "\"");
        }
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException invalid) {
            String problem = text.isEmpty() ? "invalid syntax" : "value out of range";
            throw new IllegalArgumentException("strconv.ParseUint: parsing \"" + text + "\": " + problem, invalid);
        }
    }

    private static void check(String part, String ifEmpty, String where) {
        if (part.isEmpty()) {
            throw new IllegalArgumentException(ifEmpty);
        }
        if (!part.matches("[0-9A-Za-z-]+")) {
            throw new IllegalArgumentException("Invalid character(s) found in " + where + " \"" + part + "\"");
        }
    }

    /** Reads a version that may have a {@code v} before it, leading zeros, and only its first one or two numbers. */
    static SemanticVersion parseTolerantly(String text) {
        String[] parts = (text.startsWith("v") ? text.substring(1) : text).split("\\.", 3);
        for (int i = 0; i < parts.length; i++) {
            if (parts[i].length() > 1) {
                String stripped = parts[i].replaceFirst("^0+", "");
                parts[i] = stripped.isEmpty() || !Character.isDigit(stripped.charAt(0)) ? "0" + stripped : stripped;
            }
        }
        if (parts.length < 3 && !parts[parts.length - 1].matches("[^-+]*")) {
            throw new IllegalArgumentException("short version cannot contain PreRelease/Build meta data");
        }
        StringBuilder complete = new StringBuilder(String.join(".", parts));
        for (int i = parts.length; i < 3; i++) {
            complete.append(".0");
        }
        return parse(complete.toString());
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(major) + "." + Long.toUnsignedString(minor) + "." + Long.toUnsignedString(patch)
                + (preRelease.isEmpty() ? "" : "-" + String.join(".", preRelease))
                + (build.isEmpty() ? "" : "+" + build);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SemanticVersion version && compareTo(version) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(major, minor, patch, preRelease);
    }

    @Override
    public int compareTo(SemanticVersion other) {
        int order = Long.compareUnsigned(major, other.major);
        order = order != 0 ? order : Long.compareUnsigned(minor, other.minor);
        order = order != 0 ? order : Long.compareUnsigned(patch, other.patch);
        if (order != 0 || preRelease.isEmpty() || other.preRelease.isEmpty()) {
            return order != 0 ? order : Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
        }
        int common = Math.min(preRelease.size(), other.preRelease.size());
        for (int i = 0; i < common; i++) {
            order = comparePart(preRelease.get(i), other.preRelease.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(preRelease.size(), other.preRelease.size());
    }

    private static int comparePart(String one, String other) {
        boolean isNumber = one.matches(DIGITS);
        if (isNumber != other.matches(DIGITS)) {
            return isNumber ? -1 : 1;
        }
        // Numbers have no leading zeros, so the longer one is greater.
        return isNumber && one.length() != other.length()
                ? Integer.compare(one.length(), other.length())
                : one.compareTo(other);
    }
}
