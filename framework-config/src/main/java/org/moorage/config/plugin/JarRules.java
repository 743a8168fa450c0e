// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.Objects;

/**
 * What plugins' jars must keep to be loaded.
 *
 * @param checksums the jars that may be loaded
 * @param withoutVersion what becomes of a jar that does not say which version of the plugin API it was built for
 */
public record JarRules(PluginChecksums checksums, WithoutVersion withoutVersion) {
    /** Any jar, and a note for one without a version: for tools that read a cluster from files. */
    public static final JarRules FOR_TOOLS = new JarRules(PluginChecksums.ANY, WithoutVersion.NOTED);

    /** Checks that there is nothing that is null. */
    public JarRules {
        Objects.requireNonNull(checksums, "checksums");
        Objects.requireNonNull(withoutVersion, "withoutVersion");
    }

    /** What becomes of a jar whose manifest has no version of the plugin API. */
    public enum WithoutVersion {
        /** It is taken as built for this version, and a note says so. */
        NOTED,
        /** It is not loaded. */
        REFUSED
    }
}
