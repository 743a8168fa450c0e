// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.moorage.livetests.RunningProgram;

/** {@code moorage extender} with one agent, as a process of its own. */
final class ExtenderProcess implements AutoCloseable {
    /** As bin/moorage has it, with three quarters of the manifest's limit of 1Gi as heap. */
    private static final List<String> JAVA = List.of(
            "-Xmx768m",
            "-XX:+UseSerialGC",
            "-XX:NewSize=8m",
            "-XX:MaxNewSize=64m",
            "-XX:InitialHeapSize=28m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError");

    private final RunningProgram program;
    private final int port;
    private final boolean isSecure;

    private ExtenderProcess(RunningProgram program, int port, boolean isSecure) {
        this.program = program;
        this.port = port;
        this.isSecure = isSecure;
    }

    /**
     * Starts one.
     *
     * @param folder where its files go
     * @param tls the setting {@code tls} of the agent, empty for none
     */
    static ExtenderProcess start(Path folder, int port, String tls) {
        try {
            Path config = Files.writeString(
                    folder.resolve("extender.yaml"), """
                    apiVersion: moorage.org/v1
                    kind: ExtenderConfiguration
                    agents:
                    - name: team
                      port: %d
                      tls: %s
                      plugins: [{name: TaintToleration}]
                    """.formatted(port, tls.isEmpty() ? "null" : tls));
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(JAVA);
            command.addAll(List.of(
                    "-cp",
                    RunningProgram.applicationClassPath(),
                    "org.moorage.app.Main",
                    "extender",
                    "--config=" + config,
                    "--request-timeout=60s"));
            return new ExtenderProcess(
                    RunningProgram.start(folder.resolve("extender.log"), command), port, !tls.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it answers. */
    void awaitHealthy() {
        Duration limit = Duration.ofSeconds(60);
        Duration took = Waiting.until(limit, () -> health().contains(" 200 "));
        if (took.compareTo(limit) > 0) {
            throw new AssertionError("extender: " + health() + "\n" + program.log());
        }
    }

    private String health() {
        return HealthProbes.status(port, isSecure, "/healthz");
    }

    /** Begins to ask for its health. */
    HealthProbes probes() {
        return HealthProbes.of("the extender", port, isSecure, "/healthz");
    }

    RunningProgram program() {
        return program;
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        program.close();
    }
}
