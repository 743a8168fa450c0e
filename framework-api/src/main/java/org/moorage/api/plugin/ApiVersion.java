// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of this API. A plugin's jar says in its manifest which one it was built for:
 *
 * <pre>{@code
 * Moorage-Api-Version: 1.2.0
 * }</pre>
 *
 * <p>A scheduler of the API's version {@code major.minor} takes a plugin that was built for the same major version and the same or an
 * earlier minor version. Before version 1 a minor version may leave out what the one before had, so only the same minor version
 * is taken.
 *
 * @param major grows when something is left out or means something else
 * @param minor grows when something is added; before version 1 with any other change as well
 */
public record ApiVersion(int major, int minor) {
    /** The attribute of a jar's manifest. */
    public static final String MANIFEST_ATTRIBUTE = "Moorage-Api-Version";

    /** The version that this is. */
    public static final ApiVersion CURRENT = new ApiVersion(0, 1);

    // As Maven has it. What follows the minor version, a patch or -SNAPSHOT, does not matter.
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})([.\\-+].*)?");

    public ApiVersion {
        if (major < 0 || minor < 0) {
            throw new IllegalArgumentException("version: " + major + "." + minor + " (expected: no negative number)");
        }
    }

    /**
     * The version that a text names, for example {@code 1.2}, {@code 1.2.3} or {@code 1.2.0-SNAPSHOT}.
     *
     * @throws IllegalArgumentException if it names none
     */
    public static ApiVersion parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a version such as " + CURRENT + ")");
        }
        return new ApiVersion(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    /** Whether a scheduler of this version takes plugins that were built for that one. */
    public boolean takes(ApiVersion builtFor) {
        return major == builtFor.major && (major == 0 ? minor == builtFor.minor : minor >= builtFor.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
