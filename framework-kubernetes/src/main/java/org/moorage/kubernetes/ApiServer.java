// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.http2.ErrorCode;
import okhttp3.internal.http2.StreamResetException;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.objects.tree.ObjectStreams;

/**
 * Sends requests to the API server, with a client's address and credentials. A failure is a {@link ClusterException}.
 */
final class ApiServer {
    static final String JSON = "application/json";
    static final String JSON_MERGE = "application/merge-patch+json";
    static final String STRATEGIC_MERGE = "application/strategic-merge-patch+json";

    private static final int MAX_TRIES = 10;
    private static final Duration MIN_RETRY_WAIT = Duration.ofMillis(10);
    private static final int MAX_STATUS_BYTES = 64 << 10;
    private static final int MAX_MESSAGE_LENGTH = 300;

    private final ApiClient client;
    private final OkHttpClient http;
    private final TokenBucket bucket;
    private final Semaphore room;
    private final Duration timeout;
    private final InstantSource clock;
    private final StopSignal stop;
    private final RequestMetrics metrics;
    private final Set<Call> open = ConcurrentHashMap.newKeySet();

    /** A successful response, whose body may still be arriving. The caller must close it. */
    final class StreamedResponse implements AutoCloseable {
        private final Call call;
        private final Response response;
        private final MeasuredRequest measured;

        private StreamedResponse(Call call, Response response, MeasuredRequest measured) {
            this.call = call;
            this.response = response;
            this.measured = measured;
        }

        InputStream body() {
            return measured.counted(response.body().byteStream());
        }

        @Override
        public void close() {
            response.close();
            open.remove(call);
            measured.ended(response);
        }
    }

    /**
     * Creates a client of an API server.
     *
     * @param client its address and credentials
     * @param connections the connections to it
     * @param bucket limits the rate of requests
     * @param mostAtOnce the most requests that may wait for a response at the same time
     * @param timeout the timeout of a request; a streamed response has a separate one
     * @param clock the monotonic clock
     * @param stop ends all waits
     * @param metrics records requests
     */
    ApiServer(
            ApiClient client,
            OkHttpClient connections,
            TokenBucket bucket,
            int mostAtOnce,
            Duration timeout,
            InstantSource clock,
            StopSignal stop,
            RequestMetrics metrics) {
        this.client = client;
        this.bucket = bucket;
        room = new Semaphore(mostAtOnce, true);
        this.timeout = timeout;
        this.clock = clock;
        this.stop = stop;
        this.metrics = metrics;
        http = connections
                .newBuilder()
                .eventListener(new DeadConnections(connections.connectionPool()))
                .connectTimeout(timeout)
                .readTimeout(timeout)
                .writeTimeout(timeout)
                .callTimeout(timeout)
                .build();
    }

    String address() {
        return client.address();
    }

    /** Cancels all requests whose responses are not closed. */
    void cancelAll() {
        open.forEach(Call::cancel);
    }

    static String path(ObjectKind<?> kind, String namespace, String name) {
        return collection(kind) + (kind.namespaced() && !namespace.isEmpty() ? "/namespaces/" + namespace : "") + "/"
                + kind.plural() + (name.isEmpty() ? "" : "/" + name);
    }

    private static String collection(ObjectKind<?> kind) {
        return (kind.group().isEmpty() ? "/api/" : "/apis/") + kind.apiVersion();
    }

    /**
     * Sends a change. The body of a successful response is not read: it is a Status for a binding, and the object or a
     * Status for a deletion.
     *
     * @param what the change, for messages
     * @throws ClusterException if the server rejected it, or did not respond
     */
    void change(String what, String method, String path, String contentType, ObjectNode body) {
        sendChange(what, method, path, contentType, body).close();
    }

    private StreamedResponse sendChange(String what, String method, String path, String contentType, ObjectNode body) {
        Body sent = new Body(contentType, body, method.equals("POST"));
        return send(what, request(what, method, path, Map.of(), sent), http);
    }

    /**
     * Sends a change of an object, and returns the object's new resource version; empty if it cannot be read.
     *
     * @param what the change, for messages
     * @throws ClusterException if the server rejected it, or did not respond
     */
    String changeVersion(String what, String method, String path, String contentType, ObjectNode body) {
        try (StreamedResponse response = sendChange(what, method, path, contentType, body)) {
            return ObjectStreams.resourceVersion(new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException taken) {
            // The change was made; callers that need more can read the object.
            return "";
        }
    }

    /**
     * Sends a change of an object, and returns the changed object.
     *
     * @param what the change, for messages
     * @throws ClusterException if the server rejected it, or did not return an object
     */
    ObjectNode changeObject(String what, String method, String path, String contentType, ObjectNode body) {
        try (StreamedResponse response = sendChange(what, method, path, contentType, body)) {
            return ObjectStreams.object(new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ClusterException(what + ": " + address() + ": " + ErrorText.of(e), 0, e);
        }
    }

    /**
     * Reads an object.
     *
     * @param what the request, for messages
     * @throws ClusterException if the server did not return an object
     */
    ObjectNode object(String what, String path) {
        try (StreamedResponse response = send(what, request(what, "GET", path, Map.of(), null), http)) {
            return ObjectStreams.object(new String(response.body().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ClusterException(what + ": " + address() + ": " + ErrorText.of(e), 0, e);
        }
    }

    /**
     * Reads a page.
     *
     * @param what the request, for messages
     * @param longest how many bytes it may have
     * @throws ClusterException if the response was not a success, or was longer
     */
    String page(String what, String path, int longest) {
        try (StreamedResponse response = send(what, request(what, "GET", path, Map.of(), null), http)) {
            byte[] body = response.body().readNBytes(longest + 1);
            if (body.length > longest) {
                throw new ClusterException(
                        what + ": " + address() + ": an answer of more than " + longest + " bytes (expected: less)",
                        0,
                        null);
            }
            return new String(body, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ClusterException(what + ": " + address() + ": " + ErrorText.of(e), 0, e);
        }
    }

    /**
     * Sends a GET request whose response is read as it comes.
     *
     * @param what the request, for messages
     * @param readTimeout how long the next part of the response may take
     * @return the response, which the caller closes
     * @throws ClusterException if the response is not a success
     */
    StreamedResponse get(String what, String path, Map<String, String> query, Duration readTimeout) {
        OkHttpClient streaming = http.newBuilder()
                .readTimeout(readTimeout)
                .callTimeout(Duration.ZERO)
                .build();
        return send(what, request(what, "GET", path, query, null), streaming);
    }

    private Request request(
            String what, String method, String path, Map<String, String> query, @Nullable RequestBody body) {
        HttpUrl base = HttpUrl.parse(address() + path);
        if (base == null) {
            throw ClusterException.notSent(
                    what + ": " + address() + " (expected: an address such as https://127.0.0.1:6443)", null);
        }
        HttpUrl.Builder url = base.newBuilder();
        query.forEach(url::addQueryParameter);
        return new Request.Builder()
                .url(url.build())
                .method(method, body)
                .header("Accept", JSON)
                .header("User-Agent", "moorage")
                .build();
    }

    private StreamedResponse send(String what, Request request, OkHttpClient sender) {
        MeasuredRequest measured = new MeasuredRequest(metrics, request, size(request));
        boolean isAnswered = false;
        try {
            StreamedResponse response = send(what, request, sender, measured);
            isAnswered = true;
            return response;
        } finally {
            if (!isAnswered) {
                measured.endedWithoutAnswer();
            }
        }
    }

    private static long size(Request request) {
        return request.body() instanceof Body body ? body.contentLength() : 0;
    }

    private StreamedResponse send(String what, Request request, OkHttpClient sender, MeasuredRequest measured) {
        Instant deadline = clock.instant().plus(timeout);
        boolean isChange = !request.method().equals("GET");
        boolean mayBeDone = false;
        for (int tries = 1; ; tries++) {
            try {
                return sendOnce(what, request, sender, measured, deadline);
            } catch (ClusterException failure) {
                Duration wait = waitBeforeRetry(failure);
                boolean isRetried = !wait.isZero()
                        && tries < MAX_TRIES
                        && clock.instant().plus(wait).isBefore(deadline);
                if (!isRetried || stop.isSentWithin(wait)) {
                    throw mayBeDone ? withoutCertainty(failure) : failure;
                }
                mayBeDone |= isChange && failure.outcome() == ClusterException.Outcome.UNKNOWN;
            }
        }
    }

    private StreamedResponse sendOnce(
            String what, Request request, OkHttpClient sender, MeasuredRequest measured, Instant deadline) {
        awaitTurn(what, measured, deadline);
        Call call = sender.newCall(request);
        open.add(call);
        boolean isOpen = false;
        try {
            Response response = execute(what, call, measured);
            if (response.isSuccessful()) {
                isOpen = true;
                return new StreamedResponse(call, response, measured);
            }
            try (response) {
                throw failure(what, response);
            }
        } finally {
            if (!isOpen) {
                open.remove(call);
            }
        }
    }

    private static Duration waitBeforeRetry(ClusterException failure) {
        if (failure.getCause() instanceof ApiStatus status) {
            return status.retryAfter();
        }
        // The server has not processed the request, so it is safe to retry on another connection.
        return isNotLookedAt(failure.getCause()) ? MIN_RETRY_WAIT : Duration.ZERO;
    }

    private static boolean isNotLookedAt(@Nullable Throwable cause) {
        return cause instanceof CertificatesChangedException
                || cause instanceof StreamResetException reset && reset.errorCode == ErrorCode.REFUSED_STREAM;
    }

    /**
     * Returns the failure of a change that an earlier try may have made: the last try's failure does not show whether
     * the earlier one succeeded.
     */
    static ClusterException withoutCertainty(ClusterException last) {
        boolean tellsOfObject = last.isNotFound() || last.isConflict();
        return tellsOfObject || last.outcome() == ClusterException.Outcome.UNKNOWN
                ? last
                : new ClusterException(last.getMessage() + ", after a try without a clear answer", 0, last);
    }

    private Response execute(String what, Call call, MeasuredRequest measured) {
        try {
            Response response = call.execute();
            measured.answered(response);
            return response;
        } catch (IOException | RuntimeException e) {
            // Any failure in the client is reported like a server that does not respond.
            measured.unanswered();
            throw unanswered(what, e);
        } finally {
            room.release();
        }
    }

    // Waits for the rate limit and for a permit, which execute() releases after the response.
    private void awaitTurn(String what, MeasuredRequest measured, Instant deadline) {
        long start = System.nanoTime();
        if (stop.isSent() || stop.isSentWithin(bucket.take()) || !hasRoom(what, deadline)) {
            throw ClusterException.notSent(
                    what + ": " + address() + ": abandoned, since the client was closed or the thread interrupted",
                    null);
        }
        measured.waited(System.nanoTime() - start);
    }

    private boolean hasRoom(String what, Instant deadline) {
        try {
            long limit = Math.max(0, Duration.between(clock.instant(), deadline).toNanos());
            if (!room.tryAcquire(limit, TimeUnit.NANOSECONDS)) {
                throw ClusterException.notSent(
                        what + ": " + address() + ": not sent within " + timeout.toSeconds()
                                + " s, since so many requests wait for their answers",
                        null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        if (stop.isSent()) {
            room.release();
            return false;
        }
        return true;
    }

    private ClusterException unanswered(String what, Exception cause) {
        String message = what + ": " + address() + ": " + ErrorText.of(cause);
        boolean isNotSent = cause instanceof ConnectException
                || cause instanceof NoRouteToHostException
                || cause instanceof UnknownHostException
                || cause instanceof CredentialException
                || isNotLookedAt(cause);
        return isNotSent ? ClusterException.notSent(message, cause) : new ClusterException(message, 0, cause);
    }

    // Returns how long a busy server asks to wait; zero if it does not ask.
    private static Duration retryAfter(Response response) {
        String seconds = response.header("Retry-After", "");
        boolean busy = response.code() == 429 || response.code() >= 500;
        if (!busy || seconds == null || !seconds.matches("[0-9]{1,4}")) {
            return Duration.ZERO;
        }
        Duration wait = Duration.ofSeconds(Integer.parseInt(seconds));
        return wait.isZero() ? MIN_RETRY_WAIT : wait;
    }

    private static ClusterException failure(String what, Response response) {
        String reason = response.message();
        String message = "";
        ApiStatus cause;
        try {
            message = response.peekBody(MAX_STATUS_BYTES).string().strip().replace('\n', ' ');
            ObjectNode status = ObjectStreams.object(message);
            message = status.path("message").asText(message);
            reason = status.path("reason").asText(reason);
            boolean namesObject =
                    !status.path("details").path("name").asText("").isEmpty();
            cause = new ApiStatus(reason, namesObject, retryAfter(response));
        } catch (IOException notAStatus) {
            message = message.isEmpty() ? "(no message)" : message;
            cause = ApiStatus.missing(response.code(), retryAfter(response));
        }
        String shown =
                message.length() <= MAX_MESSAGE_LENGTH ? message : message.substring(0, MAX_MESSAGE_LENGTH) + "…";
        String code = reason.isEmpty() ? String.valueOf(response.code()) : response.code() + " " + reason;
        return new ClusterException(what + ": " + code + ": " + shown, response.code(), cause);
    }

    private static final class Body extends RequestBody {
        private final String contentType;
        private final byte[] bytes;
        private final boolean oneShot;

        Body(String contentType, ObjectNode json, boolean oneShot) {
            this.contentType = contentType;
            this.oneShot = oneShot;
            bytes = json.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public @Nullable MediaType contentType() {
            return MediaType.parse(contentType);
        }

        @Override
        public long contentLength() {
            return bytes.length;
        }

        // OkHttp resends a request if the connection breaks. If the server had accepted the first one, a binding would
        // then fail with a conflict.
        @Override
        public boolean isOneShot() {
            return oneShot;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            sink.write(bytes);
        }
    }
}
