// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.PluginLogger;

/**
 * Evaluates policies in a separate OPA server over its REST API. OPA's {@code data} holds the cluster's objects: they
 * are sent once, and the changes are sent as patches before each evaluation. When OPA has lost its data, for example in
 * a restart, all objects are sent again.
 */
final class OpaServer implements PolicyEngine {
    private static final JsonMapper JSON = new JsonMapper();
    /** The path of the session mark in OPA's data; OPA loses the mark together with the other data. */
    private static final String MARK = "moorage/session";

    private static final int EVALUATIONS = 3;
    private static final String REGO = "text/plain";
    private static final String PATCH = "application/json-patch+json";
    private static final String JSON_TYPE = "application/json";

    private final String fitPath;
    private final Duration timeout;
    private final ClusterData.Reader changes;
    private final String session;
    private final Runnable putPolicies;
    private final PolicyMetrics metrics;
    private final PluginLogger logger;
    private final OpaClient evaluations;
    /** For requests that no pod waits for, so that they do not block evaluations. */
    private final OpaClient upkeep;

    private final ReentrantLock sending = new ReentrantLock();
    /** Whether OPA has received all objects. Set to true only while {@link #sending} is held. */
    private volatile boolean isComplete;

    /**
     * Creates an engine whose connections open on demand.
     *
     * @param session a mark that differs for each scheduler and each of its starts
     * @param putPolicies sends all policies to OPA again
     */
    OpaServer(
            OpaPolicy.Args args,
            ClusterData data,
            String session,
            Runnable putPolicies,
            PolicyMetrics metrics,
            PluginLogger logger) {
        evaluations = new OpaClient(args);
        upkeep = new OpaClient(args);
        fitPath = args.fitPath();
        timeout = args.timeout();
        changes = data.reader();
        this.session = session;
        this.putPolicies = putPolicies;
        this.metrics = metrics;
        this.logger = logger;
    }

    @Override
    public Optional<JsonNode> fit(String input) {
        String question = "{\"input\":" + input + "}";
        for (int i = 0; i < EVALUATIONS; i++) {
            send(evaluations);
            HttpResponse<String> response = evaluations.call("POST", "/v1/data" + fitPath, JSON_TYPE, question);
            if (response.statusCode() != 200) {
                throw new PolicyException("OPA cannot evaluate " + fitPath + ": " + errorOf(response));
            }
            // OPA may have been restarted after it received the objects; then its result is meaningless.
            if (isUpToDate(evaluations)) {
                JsonNode result = json(response.body()).path("result");
                return result.isMissingNode() ? Optional.empty() : Optional.of(result);
            }
        }
        throw new PolicyException("OPA at " + evaluations.url() + " lost the cluster's objects " + EVALUATIONS
                + " times in a row (expected: one scheduler that owns its data)");
    }

    @Override
    public void keepUp() {
        try {
            if (isComplete) {
                isUpToDate(upkeep);
            }
            send(upkeep);
        } catch (PolicyException notNow) {
            logger.debug("OPA cannot be given the cluster now", "err", notNow.getMessage());
        }
    }

    private boolean isUpToDate(OpaClient client) {
        HttpResponse<String> response = client.call("GET", "/v1/data/" + MARK, "", "");
        boolean found = response.statusCode() == 200
                && json(response.body()).path("result").asText().equals(session);
        if (!found) {
            isComplete = false;
        }
        return found;
    }

    private void send(OpaClient client) {
        lock();
        try {
            if (!isComplete) {
                sendAll(client);
            } else {
                sendChanges(client, changes.changes());
            }
        } finally {
            sending.unlock();
        }
    }

    private void lock() {
        try {
            if (!sending.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new PolicyException("OPA at " + evaluations.url()
                        + " is being sent the cluster's objects for more than " + timeout.toMillis() + "ms");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PolicyException("OPA at " + evaluations.url() + ": interrupted", interrupted);
        }
    }

    private void sendAll(OpaClient client) {
        putPolicies.run();
        changes.all().forEach((resource, table) -> {
            StringBuilder text = new StringBuilder("{");
            table.forEach((uid, object) -> text.append(text.length() == 1 ? "" : ",")
                    .append(quoted(uid))
                    .append(':')
                    .append(ObjectText.of(object)));
            check(client.call(
                    "PUT", "/v1/data/" + resource, JSON_TYPE, text.append('}').toString()));
        });
        check(client.call("PUT", "/v1/data/" + MARK, JSON_TYPE, quoted(session)));
        metrics.synced();
        isComplete = true;
    }

    private void sendChanges(OpaClient client, Map<String, Map<String, Optional<ClusterObject>>> changed) {
        boolean isSent = false;
        try {
            changed.forEach((resource, table) -> {
                StringBuilder text = new StringBuilder("[");
                table.forEach((uid, object) ->
                        text.append(text.length() == 1 ? "" : ",").append(operation(uid, object)));
                HttpResponse<String> response = client.call(
                        "PATCH", "/v1/data/" + resource, PATCH, text.append(']').toString());
                // OPA does not have the object to remove, or has lost all objects.
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
            sendAll(client);
        }
    }

    private static String operation(String uid, Optional<ClusterObject> object) {
        String path = quoted("/" + uid.replace("~", "~0").replace("/", "~1"));
        return object.map(present -> "{\"op\":\"add\",\"path\":" + path + ",\"value\":" + ObjectText.of(present) + "}")
                .orElseGet(() -> "{\"op\":\"remove\",\"path\":" + path + "}");
    }

    @Override
    public Supplier<PolicyResponse> prepare(String id, byte[] policy) {
        return () -> reply(upkeep.call("PUT", path(id), REGO, BodyPublishers.ofByteArray(policy)));
    }

    @Override
    public PolicyResponse delete(String id) {
        return reply(upkeep.call("DELETE", path(id), "", ""));
    }

    @Override
    public PolicyResponse get(String id) {
        return reply(upkeep.call("GET", path(id), "", ""));
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

    @Override
    public void close() {}

    private void check(HttpResponse<String> response) {
        if (response.statusCode() >= 300) {
            throw new PolicyException(
                    "OPA at " + evaluations.url() + ": " + response.request().method() + " "
                            + response.request().uri().getPath() + ": " + errorOf(response));
        }
    }

    private static PolicyResponse reply(HttpResponse<String> response) {
        return new PolicyResponse(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(JSON_TYPE),
                response.body().getBytes(StandardCharsets.UTF_8));
    }

    private static String errorOf(HttpResponse<String> response) {
        return "status " + response.statusCode() + ": " + messageOf(response.body());
    }

    /** Returns OPA's error message, in one line. */
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
