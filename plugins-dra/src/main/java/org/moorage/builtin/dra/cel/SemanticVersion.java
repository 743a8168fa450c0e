// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
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
public record SemanticVersion(
        BigInteger major, BigInteger minor, BigInteger patch, List<String> preRelease, String build)
        implements Comparable<SemanticVersion> {
    private static final BigInteger MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
    private static final String DIGITS = "[0-9]+";
    private static final String ALPHANUMERIC = "[0-9A-Za-z-]+";

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
        BigInteger major = number("major", parts[0]);
        BigInteger minor = number("minor", parts[1]);
        String rest = parts[2];
        int plus = rest.indexOf('+');
        String build = plus < 0 ? "" : rest.substring(plus + 1);
        String release = plus < 0 ? rest : rest.substring(0, plus);
        int dash = release.indexOf('-');
        String patch = dash < 0 ? release : release.substring(0, dash);
        SemanticVersion version = new SemanticVersion(
                major,
                minor,
                number("patch", patch),
                dash < 0 ? List.of() : preRelease(release.substring(dash + 1)),
                build);
        if (plus >= 0) {
            for (String part : build.split("\\.", -1)) {
                if (part.isEmpty()) {
                    throw new IllegalArgumentException("Build meta data is empty");
                }
                if (!part.matches(ALPHANUMERIC)) {
                    throw new IllegalArgumentException(
                            "Invalid character(s) found in build meta data \"" + part + "\"");
                }
            }
        }
        return version;
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
        return major + "." + minor + "." + patch + (preRelease.isEmpty() ? "" : "-" + String.join(".", preRelease))
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

    private static BigInteger number(String which, String text) {
        if (!text.matches(DIGITS)) {
            throw text.isEmpty()
                    ? new IllegalArgumentException("strconv.ParseUint: parsing \"\": invalid syntax")
                    : new IllegalArgumentException(
                            "Invalid character(s) found in " + which + " number \"" + text + "\"");
        }
        if (hasLeadingZero(text)) {
            String name = Character.toUpperCase(which.charAt(0)) + which.substring(1);
            throw new IllegalArgumentException(name + " number must not contain leading zeroes \"" + text + "\"");
        }
        BigInteger value = new BigInteger(text);
        if (value.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("strconv.ParseUint: parsing \"" + text + "\": value out of range");
        }
        return value;
    }

    private static List<String> preRelease(String text) {
        List<String> parts = new ArrayList<>();
        for (String part : text.split("\\.", -1)) {
            if (part.isEmpty()) {
                throw new IllegalArgumentException("Prerelease is empty");
            }
            if (part.matches(DIGITS) && hasLeadingZero(part)) {
                throw new IllegalArgumentException(
                        "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
            }
            if (!part.matches(ALPHANUMERIC)) {
                throw new IllegalArgumentException("Invalid character(s) found in prerelease \"" + part + "\"");
            }
            parts.add(part);
        }
        return parts;
    }

    private static boolean hasLeadingZero(String digits) {
        return digits.length() > 1 && digits.charAt(0) == '0';
    }

    @Override
    public int compareTo(SemanticVersion other) {
        int order = major.compareTo(other.major);
        order = order != 0 ? order : minor.compareTo(other.minor);
        order = order != 0 ? order : patch.compareTo(other.patch);
        if (order != 0) {
            return order;
        }
        if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
            return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
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
        int order = isNumber ? new BigInteger(one).compareTo(new BigInteger(other)) : one.compareTo(other);
        return Integer.signum(order);
    }
}
