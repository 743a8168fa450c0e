// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.live;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
        entries.add(applicationClassPath());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                String.join(File.pathSeparator, entries),
                mainClass));
        command.addAll(List.of(args));
        return command;
    }

    // Without the tests themselves, and without examples that are on it: they come as jars.
    private static String applicationClassPath() {
        String tests = Path.of(URI.create(ExampleProject.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .toString();
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> !Path.of(entry).toAbsolutePath().toString().equals(tests)
                        && !entry.contains(File.separator + "examples" + File.separator))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** A port on loopback that nobody listens on. */
    static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
