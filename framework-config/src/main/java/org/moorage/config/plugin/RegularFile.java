// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Opens only regular files. Opening any other file may block forever, such as a pipe without a writer. */
final class RegularFile {
    private RegularFile() {}

    /**
     * Opens it for reading.
     *
     * @throws PluginJarException if it is not there, or is no regular file
     */
    static InputStream open(Path file) throws IOException {
        check(file);
        return Files.newInputStream(file);
    }

    /** Throws if the file does not exist, or is not a regular file. */
    static void check(Path file) {
        if (!Files.exists(file)) {
            throw new PluginJarException(file
                    + (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                            ? ": a link that leads to no file"
                            : ": not there"));
        }
        if (!Files.isRegularFile(file)) {
            throw new PluginJarException(file + ": not a regular file");
        }
    }
}
