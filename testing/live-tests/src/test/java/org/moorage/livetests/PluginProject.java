// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A project with plugins, in the form in which its users have it: a jar, and a configuration beside it. */
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
        folder = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .getParent()
                .getParent()
                .resolve(path);
    }

    public Path file(String name) {
        return folder.resolve(name);
    }

    /** The folder with its jar, which must have been built. */
    public Path pluginDirectory() {
        return jar().getParent();
    }

    Path jar() {
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

    /** What runs a main class with the application's class path, and these entries in front. */
    static List<String> java(List<Path> classPath, String mainClass, String... args) {
        List<String> entries = new ArrayList<>();
        classPath.forEach(entry -> entries.add(entry.toString()));
        entries.add(RunningProgram.applicationClassPath());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                String.join(File.pathSeparator, entries),
                mainClass));
        command.addAll(List.of(args));
        return command;
    }
}
