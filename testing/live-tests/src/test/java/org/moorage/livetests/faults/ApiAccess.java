// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Requests of the test's own to an API server on loopback, as its administrator. */
public final class ApiAccess {
    /** Without limits: tests make objects that go beyond them. */
    static final JsonMapper JSON = JsonMapper.builder(new JsonFactoryBuilder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .build();

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int SENDERS = 16;

    private final URI server;
    private final String token;
    private final HttpClient client;

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

    /** TLS that trusts everyone: who is asked is on loopback, with a certificate of its own. */
    static SSLContext trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsAll()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static HttpClient trustingClient(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .sslContext(trusting())
                .version(version)
                .connectTimeout(LIMIT)
                .build();
    }

    URI server() {
        return server;
    }

    String token() {
        return token;
    }

    /** A request of the test's own, with the administrator's token. */
    HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/json");
    }

    /** What is at a path; it must be there. */
    public JsonNode get(String path) {
        HttpResponse<String> response = send("GET", path, "", "");
        return parse(expect(response, path));
    }

    public List<JsonNode> items(String path) {
        List<JsonNode> items = new ArrayList<>();
        get(path).path("items").forEach(items::add);
        return items;
    }

    /** The first answer to a request, whatever it is; empty if it breaks off. */
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

    /** The status of the answer to a request. */
    int status(String method, String path, String type, String body) {
        return send(method, path, type, body).statusCode();
    }

    public JsonNode create(String path, String json) {
        return parse(expect(send("POST", path, "application/json", json), path + ": " + json));
    }

    JsonNode patch(String path, String json) {
        return parse(expect(send("PATCH", path, "application/merge-patch+json", json), path));
    }

    /** As {@link #patch}; returns whether what is patched was there. */
    public boolean tryPatch(String path, String json) {
        return send("PATCH", path, "application/merge-patch+json", json).statusCode() < 300;
    }

    JsonNode put(String path, String json) {
        return parse(expect(send("PUT", path, "application/json", json), path));
    }

    /** Deletes at once, and does not mind if nothing is there. */
    public void delete(String path) {
        HttpResponse<String> response = send("DELETE", path, "application/json", "{\"gracePeriodSeconds\": 0}");
        if (response.statusCode() != 404) {
            expect(response, path);
        }
    }

    /** Creates many objects at a path, several at a time. */
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

    // A server that was just killed is asked again for a while: what is tested are not these requests.
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

    static JsonNode parse(String text) {
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
