// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Posts JSON to extenders with the same TLS settings, and reads their answers. The time limit of a request runs from
 * its start to the end of the answer. Safe for use by several threads.
 */
final class ExtenderConnection implements AutoCloseable {
    // Enough for 10,000 whole nodes. Without a limit, an endless answer would exhaust the memory. At its end an answer
    // takes up to three times its size.
    private static final int MOST_BYTES =
            (int) Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 8);
    private static final int OK = 200;
    // A text in the client library's message for a connection that ends before an answer; it has no separate exception
    // type.
    private static final String NO_ANSWER = "received no bytes";

    private final HttpClient client;
    private final InstantSource clock;
    private final Set<Call> underWay = ConcurrentHashMap.newKeySet();

    ExtenderConnection(HttpClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Starts a request that changes nothing. It is sent once more if an idle connection turns out to be closed. */
    Call ask(String verb, String url, byte[] body, Duration timeout) {
        return start(verb, url, body, timeout, 1);
    }

    /** Starts a request that may change something. It is sent only once. */
    Call post(String verb, String url, byte[] body, Duration timeout) {
        return start(verb, url, body, timeout, 0);
    }

    private Call start(String verb, String url, byte[] body, Duration timeout, int repetitions) {
        Call call = new Call(verb, url, clock, clock.instant().plus(timeout));
        HttpRequest request;
        try {
            request = HttpRequest.newBuilder(address(url))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build();
        } catch (IllegalArgumentException unusable) {
            call.answer.completeExceptionally(unusable);
            return call;
        }
        underWay.add(call);
        send(request, call, repetitions);
        return call;
    }

    private void send(HttpRequest request, Call call, int repetitions) {
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request, call);
        call.request = sent;
        CompletableFuture<HttpResponse<byte[]>> ignored = sent.whenComplete((response, thrown) -> {
            if (repetitions > 0 && !call.answer.isDone() && thrown != null && isClosed(thrown)) {
                send(request, call, repetitions - 1);
                return;
            }
            underWay.remove(call);
            if (thrown != null) {
                call.answer.completeExceptionally(thrown);
            } else {
                call.answer.complete(response.body());
            }
        });
    }

    private static boolean isClosed(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof IOException
                && String.valueOf(cause.getMessage()).contains(NO_ANSWER);
    }

    private static URI address(String url) {
        try {
            URI address = new URI(url);
            String scheme = String.valueOf(address.getScheme());
            if (!scheme.equals("http") && !scheme.equals("https")) {
                throw new IllegalArgumentException(
                        "unsupported protocol scheme \"" + (address.getScheme() == null ? "" : scheme) + "\"");
            }
            return address;
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException(malformed.getReason(), malformed);
        }
    }

    /** Cancels all running requests. */
    @Override
    public void close() {
        underWay.forEach(Call::cancel);
    }

    /** A started request. */
    static final class Call implements HttpResponse.BodyHandler<byte[]> {
        private final String verb;
        private final String url;
        private final InstantSource clock;
        private final Instant deadline;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> request;
        private volatile int status;

        private Call(String verb, String url, InstantSource clock, Instant deadline) {
            this.verb = verb;
            this.url = url;
            this.clock = clock;
            this.deadline = deadline;
        }

        @Override
        public BodySubscriber<byte[]> apply(HttpResponse.ResponseInfo info) {
            status = info.statusCode();
            return status == OK ? limited() : unread();
        }

        /**
         * Waits for the answer.
         *
         * @throws ExtenderException if it does not arrive in time, or reports no success
         */
        byte[] await() {
            try {
                Duration left = Duration.between(clock.instant(), deadline);
                byte[] body = answer.get(Math.max(0, left.toNanos()), TimeUnit.NANOSECONDS);
                if (status != OK) {
                    throw refused();
                }
                return body;
            } catch (TimeoutException late) {
                cancel();
                throw new ExtenderException(
                        status == 0
                                ? post("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
                                : "context deadline exceeded (Client.Timeout or context cancellation while reading body)",
                        false,
                        late);
            } catch (InterruptedException interrupted) {
                cancel();
                Thread.currentThread().interrupt();
                throw new ExtenderException(post("context canceled"), false, interrupted);
            } catch (CancellationException closed) {
                throw new ExtenderException(post("context canceled"), false, closed);
            } catch (ExecutionException failed) {
                // If the status is a failure, the body is not read, and its exception has no meaning.
                throw status != 0 && status != OK
                        ? refused()
                        : failure(failed.getCause() == null ? failed : failed.getCause());
            }
        }

        private ExtenderException refused() {
            return new ExtenderException("failed " + verb + " with extender at URL " + url + ", code " + status);
        }

        private void cancel() {
            answer.cancel(true);
            CompletableFuture<HttpResponse<byte[]>> sent = request;
            if (sent != null) {
                sent.cancel(true);
            }
        }

        private ExtenderException failure(Throwable cause) {
            String host = url.replaceFirst("^[^/]*//", "").replaceFirst("/.*", "");
            if (cause instanceof ConnectException) {
                boolean unknown = cause.getCause() instanceof UnresolvedAddressException
                        || cause.getCause() instanceof UnknownHostException;
                return new ExtenderException(
                        post(
                                unknown
                                        ? "dial tcp: lookup " + host.replaceFirst(":[0-9]+$", "") + ": no such host"
                                        : "dial tcp " + host + ": connect: connection refused"),
                        true,
                        cause);
            }
            if (cause instanceof IllegalArgumentException) {
                return new ExtenderException(post(String.valueOf(cause.getMessage())), true, cause);
            }
            String message = String.valueOf(cause.getMessage());
            if (status != 0) {
                return new ExtenderException(
                        message.contains("fixed content-length")
                                        || message.contains("closed")
                                        || message.contains("EOF")
                                ? "unexpected EOF"
                                : message,
                        false,
                        cause);
            }
            return new ExtenderException(
                    post(message.contains(NO_ANSWER) || message.contains("EOF") ? "EOF" : message), false, cause);
        }

        private String post(String what) {
            return "Post \"" + url + "\": " + what;
        }
    }

    /** Collects a body up to the limit. */
    private static BodySubscriber<byte[]> limited() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BodySubscriber<Void> collected = BodySubscribers.ofByteArrayConsumer(part -> part.ifPresent(more -> {
            if (more.length > MOST_BYTES - bytes.size()) {
                String tooLong = "answer of more than " + MOST_BYTES + " bytes (expected: at most that)";
                throw new UncheckedIOException(tooLong, new IOException(tooLong));
            }
            bytes.writeBytes(more);
        }));
        return BodySubscribers.mapping(collected, none -> bytes.toByteArray());
    }

    /** Closes the connection instead of reading the body, which may be endless. */
    private static BodySubscriber<byte[]> unread() {
        return BodySubscribers.mapping(BodySubscribers.ofInputStream(), body -> {
            try {
                body.close();
            } catch (IOException closed) {
                throw new UncheckedIOException(closed);
            }
            return new byte[0];
        });
    }
}
