// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.moorage.app.command.CommandException;
import org.moorage.app.command.Terminal;
import org.moorage.app.rehearsal.MadeUpApiServer;
import picocli.CommandLine.Command;

/**
 * Starts the scheduler and a simulation on a made-up cluster, and ends. The launchers run it while the JVM records which classes
 * are loaded, so that later starts have them at hand.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Starts on a made-up cluster and ends, for the JVM to record it.")
final class RehearseCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("moorage-rehearsal");
        Path kubeconfig = folder.resolve("kubeconfig");
        Path manifests = folder.resolve("cluster.json");
        ThreadFactory threads = task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setDaemon(true);
            return thread;
        };
        try (MadeUpApiServer server = MadeUpApiServer.start(threads)) {
            Files.writeString(kubeconfig, server.kubeconfig());
            Files.writeString(manifests, MadeUpApiServer.manifests());
            schedule(server, kubeconfig, threads);
            run(new UntilStopped(), "simulate", manifests.toString());
        } finally {
            Files.deleteIfExists(kubeconfig);
            Files.deleteIfExists(manifests);
            Files.deleteIfExists(folder);
        }
        return 0;
    }

    private static void schedule(MadeUpApiServer server, Path kubeconfig, ThreadFactory threads)
            throws IOException, InterruptedException {
        UntilStopped process = new UntilStopped();
        int port = freePort();
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        threads.newThread(() -> ended.complete(run(
                        process,
                        "--kubeconfig=" + kubeconfig,
                        "--leader-elect=false",
                        "--kube-api-qps=1000",
                        "--kube-api-burst=1000",
                        "--bind-address=127.0.0.1",
                        "--secure-port=" + port)))
                .start();
        boolean decided = server.awaitDecisions(LONGEST);
        try {
            BooleanSupplier stop = process.stop.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
            if (!stop.getAsBoolean() || !decided) {
                throw new CommandException(
                        "the made-up pods are not decided on after " + LONGEST.toSeconds() + " s (see what is logged)");
            }
            int ignored = ended.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new CommandException("the scheduler on the made-up cluster does not end: " + e, e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static int run(HostProcess process, String... arguments) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Terminal terminal = Terminal.plain(InputStream.nullInputStream(), nowhere, nowhere, InstantSource.system());
        return Main.run(Additions.NONE, terminal, process, arguments);
    }

    /** Keeps what stops the scheduler. */
    private static final class UntilStopped implements HostProcess {
        private final CompletableFuture<BooleanSupplier> stop = new CompletableFuture<>();

        @Override
        public void onTermination(BooleanSupplier value) {
            stop.complete(value);
        }

        @Override
        public void exit(int code) {
            throw new IllegalStateException("exit " + code + " (expected: none, since no leader is elected)");
        }
    }
}
