// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.moorage.app.internal.report.Terminal;
import org.moorage.testkit.Ports;
import org.moorage.testkit.apiserver.FakeApiServer;

/** The scheduler of the command line, in this process, on a fake API server. */
final class RunningScheduler implements AutoCloseable {
    private final Ports ports;
    private final int port;
    private final CompletableFuture<Integer> ended;
    private final BooleanSupplier stop;

    private RunningScheduler(Ports ports, int port, CompletableFuture<Integer> ended, BooleanSupplier stop) {
        this.ports = ports;
        this.port = port;
        this.ended = ended;
        this.stop = stop;
    }

    /**
     * Starts it; from then on it listens.
     *
     * @param openPath the path that skips authorization
     * @param folder for its files
     */
    static RunningScheduler start(FakeApiServer server, String openPath, Path folder, List<String> flags)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        Ports ports = new Ports();
        int port = ports.next();
        List<String> arguments = new ArrayList<>(List.of(
                "--kubeconfig=" + Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig()),
                "--leader-elect=false",
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--authorization-always-allow-paths=" + openPath));
        arguments.addAll(flags);
        UntilStopped process = new UntilStopped();
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Terminal terminal = Terminal.plain(InputStream.nullInputStream(), nowhere, nowhere, InstantSource.system());
        CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(
                () -> Main.run(Additions.NONE, terminal, process, arguments.toArray(String[]::new)));
        return new RunningScheduler(ports, port, ended, process.stop());
    }

    String address() {
        return "https://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        assertThat(stop.getAsBoolean()).isTrue();
        assertThat(ended.orTimeout(UntilStopped.SECONDS, TimeUnit.SECONDS).join())
                .isZero();
        ports.close();
    }
}
