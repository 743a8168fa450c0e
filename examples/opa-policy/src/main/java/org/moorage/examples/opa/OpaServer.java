// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opa;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.plugin.PluginLogger;
import org.moorage.api.model.ClusterObject;

/**
 * A real OPA, over its REST API. The cluster's objects are kept in its {@code data}: put there once, patched before an evaluation with
 * what changed since the one before, and put there anew when it no longer has what it was given, as after a restart.
 */
final class OpaServer implements PolicyEngine {
    private static final JsonMapper JSON = new JsonMapper();
    /** Where OPA keeps the mark that tells whether it still has what it was given. */
    private static final String MARK = "moorage/session";

    private static final int EVALUATIONS = 3;
    private static final String REGO = "text/plain";
    private static final String PATCH = "application/json-patch+json";
    private static final String JSON_TYPE = "application/json";

    private final String url;
    private final String fitPath;
    private final Duration timeout;
    private final String tokenFile;
    private final ClusterData.Reader changes;
    private final String session;
    private final Runnable putPolicies;
    private final PolicyMetrics metrics;
    private final PluginLogger logger;
    private final HttpClient client;
    private final Object sending = new Object();
    /** Whether OPA has had everything. Changed while {@link #sending}. */
    private volatile boolean isComplete;

    /**
     * A connection that opens when it is needed.
     *
     * @param session tells this scheduler from others, and from itself after a restart
     * @param putPolicies has OPA given all policies anew
     */
    OpaServer(
            OpaPolicy.Args args,
            ClusterData data,
            String session,
            Runnable putPolicies,
            PolicyMetrics metrics,
            PluginLogger logger) {
        url = args.url().endsWith("/") ? args.url().substring(0, args.url().length() - 1) : args.url();
        fitPath = args.fitPath();
        timeout = args.timeout();
        tokenFile = args.tokenFile();
        changes = data.reader();
        this.session = session;
        this.putPolicies = putPolicies;
        this.metrics = metrics;
        this.logger = logger;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
        if (!args.caFile().isEmpty()) {
            builder.sslContext(Tls.trusting(Path.of(args.caFile())));
        }
        client = builder.build();
    }

    @Override
    public Optional<JsonNode> fit(String input) {
        String question = "{\"input\":" + input + "}";
        for (int i = 0; i < EVALUATIONS; i++) {
            send();
            HttpResponse<String> response = call("POST", "/v1/data" + fitPath, JSON_TYPE, question);
            if (response.statusCode() != 200) {
                throw new PolicyException("OPA cannot evaluate " + fitPath + ": " + errorOf(response));
            }
            // It may have been restarted since it was sent the objects; then what it answered means nothing.
            if (isUpToDate()) {
                JsonNode result = json(response.body()).path("result");
                return result.isMissingNode() ? Optional.empty() : Optional.of(result);
            }
        }
        throw new PolicyException("OPA at " + url + " lost the cluster's objects " + EVALUATIONS
                + " times in a row (expected: one scheduler that owns its data)");
    }

    @Override
    public void keepUp() {
        try {
            if (isComplete) {
                isUpToDate();
            }
            send();
        } catch (PolicyException notNow) {
            logger.debug("OPA cannot be given the cluster now", "err", notNow.getMessage());
        }
    }

    private boolean isUpToDate() {
        HttpResponse<String> response = call("GET", "/v1/data/" + MARK, "", "");
        boolean found = response.statusCode() == 200
                && json(response.body()).path("result").asText().equals(session);
        if (!found) {
            isComplete = false;
        }
        return found;
    }

    private void send() {
        synchronized (sending) {
            if (!isComplete) {
                sendAll();
            } else {
                sendChanges(changes.changes());
            }
        }
    }

    private void sendAll() {
        putPolicies.run();
        changes.all().forEach((resource, table) -> {
            StringBuilder text = new StringBuilder("{");
            table.forEach((uid, object) -> text.append(text.length() == 1 ? "" : ",")
                    .append(quoted(uid))
                    .append(':')
                    .append(ObjectText.of(object)));
            check(call(
                    "PUT", "/v1/data/" + resource, JSON_TYPE, text.append('}').toString()));
        });
        check(call("PUT", "/v1/data/" + MARK, JSON_TYPE, quoted(session)));
        metrics.synced();
        isComplete = true;
    }

    private void sendChanges(Map<String, Map<String, Optional<ClusterObject>>> changed) {
        boolean isSent = false;
        try {
            changed.forEach((resource, table) -> {
                StringBuilder text = new StringBuilder("[");
                table.forEach((uid, object) ->
                        text.append(text.length() == 1 ? "" : ",").append(operation(uid, object)));
                HttpResponse<String> response = call(
                        "PATCH", "/v1/data/" + resource, PATCH, text.append(']').toString());
                // What is to be removed is not there, or nothing is.
                if (response.statusCode() != 404) {
                    check(response);
                } else {
                    isComplete = false;
                }
            });
            isSent = true;
        } finally {
            if (!isSent) {
                isComplete = false;
            }
        }
        if (!isComplete) {
            sendAll();
        }
    }

    private static String operation(String uid, Optional<ClusterObject> object) {
        String path = quoted("/" + uid.replace("~", "~0").replace("/", "~1"));
        return object.map(present -> "{\"op\":\"add\",\"path\":" + path + ",\"value\":" + ObjectText.of(present) + "}")
                .orElseGet(() -> "{\"op\":\"remove\",\"path\":" + path + "}");
    }

    @Override
    public Reply put(String id, byte[] policy) {
        return reply(call("PUT", path(id), REGO, BodyPublishers.ofByteArray(policy)));
    }

    @Override
    public Reply delete(String id) {
        return reply(call("DELETE", path(id), "", ""));
    }

    @Override
    public Reply get(String id) {
        return reply(call("GET", path(id), "", ""));
    }

    private static String path(String id) {
        return id.isEmpty()
                ? "/v1/policies"
                : "/v1/policies/"
                        + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public boolean isPolicyFile(String name) {
        return name.endsWith(".rego") && !name.endsWith("_test.rego");
    }

    @Override
    public byte[] shipped() {
        try (InputStream in = OpaServer.class.getResourceAsStream("policy.rego")) {
            return in == null ? new byte[0] : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<String> call(String method, String path, String contentType, String body) {
        return call(
                method, path, contentType, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    }

    private HttpResponse<String> call(String method, String path, String contentType, BodyPublisher body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(timeout).method(method, body);
        if (!contentType.isEmpty()) {
            request.header("Content-Type", contentType);
        }
        String asked = "OPA at " + url + ": " + method + " " + path + ": ";
        try {
            if (!tokenFile.isEmpty()) {
                request.header(
                        "Authorization",
                        "Bearer " + Files.readString(Path.of(tokenFile)).strip());
            }
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (HttpTimeoutException late) {
            throw new PolicyException(asked + "no answer within " + timeout.toMillis() + "ms", late);
        } catch (IOException failed) {
            String why = failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
            throw new PolicyException(asked + why, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PolicyException(asked + "interrupted", interrupted);
        }
    }

    private void check(HttpResponse<String> response) {
        if (response.statusCode() >= 300) {
            throw new PolicyException(
                    "OPA at " + url + ": " + response.request().method() + " "
                            + response.request().uri().getPath() + ": " + errorOf(response));
        }
    }

    private static Reply reply(HttpResponse<String> response) {
        return new Reply(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(JSON_TYPE),
                response.body().getBytes(StandardCharsets.UTF_8));
    }

    private static String errorOf(HttpResponse<String> response) {
        return "status " + response.statusCode() + ": " + messageOf(response.body());
    }

    /** What OPA says of a failure, in one line. */
    static String messageOf(String body) {
        try {
            JsonNode error = JSON.readTree(body);
            StringBuilder text = new StringBuilder(error.path("message").asText());
            for (JsonNode detail : error.path("errors")) {
                JsonNode place = detail.path("location");
                text.append("; ")
                        .append(place.path("file").asText())
                        .append(':')
                        .append(place.path("row").asText())
                        .append(": ")
                        .append(detail.path("message").asText());
            }
            return text.toString().replaceAll("\\s+", " ");
        } catch (JsonProcessingException plain) {
            return body.strip().replaceAll("\\s+", " ");
        }
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException broken) {
            throw new PolicyException("OPA's answer is not JSON: " + broken.getOriginalMessage(), broken);
        }
    }

    private static String quoted(String text) {
        return JSON.getNodeFactory().textNode(text).toString();
    }
}
