// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Waiting;

/** {@code moorage extender} with one agent, as a separate process. */
final class ExtenderProcess implements AutoCloseable {
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
            // Three quarters of the manifest's limit of 1Gi.
            List<String> heap = List.of("MOORAGE_JAVA_OPTS=-Xmx768m");
            return new ExtenderProcess(
                    RunningProgram.start(
                            folder.resolve("extender.log"),
                            Moorage.command(heap, "extender", "--config=" + config, "--request-timeout=60s")),
                    port,
                    !tls.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it answers. */
    void awaitHealthy() {
        String ignored = Waiting.await(
                "the extender is healthy", this::health, status -> status.contains(" 200 "), program::logFile);
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
