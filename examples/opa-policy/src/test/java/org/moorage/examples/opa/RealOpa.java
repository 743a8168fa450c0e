// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A real OPA as a process of its own, built from Go modules if it is not there yet. */
final class RealOpa implements AutoCloseable {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(10);
    private static final Duration LONGEST_START = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path binary;
    private final int port;
    private Process process;

    RealOpa() {
        binary = binary();
        port = freePort();
        start();
    }

    private static Path binary() {
        Path script = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .resolve("../../conformance/cluster/build.sh");
        try {
            Path out = Files.createTempFile("build-opa", ".txt");
            Process build = new ProcessBuilder(script.toString(), "opa")
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            boolean ended = build.waitFor(LONGEST_BUILD.toMillis(), TimeUnit.MILLISECONDS);
            List<String> lines = Files.readAllLines(out);
            Files.delete(out);
            if (!ended || build.exitValue() != 0) {
                throw new IllegalStateException("OPA cannot be built by " + script + " opa: " + lines);
            }
            return Path.of(lines.get(lines.size() - 1)).resolve("opa");
        } catch (IOException e) {
            throw new UncheckedIOException("OPA cannot be built by " + script + " opa", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void start() {
        try {
            process = new ProcessBuilder(
                            binary.toString(), "run", "--server", "--addr=127.0.0.1:" + port, "--log-level=error")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (!isHealthy()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IllegalStateException("OPA does not start: " + binary);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private boolean isHealthy() {
        try {
            return ask("GET", "/health", "").statusCode() == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    /** Ends it at once, and starts another one at the same address, which knows nothing. */
    void restart() {
        stop();
        start();
    }

    void stop() {
        process.destroyForcibly();
        process.onExit().join();
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    HttpResponse<String> ask(String method, String path, String body) {
        return ask(client, url(), method, path, body);
    }

    static HttpResponse<String> ask(HttpClient client, String url, String method, String path, String body) {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(url + path))
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stop();
    }
}
