// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.Objects;

/**
 * The rules for loading plugin jars.
 *
 * @param checksums the jars that may be loaded
 * @param withoutVersion the treatment of a jar that does not name the plugin API version that it was built for
 */
public record JarRules(PluginChecksums checksums, WithoutVersion withoutVersion) {
    /** Accepts any jar, with a note for one without a version: for tools that read a cluster from files. */
    public static final JarRules FOR_TOOLS = new JarRules(PluginChecksums.ANY, WithoutVersion.NOTED);

    /** Checks that no component is null. */
    public JarRules {
        Objects.requireNonNull(checksums, "checksums");
        Objects.requireNonNull(withoutVersion, "withoutVersion");
    }

    /** The treatment of a jar whose manifest has no plugin API version. */
    public enum WithoutVersion {
        /** The jar is assumed to be built for the current version, with a note. */
        NOTED,
        /** The jar is not loaded. */
        REFUSED
    }
}
