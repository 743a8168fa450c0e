// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A program that runs beside the test until it is closed. What it prints goes to a file. */
public final class RunningProgram implements AutoCloseable {
    private static final Duration LONGEST_STOP = Duration.ofSeconds(15);

    private static final Pattern PLUGINS = Pattern.compile("[/\\\\]plugins-(opa|safe|traffic)[/\\\\]");

    private static final Pattern ERROR = Pattern.compile("E\\d{4} ");

    private final Process process;
    private final Path log;

    private RunningProgram(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    public static RunningProgram start(Path log, List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new RunningProgram(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A port on loopback that nobody listens on. */
    public static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The class path of the application. Without the tests themselves, whose settings for the log are not the application's, and
     * without the plugins that are on it: they come in jars.
     */
    public static String applicationClassPath() {
        String tests = Path.of(URI.create(RunningProgram.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .toString();
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> !Path.of(entry).toAbsolutePath().toString().equals(tests)
                        && !PLUGINS.matcher(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of the log that tell of errors: they begin with an E and the date, for example {@code E0412}. */
    public List<String> errors() {
        return log().lines().filter(line -> ERROR.matcher(line).lookingAt()).toList();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** Sends a signal, for example {@code STOP}. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asks the program to end, as SIGTERM does, and returns its exit code. */
    public int terminate() {
        process.destroy();
        return await(LONGEST_STOP);
    }

    /** Waits until the program ends, and returns its exit code. */
    public int await(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(log + ": the program did not end within " + limit);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
