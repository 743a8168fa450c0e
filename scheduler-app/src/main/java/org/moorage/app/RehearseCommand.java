// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import okhttp3.internal.http2.Http2Connection;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.HostProcess;
import org.moorage.app.internal.rehearsal.RehearsalCluster;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.serving.ServerKeys;
import org.moorage.testkit.Ports;
import org.moorage.testkit.apiserver.FakeApiServer;
import picocli.CommandLine.Command;

/**
 * Starts the scheduler and a simulation on a generated cluster, and ends. The launchers run it while the JVM records
 * which classes are loaded, so that later starts are faster.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Start on a generated cluster and end, for the JVM to record it.")
final class RehearseCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final String CLASS = ".class";
    private static final String GATES = "--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true";
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            clientConnection:
              kubeconfig: '%s'
              qps: 1000
              burst: 1000
            leaderElection:
              leaderElect: false
            profiles:
            - schedulerName: default-scheduler
              percentageOfNodesToScore: 0
              plugins:
                multiPoint:
                  enabled:
                  - name: ImageLocality
                    weight: 1
              pluginConfig:
              - name: NodeResourcesFit
                args:
                  scoringStrategy:
                    type: LeastAllocated
                    resources:
                    - name: cpu
                      weight: 1
            """;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("moorage-rehearsal");
        Path kubeconfig = folder.resolve("kubeconfig");
        Path manifests = folder.resolve("cluster.json");
        Path config = folder.resolve("scheduler.yaml");
        try (Ports ports = new Ports();
                FakeApiServer server = FakeApiServer.start(tls())) {
            server.put(RehearsalCluster.manifests());
            Files.writeString(kubeconfig, server.kubeconfig());
            Files.writeString(manifests, RehearsalCluster.manifests());
            Files.writeString(config, String.format(Locale.ROOT, CONFIG, kubeconfig));
            loadHttp2();
            schedule(server, config, ports.next());
            run(new UntilStopped(), "simulate", GATES, manifests.toString());
        } finally {
            Files.deleteIfExists(kubeconfig);
            Files.deleteIfExists(manifests);
            Files.deleteIfExists(config);
            Files.deleteIfExists(folder);
        }
        return 0;
    }

    private static SSLContext tls() {
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(new KeyManager[] {ServerKeys.selfSigned("localhost", InstantSource.system())}, null, null);
            return tls;
        } catch (GeneralSecurityException e) {
            throw new CommandException("TLS is not available: " + e, e);
        }
    }

    // API servers speak HTTP/2, the fake one HTTP/1.1.
    private static void loadHttp2() throws IOException {
        String folder = Http2Connection.class.getPackageName().replace('.', '/') + "/";
        URL source = Http2Connection.class.getProtectionDomain().getCodeSource().getLocation();
        try (JarFile jar = new JarFile(Path.of(source.toURI()).toFile())) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.startsWith(folder) && name.endsWith(CLASS)) {
                    Class<?> ignored = Class.forName(
                            name.substring(0, name.length() - CLASS.length()).replace('/', '.'));
                }
            }
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IOException(source + ": " + e, e);
        }
    }

    private static void schedule(FakeApiServer server, Path config, int port) throws IOException, InterruptedException {
        UntilStopped process = new UntilStopped();
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        Thread scheduler = Executors.defaultThreadFactory()
                .newThread(() -> ended.complete(run(
                        process, "--config=" + config, GATES, "--bind-address=127.0.0.1", "--secure-port=" + port)));
        scheduler.setDaemon(true);
        scheduler.start();
        try {
            RehearsalCluster.awaitDecisions(server);
            BooleanSupplier stop = process.stop.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
            if (!stop.getAsBoolean()) {
                throw new CommandException("the scheduler on the generated cluster does not stop (see the log)");
            }
            int ignored = ended.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new CommandException("the scheduler on the generated cluster does not end: " + e, e);
        } catch (AssertionError e) {
            throw new CommandException("the generated pods are not all decided on (see the log): " + e.getMessage(), e);
        }
    }

    private static int run(HostProcess process, String... arguments) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Terminal terminal = Terminal.plain(InputStream.nullInputStream(), nowhere, nowhere, InstantSource.system());
        return Main.run(Additions.NONE, terminal, process, arguments);
    }

    /** A process that keeps the action that stops the scheduler. */
    private static final class UntilStopped implements HostProcess {
        private final CompletableFuture<BooleanSupplier> stop = new CompletableFuture<>();

        @Override
        public void logPrints() {
            // The process is the command's, which prints itself.
        }

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
