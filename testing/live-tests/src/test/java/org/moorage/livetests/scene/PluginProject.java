// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A project with plugins, in the form in which its users have it: a jar, and a configuration next to it. */
public final class PluginProject {
    private final String path;
    private final Path folder;

    /**
     * A project of this checkout.
     *
     * @param path from the top, such as {@code plugins-opa}
     */
    public PluginProject(String path) {
        this.path = path;
        folder = Moorage.root().resolve(path);
    }

    public Path file(String name) {
        return folder.resolve(name);
    }

    /** The folder with its jar, which must have been built. */
    public Path pluginDirectory() {
        return jar().getParent();
    }

    public Path jar() {
        Path target = folder.resolve("target");
        List<Path> jars = List.of();
        if (Files.exists(target)) {
            try (Stream<Path> files = Files.list(target)) {
                jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (jars.size() != 1) {
            throw new IllegalStateException(target + ": has the jars " + jars
                    + " (expected: one, built before with mvn -pl " + path + " -am package -DskipTests)");
        }
        return jars.get(0);
    }
}
