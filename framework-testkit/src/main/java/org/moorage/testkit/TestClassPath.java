// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.cfg.PackageVersion;

/**
 * The check of the libraries that the scheduler in a test needs. In a test, the plugin and the scheduler share one
 * class path, so an older version from the plugin replaces the scheduler's. A scheduler that loads the plugin's jar
 * isolates them.
 */
final class TestClassPath {
    /** The first version with all methods that are called. */
    private static final Version OLDEST_JACKSON = new Version(2, 13, 0, null, null, null);

    private TestClassPath() {}

    /**
     * Checks the class path.
     *
     * @throws IllegalStateException if the scheduler cannot run with it
     */
    static void check() {
        check(PackageVersion.VERSION);
    }

    static void check(Version jackson) {
        if (jackson.compareTo(OLDEST_JACKSON) < 0) {
            throw new IllegalStateException("Jackson " + jackson + " on the class path of the test (expected: "
                    + OLDEST_JACKSON
                    + " or later, which the scheduler in it needs). The plugin's jar may have any version:"
                    + " test it in a separate module, by PluginJars.load, or take moorage-bom's version for the test");
        }
    }
}
