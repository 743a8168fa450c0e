// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Sends the requests of a test to an API server on loopback, as its administrator. */
public final class ApiAccess {
    public static final String NODES = "/api/v1/nodes";
    public static final String PODS = "/api/v1/namespaces/default/pods";
    public static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";
    public static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

    /** A JSON mapper without limits, since tests create objects that exceed them. */
    public static final JsonMapper JSON = JsonMapper.builder(new JsonFactoryBuilder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .build();

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SENDERS = 16;

    private final URI server;
    private final String token;
    private final HttpClient client;
    private final Map<String, String> pathByKind = new ConcurrentHashMap<>();

    public ApiAccess(Path kubeconfig) {
        try {
            String text = Files.readString(kubeconfig);
            server = URI.create(find("server: *\"?(https://[^\",\\s}]+)", text));
            token = find("token: *\"?([^\",\\s}]+)", text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        client = trustingClient(HttpClient.Version.HTTP_2);
    }

    private static String find(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new IllegalArgumentException("nothing like " + pattern + " in " + text);
        }
        return matcher.group(1);
    }

    /** Returns a TLS context that trusts every server, since servers on loopback use self-signed certificates. */
    public static SSLContext trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsAll()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public static HttpClient trustingClient(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .sslContext(trusting())
                .version(version)
                .connectTimeout(LIMIT)
                .build();
    }

    public URI server() {
        return server;
    }

    public String token() {
        return token;
    }

    /** Returns a request with the administrator's token. */
    public HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json");
    }

    /** Sends a request and returns the response to it. */
    public static <T> HttpResponse<T> exchange(
            HttpClient client, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return client.send(request, handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the object at a path, which must exist. */
    public JsonNode get(String path) {
        HttpResponse<String> response = send("GET", path, "", "");
        return parse(expect(response, path));
    }

    public List<JsonNode> items(String path) {
        List<JsonNode> items = new ArrayList<>();
        get(path).path("items").forEach(items::add);
        return items;
    }

    /** Returns the first response to a request, regardless of its status; empty without a response. */
    public Optional<HttpResponse<String>> answer(String method, String path, String type, String body) {
        try {
            return Optional.of(client.send(newRequest(method, path, type, body), BodyHandlers.ofString()));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the status of the response to a request. */
    public int status(String method, String path, String type, String body) {
        return send(method, path, type, body).statusCode();
    }

    /** Creates objects from YAML or JSON one after another, and returns when the API server uses them. */
    public void create(String manifests) {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(manifests)) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document.has("items")) {
                    document.path("items").forEach(this::create);
                } else if (document.isObject()) {
                    create(document);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void create(JsonNode object) {
        String name = object.at("/metadata/name").asText();
        String path = path(object);
        String json = object.toString();
        expect(send("POST", path + "?fieldValidation=Strict", "application/json", json), path + ": " + json);
        switch (object.path("kind").asText()) {
            case "CustomResourceDefinition" ->
                await(
                        name + " is established",
                        () -> condition(get(path + "/" + name), "Established")
                                .path("status")
                                .asText()
                                .equals("True"));
            // Pods of a class are admitted once the API server has received the class.
            case "PriorityClass" ->
                await(
                        "pods of priority class " + name + " are admitted",
                        () -> status("POST", PODS + "?dryRun=All", "application/json", """
                        {"metadata": {"generateName": "trial-"}, "spec": {"priorityClassName": "%s",
                         "containers": [{"name": "c", "image": "i"}]}}""".formatted(name)) < 300);
            default -> {}
        }
    }

    private void await(String what, BooleanSupplier condition) {
        boolean ignored = Waiting.await(what, condition::getAsBoolean, done -> done, () -> server);
    }

    // Uses the API server's discovery of the kind.
    private String path(JsonNode object) {
        String version = object.path("apiVersion").asText();
        String kind = object.path("kind").asText();
        String path = pathByKind.computeIfAbsent(version + " " + kind, any -> {
            String group = (version.contains("/") ? "/apis/" : "/api/") + version;
            JsonNode resource = Waiting.await(
                    "the API server has the kind " + any,
                    () -> resource(group, kind),
                    JsonNode::isObject,
                    () -> server);
            return group
                    + (resource.path("namespaced").asBoolean() ? "/namespaces/NAMESPACE/" : "/")
                    + resource.path("name").asText();
        });
        return path.replace("NAMESPACE", object.at("/metadata/namespace").asText("default"));
    }

    private JsonNode resource(String group, String kind) {
        HttpResponse<String> response = send("GET", group, "", "");
        if (response.statusCode() == 200) {
            for (JsonNode resource : parse(response.body()).path("resources")) {
                if (resource.path("kind").asText().equals(kind)
                        && !resource.path("name").asText().contains("/")) {
                    return resource;
                }
            }
        }
        return MissingNode.getInstance();
    }

    /** Returns an object's condition of a type; a missing node if it has none. */
    public static JsonNode condition(JsonNode object, String type) {
        for (JsonNode condition : object.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    public JsonNode create(String path, String json) {
        return parse(expect(send("POST", path, "application/json", json), path + ": " + json));
    }

    public JsonNode patch(String path, String json) {
        return parse(expect(send("PATCH", path, "application/merge-patch+json", json), path));
    }

    /** Patches lists by the names of their elements, unlike {@link #patch}. */
    public void patchByName(String path, String json) {
        String ignored = expect(send("PATCH", path, "application/strategic-merge-patch+json", json), path);
    }

    /** Like {@link #patch}; returns whether the object existed. */
    public boolean tryPatch(String path, String json) {
        return send("PATCH", path, "application/merge-patch+json", json).statusCode() < 300;
    }

    public JsonNode put(String path, String json) {
        return parse(expect(send("PUT", path, "application/json", json), path));
    }

    /** Deletes an object, or all objects of a kind, without a grace period. The objects do not have to exist. */
    public void delete(String path) {
        HttpResponse<String> response = send("DELETE", path, "application/json", "{\"gracePeriodSeconds\": 0}");
        if (response.statusCode() != 404) {
            expect(response, path);
        }
    }

    /** Creates many objects at a path, several at the same time. */
    public void createAll(String path, List<String> objects) {
        all(objects.stream()
                .<Callable<Object>>map(json -> () -> create(path, json))
                .toList());
    }

    public void deleteAll(List<String> paths) {
        all(paths.stream()
                .<Callable<Object>>map(path -> () -> {
                    delete(path);
                    return path;
                })
                .toList());
    }

    private static void all(List<Callable<Object>> tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(SENDERS);
        try {
            for (Future<Object> future : threads.invokeAll(tasks)) {
                future.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private HttpRequest newRequest(String method, String path, String type, String body) {
        HttpRequest.Builder request = request(server.resolve(path)).timeout(LIMIT);
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
    }

    // Retries for a while in case the server was just killed, since these requests are not the subject of the test.
    private HttpResponse<String> send(String method, String path, String type, String body) {
        HttpRequest request = newRequest(method, path, type, body);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
                if (response.statusCode() != 429 && response.statusCode() < 500 || System.nanoTime() > deadline) {
                    return response;
                }
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new UncheckedIOException(path, e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            Waiting.pause(Duration.ofMillis(100));
        }
    }

    private static String expect(HttpResponse<String> response, String what) {
        if (response.statusCode() >= 300 && response.statusCode() != 409) {
            throw new IllegalStateException(what + ": " + response.statusCode() + ": " + response.body());
        }
        return response.body();
    }

    public static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class TrustsAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
