// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A program that runs next to the test until it is closed. Its output goes to a file. */
public final class RunningProgram implements AutoCloseable {
    private static final Pattern ERROR = Pattern.compile("E\\d{4} ");
    /** Only so that a broken test ends. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final Duration THREAD_DUMP = Duration.ofSeconds(5);

    private final Process process;
    private final Path log;

    private RunningProgram(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    public static RunningProgram start(Path log, List<String> command) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new RunningProgram(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path logFile() {
        return log;
    }

    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of the log for errors, which begin with an E and the date, for example {@code E0412}. */
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
        signal(process.pid(), name);
    }

    static void signal(long pid, String name) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends SIGTERM, and returns the exit code. */
    public int terminate() {
        process.destroy();
        return await();
    }

    /** Waits until the program ends, and returns its exit code. */
    public int await() {
        try {
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                // A JVM answers with its threads, in the log.
                signal("QUIT");
                Waiting.pause(THREAD_DUMP);
                throw new AssertionError("the program did not end within " + LIMIT + "; its log: " + log);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Kills the program. */
    @Override
    public void close() {
        process.destroyForcibly();
        int ignored = await();
    }
}
