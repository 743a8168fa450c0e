// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.moorage.testkit.Ports;

/** A real OPA in a separate process, built from Go modules on first use. */
final class RealOpa implements AutoCloseable {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(10);
    private static final Duration LONGEST_START = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final String AUTHORIZATION = """
            package system.authz

            default allow := false

            allow if input.identity == "%s"
            """;

    private final HttpClient client;
    private final String[] headers;
    private final List<String> more;
    private final Path binary;
    private final Ports ports = new Ports();
    private final String address = "127.0.0.1:" + ports.next();
    private final String url;
    private Process process;

    /** Starts an OPA without authentication. */
    RealOpa() {
        this("http", HttpClient.newHttpClient(), List.of());
    }

    private RealOpa(String scheme, HttpClient client, List<String> more, String... headers) {
        url = scheme + "://" + address;
        this.client = client;
        this.headers = headers;
        this.more = more;
        binary = binary();
        start();
    }

    /** One with a certificate that an authority signs, which answers those who have a token. */
    static RealOpa secured(Path folder, TestAuthority authority, String token) throws IOException {
        TestAuthority.Signed signed = authority.sign("opa", "RSA");
        Path policy = Files.writeString(folder.resolve("authz.rego"), AUTHORIZATION.formatted(token));
        return new RealOpa(
                "https",
                HttpClient.newBuilder().sslContext(authority.trusting()).build(),
                List.of(
                        "--tls-cert-file=" + signed.certificate(),
                        "--tls-private-key-file=" + signed.key(),
                        "--authentication=token",
                        "--authorization=basic",
                        policy.toString()),
                "Authorization",
                "Bearer " + token);
    }

    private static Path binary() {
        Path script = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .resolve("../testing/conformance/cluster/build.sh");
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

    private void start() {
        try {
            List<String> command = new ArrayList<>(
                    List.of(binary.toString(), "run", "--server", "--addr=" + url, "--log-level=error"));
            command.addAll(more);
            process = new ProcessBuilder(command)
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
        return url;
    }

    HttpResponse<String> ask(String method, String path, String body) {
        return ask(client, url, method, path, body, headers);
    }

    static HttpResponse<String> ask(
            HttpClient client, String url, String method, String path, String body, String... headers) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return client.send(request.build(), BodyHandlers.ofString());
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
        ports.close();
    }
}
