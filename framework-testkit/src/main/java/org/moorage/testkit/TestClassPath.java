// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.cfg.PackageVersion;

/**
 * The libraries that the scheduler in a test needs. In a test there is one class path for the plugin and the scheduler, so that an older
 * version of the plugin's displaces the scheduler's; a scheduler that takes the plugin's jar keeps them apart.
 */
final class TestClassPath {
    /** The first that has all that is called. */
    private static final Version OLDEST_JACKSON = new Version(2, 13, 0, null, null, null);

    private TestClassPath() {}

    /**
     * Checks what is on the class path.
     *
     * @throws IllegalStateException if the scheduler cannot run with it
     */
    static void check() {
        check(PackageVersion.VERSION);
    }

    static void check(Version jackson) {
        if (jackson.compareTo(OLDEST_JACKSON) < 0) {
            throw new IllegalStateException(
                    "Jackson " + jackson + " on the class path of the test (expected: "
                            + OLDEST_JACKSON
                            + " or later, which the scheduler in it needs). The plugin's jar may have any version:"
                            + " test it in a module of its own, by PluginJars.load, or take moorage-bom's version for the test");
        }
    }
}
