// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client of an OPA server. One time limit covers each request from its start to the end of the response body; the
 * size of a response is limited, too. Safe for use by several threads.
 */
final class OpaClient {
    // Fit documents of 5,000 nodes are below 1 MB, and policies are returned with their syntax trees; an unlimited
    // response could use up all memory.
    private static final int MOST_BYTES =
            (int) Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);

    private final String url;
    private final Duration timeout;
    private final String tokenFile;
    private final HttpClient client;

    /** Creates a client with separate connections, which open on demand. */
    OpaClient(OpaPolicy.Args args) {
        url = args.url().endsWith("/") ? args.url().substring(0, args.url().length() - 1) : args.url();
        timeout = args.timeout();
        tokenFile = args.tokenFile();
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        if (!args.caFile().isEmpty()) {
            builder.sslContext(Tls.trusting(Path.of(args.caFile())));
        }
        client = builder.build();
    }

    /** Returns the URL of the server. */
    String url() {
        return url;
    }

    /**
     * Sends a request and returns the response, regardless of its status.
     *
     * @throws PolicyException if there is no response in time
     */
    HttpResponse<String> call(String method, String path, String contentType, String body) {
        return call(
                method, path, contentType, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    }

    /**
     * Sends a request and returns the response, regardless of its status.
     *
     * @throws PolicyException if there is no response in time
     */
    HttpResponse<String> call(String method, String path, String contentType, BodyPublisher body) {
        String asked = "OPA at " + url + ": " + method + " " + path + ": ";
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).method(method, body);
        if (!contentType.isEmpty()) {
            request.header("Content-Type", contentType);
        }
        if (!tokenFile.isEmpty()) {
            request.header("Authorization", "Bearer " + token(asked));
        }
        // HttpRequest.timeout would cover only the time until the response headers.
        CompletableFuture<HttpResponse<String>> sent = client.sendAsync(request.build(), info -> limited());
        try {
            return sent.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new PolicyException(asked + "no answer within " + timeout.toMillis() + "ms", late);
        } catch (ExecutionException failed) {
            Throwable cause = Optional.ofNullable(failed.getCause()).orElse(failed);
            String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            throw new PolicyException(asked + why, cause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PolicyException(asked + "interrupted", interrupted);
        } finally {
            sent.cancel(true);
        }
    }

    private String token(String asked) {
        String token;
        try {
            token = Files.readString(Path.of(tokenFile)).strip();
        } catch (IOException failed) {
            throw new PolicyException(asked + "tokenFile: " + tokenFile + " cannot be read: " + failed, failed);
        }
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new PolicyException(asked + "tokenFile: " + tokenFile + " (expected: a file with one line)");
        }
        return token;
    }

    private static BodySubscriber<String> limited() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BodySubscriber<Void> collected = BodySubscribers.ofByteArrayConsumer(part -> part.ifPresent(more -> {
            if (more.length > MOST_BYTES - bytes.size()) {
                throw new UncheckedIOException(
                        new IOException("an answer of more than " + MOST_BYTES + " bytes (expected: at most that)"));
            }
            bytes.writeBytes(more);
        }));
        return BodySubscribers.mapping(collected, none -> bytes.toString(StandardCharsets.UTF_8));
    }
}
