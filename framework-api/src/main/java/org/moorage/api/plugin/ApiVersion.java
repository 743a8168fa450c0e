// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of this API. The manifest of a plugin's jar names the version that the plugin was built for:
 *
 * <pre>{@code
 * Moorage-Api-Version: 1.2.0
 * }</pre>
 *
 * <p>A scheduler with API version {@code major.minor} accepts plugins that were built for the same major version and
 * the same or an earlier minor version. Before version 1, a minor version may remove parts of the API, so only the same
 * minor version is accepted.
 *
 * @param major incremented when something is removed or changes its meaning
 * @param minor incremented when something is added; before version 1 for every other change as well
 */
public record ApiVersion(int major, int minor) {
    /** The name of the attribute in a jar's manifest. */
    public static final String MANIFEST_ATTRIBUTE = "Moorage-Api-Version";

    /** The version of this API. */
    public static final ApiVersion CURRENT = new ApiVersion(0, 1);

    // Maven's version format. Everything after the minor version, such as a patch version or -SNAPSHOT, is ignored.
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})([.\\-+].*)?");

    public ApiVersion {
        if (major < 0 || minor < 0) {
            throw new IllegalArgumentException("version: " + major + "." + minor + " (expected: no negative number)");
        }
    }

    /**
     * Parses a version, for example {@code 1.2}, {@code 1.2.3} or {@code 1.2.0-SNAPSHOT}.
     *
     * @throws IllegalArgumentException if the text is not a version
     */
    public static ApiVersion parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a version such as " + CURRENT + ")");
        }
        return new ApiVersion(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    /** Returns whether a scheduler with this API version accepts plugins that were built for the given version. */
    public boolean takes(ApiVersion builtFor) {
        return major == builtFor.major && (major == 0 ? minor == builtFor.minor : minor >= builtFor.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
