// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.util.exception.TokenAquisitionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ClusterException;
import org.moorage.objects.ObjectStreams;

/** Sends requests to the API server over client-java's connection, and turns refusals into {@link ClusterException}s. */
final class ApiServer {
    static final String JSON = "application/json";

    // client-java files every kind of credential that goes into a header under this name.
    private static final String[] CREDENTIALS = {"BearerToken"};
    private static final int MOST_TRIES_WHEN_TOLD_TO_WAIT = 10;
    private static final Duration SHORTEST_RETRY = Duration.ofMillis(10);
    private static final int LONGEST_REFUSAL = 64 << 10;
    private static final int LONGEST_SHOWN = 300;

    private final ApiClient client;
    private final OkHttpClient http;
    private final TokenBucket bucket;
    private final Duration limit;
    private final InstantSource clock;
    private final Stopper stopper;
    private final Set<Call> open = ConcurrentHashMap.newKeySet();

    /** What the server answers, as it comes. */
    final class Answer implements AutoCloseable {
        private final Call call;
        private final Response response;

        private Answer(Call call, Response response) {
            this.call = call;
            this.response = response;
        }

        InputStream body() {
            return response.body().byteStream();
        }

        @Override
        public void close() {
            response.close();
            open.remove(call);
        }
    }

    /**
     * An API server.
     *
     * @param client its address and credentials
     * @param connections the connections to it
     * @param bucket limits the requests
     * @param limit how long a request may take, unless it says otherwise
     * @param clock tells the time
     * @param stopper ends all waits
     */
    ApiServer(
            ApiClient client,
            OkHttpClient connections,
            TokenBucket bucket,
            Duration limit,
            InstantSource clock,
            Stopper stopper) {
        this.client = client;
        this.bucket = bucket;
        this.limit = limit;
        this.clock = clock;
        this.stopper = stopper;
        http = connections
                .newBuilder()
                .connectTimeout(limit)
                .readTimeout(limit)
                .writeTimeout(limit)
                .callTimeout(limit)
                .build();
    }

    String address() {
        return client.getBasePath();
    }

    /** Breaks off what is being sent and read. */
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
     * Sends a change. What the server says of its success besides that is not read: it is not always of the type that one
     * would think.
     *
     * @param what the change, for messages
     * @throws ClusterException if the server did not take it, or did not answer
     */
    void change(String what, String method, String path, String contentType, ObjectNode body) {
        send(what, request(what, method, path, Map.of(), new Body(contentType, body, method.equals("POST"))), http)
                .close();
    }

    /**
     * Sends a change of an object, and reads the object as it is after.
     *
     * @param what the change, for messages
     * @throws ClusterException if the server did not take it, or did not answer with an object
     */
    ObjectNode changeObject(String what, String method, String path, String contentType, ObjectNode body) {
        Body sent = new Body(contentType, body, method.equals("POST"));
        try (Answer answer = send(what, request(what, method, path, Map.of(), sent), http)) {
            return ObjectStreams.object(new String(answer.body().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ClusterException(what + ": " + address() + ": " + Failures.shown(e), 0, e);
        }
    }

    /**
     * Asks for something.
     *
     * @param what the question, for messages
     * @param silence how long the answer may let wait for its next part
     * @return an answer that the caller closes
     * @throws ClusterException if the server did not give an answer
     */
    Answer ask(String what, String path, Map<String, String> query, Duration silence) {
        OkHttpClient patient = http.newBuilder()
                .readTimeout(silence)
                .callTimeout(Duration.ZERO)
                .build();
        return send(what, request(what, "GET", path, query, null), patient);
    }

    private Request request(
            String what, String method, String path, Map<String, String> query, @Nullable RequestBody body) {
        HttpUrl base = HttpUrl.parse(address() + path);
        if (base == null) {
            throw new ClusterException(
                    what + ": " + address() + " (expected: an address such as https://127.0.0.1:6443)", 0, null);
        }
        HttpUrl.Builder url = base.newBuilder();
        query.forEach(url::addQueryParameter);
        HttpUrl complete = url.build();
        Map<String, String> headers = new HashMap<>();
        List<Pair> credentials = new ArrayList<>();
        try {
            client.updateParamsForAuth(CREDENTIALS, credentials, headers, new HashMap<>(), "", method, complete.uri());
        } catch (ApiException e) {
            throw new ClusterException(what + ": " + address() + ": " + Failures.shown(e), 0, e);
        }
        Request.Builder request = new Request.Builder()
                .url(complete)
                .method(method, body)
                .header("Accept", JSON)
                .header("User-Agent", "moorage");
        headers.forEach(request::header);
        return request.build();
    }

    private Answer send(String what, Request request, OkHttpClient patient) {
        Instant deadline = clock.instant().plus(limit);
        for (int tries = 1; ; tries++) {
            if (stopper.isStopped() || stopper.stopsWithin(bucket.take())) {
                throw new ClusterException(
                        what + ": " + address() + ": given up, since closed or interrupted", 0, null);
            }
            Call call = patient.newCall(request);
            open.add(call);
            ClusterException refusal;
            Duration wait;
            try {
                Answer answer = new Answer(call, call.execute());
                if (answer.response.isSuccessful()) {
                    return answer;
                }
                try (answer) {
                    refusal = refusal(what, answer.response);
                    wait = retryAfter(answer.response);
                }
            } catch (IOException | TokenAquisitionException e) {
                open.remove(call);
                throw new ClusterException(what + ": " + address() + ": " + Failures.shown(e), 0, e);
            }
            boolean again = !wait.isZero()
                    && tries < MOST_TRIES_WHEN_TOLD_TO_WAIT
                    && clock.instant().plus(wait).isBefore(deadline);
            if (!again || stopper.stopsWithin(wait)) {
                throw refusal;
            }
        }
    }

    // A server that is too busy says when to come again.
    private static Duration retryAfter(Response response) {
        String seconds = response.header("Retry-After", "");
        boolean busy = response.code() == 429 || response.code() >= 500;
        if (!busy || seconds == null || !seconds.matches("[0-9]{1,4}")) {
            return Duration.ZERO;
        }
        Duration wait = Duration.ofSeconds(Integer.parseInt(seconds));
        return wait.isZero() ? SHORTEST_RETRY : wait;
    }

    private static ClusterException refusal(String what, Response response) {
        String reason = response.message();
        String message = "";
        try {
            message = response.peekBody(LONGEST_REFUSAL).string().strip().replace('\n', ' ');
            ObjectNode status = ObjectStreams.object(message);
            message = status.path("message").asText(message);
            reason = status.path("reason").asText(reason);
        } catch (IOException notAStatus) {
            message = message.isEmpty() ? "(no message)" : message;
        }
        String shown = message.length() <= LONGEST_SHOWN ? message : message.substring(0, LONGEST_SHOWN) + "…";
        String code = reason.isEmpty() ? String.valueOf(response.code()) : response.code() + " " + reason;
        return new ClusterException(what + ": " + code + ": " + shown, response.code(), null);
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

        // OkHttp would send a request again when a connection breaks under it. If the server had taken the first one,
        // a binding would then be a conflict with itself.
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
