// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A project of {@code examples}, in the form in which its users have it: a jar, and a configuration beside it. */
final class ExampleProject {
    private final String name;
    private final Path folder;

    ExampleProject(String name) {
        this.name = name;
        folder = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .resolveSibling("examples")
                .resolve(name);
    }

    Path file(String path) {
        return folder.resolve(path);
    }

    /** The folder with its jar, which must have been built. */
    Path pluginDirectory() {
        Path jar = jar();
        return jar.getParent();
    }

    Path jar() {
        Path jar = folder.resolve("target").resolve(name + "-1.0.jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException(jar + ": not there (expected: built before, with mvn -pl examples/" + name
                    + " -am package -DskipTests)");
        }
        return jar;
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
