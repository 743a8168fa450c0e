// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.feature;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of Kubernetes without its patch, such as {@code 1.37}.
 *
 * @param major the major version
 * @param minor the minor version
 */
public record MinorVersion(int major, int minor) implements Comparable<MinorVersion> {
    private static final Pattern TEXT = Pattern.compile("v?(\\d{1,9})\\.(\\d{1,9})(?:\\.0+)?");
    private static final Comparator<MinorVersion> ORDER =
            Comparator.comparingInt(MinorVersion::major).thenComparingInt(MinorVersion::minor);

    public MinorVersion {
        if (major < 0 || minor < 0) {
            throw new IllegalArgumentException("version: " + major + "." + minor + " (expected: no negative number)");
        }
    }

    /**
     * Parses a version: {@code 1.37} or {@code v1.37}.
     *
     * @throws IllegalArgumentException if the text is not a version, or has a patch number
     */
    public static MinorVersion parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a version such as 1.37)");
        }
        return new MinorVersion(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    /** Returns whether this is the given version or a later one. */
    public boolean isAtLeast(MinorVersion that) {
        return compareTo(that) >= 0;
    }

    @Override
    public int compareTo(MinorVersion that) {
        return ORDER.compare(this, that);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
