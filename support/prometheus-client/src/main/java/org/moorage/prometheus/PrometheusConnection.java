// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Sends requests to a server and limits the time and the size of its responses. Safe for use by several threads. */
final class PrometheusConnection {
    // 5,000 nodes with all their labels are about 2 MB; an endless response would use all memory.
    private static final int MOST_BYTES =
            (int) Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);
    private static final int LONGEST_EXCERPT = 300;

    private final String server;
    private final PrometheusSettings settings;
    private final HttpClient client;
    private final String address;

    /**
     * Creates a connection; sends nothing yet.
     *
     * @param server what the server is, for messages
     * @throws PrometheusException if the CA file cannot be used
     */
    PrometheusConnection(String server, PrometheusSettings settings) {
        this.server = server;
        this.settings = settings;
        address = settings.address().toString().replaceFirst("/+$", "");
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER);
        Trust.of(settings).ifPresent(builder::sslContext);
        client = builder.build();
    }

    /** Returns when a request that is sent now has to be answered, by {@link System#nanoTime}. */
    long deadline() {
        return System.nanoTime() + settings.timeout().toNanos();
    }

    /**
     * Returns a request with credentials.
     *
     * @param path the path below the server's address
     * @param query what follows the path
     */
    HttpRequest.Builder request(String path, String query) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + path + query)).header("Accept", "application/json");
        settings.bearerToken().ifPresent(token -> request.header("Authorization", "Bearer " + token));
        settings.bearerTokenFile()
                .ifPresent(file -> request.header("Authorization", "Bearer " + secret(path, "bearerTokenFile", file)));
        settings.basicAuth().ifPresent(user -> {
            String pair = user.username() + ":" + secret(path, "passwordFile", user.passwordFile());
            byte[] bytes = pair.getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        });
        return request;
    }

    private String secret(String path, String field, Path file) {
        String text;
        try {
            text = Files.readString(file).strip();
        } catch (IOException failed) {
            throw new PrometheusException(prefix(path) + field + ": " + Trust.reason(file, failed), failed);
        }
        if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
            throw failure(path, field + ": " + file + " (expected: a file with one line)");
        }
        return text;
    }

    /** Sends a request and waits for the whole response. */
    HttpResponse<byte[]> send(String path, HttpRequest.Builder request, long deadline) {
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request.build(), info -> limited());
        try {
            return sent.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new PrometheusException(
                    prefix(path) + "no answer within " + settings.timeout().toMillis() + " ms", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PrometheusException(prefix(path) + "interrupted while waiting for the answer", interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = Optional.ofNullable(failed.getCause()).orElse(failed);
            throw new PrometheusException(prefix(path) + reason(cause), cause);
        } finally {
            sent.cancel(true);
        }
    }

    private static BodySubscriber<byte[]> limited() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BodySubscriber<Void> collected = BodySubscribers.ofByteArrayConsumer(part -> part.ifPresent(more -> {
            if (more.length > MOST_BYTES - bytes.size()) {
                String tooLong = "an answer of more than " + MOST_BYTES + " bytes (expected: at most that)";
                throw new UncheckedIOException(tooLong, new IOException(tooLong));
            }
            bytes.writeBytes(more);
        }));
        return BodySubscribers.mapping(collected, none -> bytes.toByteArray());
    }

    private static String reason(Throwable cause) {
        if (cause instanceof ConnectException) {
            return cause.getCause() instanceof UnresolvedAddressException ? "no such host" : "connection refused";
        }
        String message = excerpt(String.valueOf(cause.getMessage()));
        return cause instanceof SSLException ? "TLS: " + message : message;
    }

    /** Describes a response that is not what the server usually sends. */
    String unexpected(HttpResponse<byte[]> response) {
        String body = excerpt(new String(response.body(), StandardCharsets.UTF_8));
        String target =
                response.headers().firstValue("Location").map(to -> " to " + to).orElse("");
        return "HTTP status " + response.statusCode() + target
                + (body.isEmpty() ? "" : ": " + body)
                + " (expected: 200 with an answer of " + server + ")";
    }

    /** Returns the beginning of a text in one line. */
    static String excerpt(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= LONGEST_EXCERPT ? line : line.substring(0, LONGEST_EXCERPT) + "...";
    }

    /** Returns a failure of a request for a path. */
    PrometheusException failure(String path, String what) {
        return new PrometheusException(prefix(path) + what);
    }

    private String prefix(String path) {
        return server + " at " + address + path + ": ";
    }
}
