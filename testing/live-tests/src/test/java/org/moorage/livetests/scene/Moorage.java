// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line of the application, which is started as users start it: by the launcher of the archive. */
public final class Moorage {
    private static final Pattern NOT_ITS_OWN =
            Pattern.compile("[/\\\\]plugins-(opa|safe|sigs|traffic)[/\\\\]|[/\\\\]test-classes[/\\\\]?$");
    private static final String CLASS_PATH = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !NOT_ITS_OWN.matcher(entry).find())
            .collect(Collectors.joining(File.pathSeparator));

    /** Where the first start records what makes the others faster, which the JVM can do for jars. */
    private static final String CACHE =
            Stream.of(CLASS_PATH.split(File.pathSeparator)).allMatch(entry -> entry.endsWith(".jar"))
                    ? target().resolve("cache").toString()
                    : "";

    private Moorage() {}

    public static List<String> command(String... arguments) {
        return command(List.of(), arguments);
    }

    /**
     * As {@link #command(String...)}, with variables of its environment.
     *
     * @param environment each with an equals sign, for example {@code MOORAGE_JAVA_OPTS=-Xmx256m}
     */
    public static List<String> command(List<String> environment, String... arguments) {
        Path deploy = root().resolve("deploy");
        return launched(deploy.resolve("archive").resolve("bin").resolve("moorage"), environment, arguments);
    }

    /** As {@link #command(List, String...)}, with a launcher that has plugins next to it. */
    public static List<String> launched(Path launcher, List<String> environment, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "MOORAGE_CLASSPATH=" + CLASS_PATH,
                "MOORAGE_CACHE=" + CACHE));
        command.addAll(environment);
        command.add(launcher.toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /** Runs another main class with jars in front of the application's class path. */
    public static List<String> java(Path jar, String mainClass, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(javaProgram("java"), "-cp", jar + File.pathSeparator + CLASS_PATH, mainClass));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The path of one of the JDK's programs. */
    public static String javaProgram(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** The checkout's top folder. */
    public static Path root() {
        return module().resolve("../..").normalize();
    }

    /** The folder for what tests leave behind. */
    public static Path target() {
        return module().resolve("target");
    }

    private static Path module() {
        return Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    }
}
