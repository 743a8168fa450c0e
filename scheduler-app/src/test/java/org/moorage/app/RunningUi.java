// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
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

/** The command {@code ui} on a port of this machine, in this process, until it is stopped. */
public final class RunningUi {
    private final Ports ports = new Ports();
    private final int port = ports.next();
    private final StringWriter out = new StringWriter();
    private final CompletableFuture<Integer> ended;
    private final BooleanSupplier stopped;

    private RunningUi(List<String> words) throws InterruptedException, ExecutionException, TimeoutException {
        List<String> line = new ArrayList<>(List.of("ui", "--secure-port=" + port));
        line.addAll(words);
        StringWriter err = new StringWriter();
        Terminal terminal = Terminal.plain(
                InputStream.nullInputStream(),
                new PrintWriter(out),
                new PrintWriter(err),
                InstantSource.fixed(Instant.EPOCH));
        UntilStopped process = new UntilStopped();
        ended = CompletableFuture.supplyAsync(
                () -> Main.run(Additions.NONE, terminal, process, line.toArray(String[]::new)),
                // The common pool may have one thread, which another command may have.
                command -> new Thread(command, "ui").start());
        Object ignored = CompletableFuture.anyOf(process.stopping(), ended).get(UntilStopped.SECONDS, TimeUnit.SECONDS);
        assertThat(process.stopping().isDone()).as("runs: " + err).isTrue();
        stopped = process.stop();
    }

    /** Starts the command with these flags and clusters; it is ready when this returns. */
    public static RunningUi of(String... words) throws InterruptedException, ExecutionException, TimeoutException {
        return new RunningUi(List.of(words));
    }

    /** Returns what it has printed. */
    public String printed() {
        return out.toString();
    }

    /** Returns its host and port. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Stops the command, which has to end with 0. */
    public void stop() throws InterruptedException, ExecutionException, TimeoutException {
        assertThat(stopped.getAsBoolean()).isTrue();
        assertThat(ended.get(UntilStopped.SECONDS, TimeUnit.SECONDS)).isZero();
        ports.close();
    }
}
