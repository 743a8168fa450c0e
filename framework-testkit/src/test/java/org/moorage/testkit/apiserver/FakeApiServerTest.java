// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectFields;

@Timeout(60)
class FakeApiServerTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String WEB = PODS + "/web";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    private static final String LEASE = """
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"%s}, "spec": {"holderIdentity": "%s"}}""";

    private final FakeApiServer server = FakeApiServer.start();
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void putPod() {
        server.put("{apiVersion: v1, kind: Pod, metadata: {name: web, uid: u1}, spec: {containers: [{name: c}]}}");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static String pod(String name) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}}\n---\n";
    }

    private HttpRequest request(String method, String path, String contentType, String body) {
        return HttpRequest.newBuilder(URI.create(server.address() + path))
                .method(method, BodyPublishers.ofString(body))
                .header("Content-Type", contentType)
                .build();
    }

    private HttpResponse<String> send(String method, String path, String contentType, String body)
            throws IOException, InterruptedException {
        return http.send(request(method, path, contentType, body), BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return send(method, path, "application/json", body);
    }

    private ObjectFields get(String path) throws IOException, InterruptedException {
        return ObjectFields.of(send("GET", path, "").body());
    }

    private static List<String> names(ObjectFields list) {
        return list.objects("items").stream()
                .map(item -> item.string("metadata", "name").orElseThrow())
                .toList();
    }

    /** The events of a watch, each as its type and the name of its object. */
    private Iterator<String> watch(String path) throws IOException, InterruptedException {
        Stream<String> lines =
                http.send(request("GET", path, "", ""), BodyHandlers.ofLines()).body();
        return lines.map(ObjectFields::of)
                .map(event -> event.string("type").orElseThrow() + " "
                        + event.object("object")
                                .string("metadata", "name")
                                .or(() -> event.object("object").string("reason"))
                                .orElse(""))
                .iterator();
    }

    @Nested
    class Lists {
        @Test
        void haveTheObjectsOfANamespaceOrOfAll() throws IOException, InterruptedException {
            server.put("{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: a}}");

            assertThat(names(get("/api/v1/pods"))).containsExactly("other", "web");
            assertThat(names(get(PODS))).containsExactly("web");
            assertThat(get(PODS).string("kind")).contains("PodList");
            assertThat(names(get("/api/v1/nodes"))).isEmpty();
        }

        @Test
        void haveOtherKindsFromTheFirstObjectOn() throws IOException, InterruptedException {
            assertThat(send("GET", "/apis/x.org/v1/quotas", "").statusCode()).isEqualTo(404);

            server.put("{apiVersion: x.org/v1, kind: Quota, metadata: {name: q}}");

            assertThat(get("/apis/x.org/v1/quotas").string("kind")).contains("QuotaList");
        }

        @Test
        void havePages() throws IOException, InterruptedException {
            server.put(pod("a") + pod("b") + pod("c"));

            ObjectFields first = get(PODS + "?limit=3");
            String token = first.string("metadata", "continue").orElseThrow().replace(" ", "%20");
            ObjectFields second = get(PODS + "?limit=3&continue=" + token);
            server.expire();

            assertThat(names(first)).containsExactly("a", "b", "c");
            assertThat(names(second)).containsExactly("web");
            assertThat(second.string("metadata", "continue")).isEmpty();
            assertThat(send("GET", PODS + "?continue=" + token, "").statusCode())
                    .isEqualTo(410);
        }
    }

    @Nested
    class Watches {
        @Test
        void haveTheEventsSinceAVersion() throws IOException, InterruptedException {
            String version = get(PODS).string("metadata", "resourceVersion").orElseThrow();
            server.put("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
            server.put(pod("a"));
            Iterator<String> events = watch(PODS + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version);
            server.put(pod("a"));
            server.sendBookmarks();
            server.delete(PODS + "/a");
            server.expire();

            assertThat((Iterable<String>) () -> events)
                    .containsExactly("ADDED a", "MODIFIED a", "BOOKMARK ", "DELETED a", "ERROR Expired");
        }

        @Test
        void beginWithAllObjectsWithoutAVersion() throws IOException, InterruptedException {
            Iterator<String> events = watch(PODS + "?watch=1");
            assertThat(events.next()).isEqualTo("ADDED web");

            server.put(pod("a"));

            assertThat(events.next()).isEqualTo("ADDED a");
        }

        @Test
        void endIfTheVersionIsTooOld() throws IOException, InterruptedException {
            server.expire();

            assertThat((Iterable<String>) () -> iterator(PODS + "?watch=true&resourceVersion=1"))
                    .containsExactly("ERROR Expired");
        }

        private Iterator<String> iterator(String path) {
            try {
                return watch(path);
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Test
        void endAfterTheirTimeout() throws IOException, InterruptedException {
            assertThat(watch(PODS + "?watch=true&resourceVersion=2&timeoutSeconds=0")
                            .hasNext())
                    .isFalse();
        }
    }

    record Change(String name, String method, String path, String contentType, String body, int code, String after) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String JSON = "application/json";
    private static final String MERGE = "application/merge-patch+json";
    private static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String BINDING = "{\"metadata\": {\"name\": \"web\"%s}, \"target\": {\"name\": \"n1\"}}";

    static final List<Change> CHANGES = List.of(
            new Change("a binding", "POST", "/binding", JSON, BINDING.formatted(""), 201, "nodeName=n1"),
            new Change(
                    "a binding of another pod of that name",
                    "POST",
                    "/binding",
                    JSON,
                    BINDING.formatted(", \"uid\": \"u2\""),
                    409,
                    "uid=u1"),
            new Change(
                    "a merge patch",
                    "PATCH",
                    "",
                    MERGE,
                    "{\"spec\": {\"containers\": null, \"priority\": 7}}",
                    200,
                    "spec={priority=7}"),
            new Change(
                    "a strategic merge patch",
                    "PATCH",
                    "",
                    STRATEGIC,
                    "{\"spec\": {\"containers\": [{\"name\": \"d\"}, {\"name\": \"c\", \"image\": \"i\"}]}}",
                    200,
                    "containers=[{name=c, image=i}, {name=d}]"),
            new Change(
                    "a patch of the status alone",
                    "PATCH",
                    "/status",
                    MERGE,
                    "{\"spec\": {\"priority\": 7}, \"status\": {\"phase\": \"Running\"}}",
                    200,
                    "spec={containers=[{name=c}]}, status={phase=Running}"),
            new Change(
                    "a patch of a former version",
                    "PATCH",
                    "",
                    MERGE,
                    "{\"metadata\": {\"resourceVersion\": \"1\"}, \"spec\": {\"priority\": 7}}",
                    409,
                    "spec={containers=[{name=c}]}"),
            new Change("a JSON patch", "PATCH", "", "application/json-patch+json", "[]", 415, "uid=u1"),
            new Change(
                    "a replacement",
                    "PUT",
                    "",
                    JSON,
                    "{\"metadata\": {\"name\": \"web\"}, \"spec\": {}}",
                    200,
                    "spec={}"),
            new Change(
                    "a deletion of another pod of that name",
                    "DELETE",
                    "",
                    JSON,
                    "{\"preconditions\": {\"uid\": \"u2\"}}",
                    409,
                    "uid=u1"),
            new Change("a deletion", "DELETE", "", JSON, "", 200, "Optional.empty"),
            new Change("an unknown subresource", "POST", "/eviction", JSON, "{}", 404, "uid=u1"));

    @ParameterizedTest
    @FieldSource("CHANGES")
    void objectsAreChangedBy(Change c) throws IOException, InterruptedException {
        assertThat(send(c.method, WEB + c.path, c.contentType, c.body).statusCode())
                .isEqualTo(c.code);
        assertThat(server.object(WEB).toString()).contains(c.after);
    }

    @Test
    void aBoundPodIsNotBoundAgain() throws IOException, InterruptedException {
        assertThat(send("POST", WEB + "/binding", BINDING.formatted("")).statusCode())
                .isEqualTo(201);

        assertThat(send("POST", WEB + "/binding", BINDING.formatted("")).statusCode())
                .isEqualTo(409);
    }

    @Test
    void aLeaseIsCreatedOnceAndReplacedInItsLastVersion() throws IOException, InterruptedException {
        assertThat(send("GET", LEASES + "/l", "").body()).contains("leases.coordination.k8s.io \\\"l\\\" not found");
        assertThat(send("POST", LEASES, LEASE.formatted("", "a")).statusCode()).isEqualTo(201);
        assertThat(send("POST", LEASES, LEASE.formatted("", "b")).statusCode()).isEqualTo(409);
        String version = ", \"resourceVersion\": \""
                + get(LEASES + "/l").string("metadata", "resourceVersion").orElseThrow() + "\"";

        assertThat(send("PUT", LEASES + "/l", LEASE.formatted(version, "b")).statusCode())
                .isEqualTo(200);
        assertThat(send("PUT", LEASES + "/l", LEASE.formatted(version, "a")).statusCode())
                .isEqualTo(409);
        assertThat(server.object(LEASES + "/l").orElseThrow().string("spec", "holderIdentity"))
                .contains("b");
    }

    @Test
    void anObjectWithoutANameGetsOne() throws IOException, InterruptedException {
        ObjectFields created = ObjectFields.of(
                send("POST", PODS, "{\"metadata\": {\"generateName\": \"a-\"}}").body());

        assertThat(created.string("metadata", "name").orElseThrow()).matches("a-[a-z0-9]{5}");
        assertThat(created.string("metadata", "namespace")).contains("default");
    }

    @Test
    void aTestWaitsForTheStateOfAnObject() throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> binding =
                http.sendAsync(request("POST", WEB + "/binding", JSON, BINDING.formatted("")), BodyHandlers.ofString());

        ObjectFields bound =
                server.await(WEB, pod -> pod.string("spec", "nodeName").isPresent());

        assertThat(bound.string("spec", "nodeName")).contains("n1");
        assertThat(binding.join().statusCode()).isEqualTo(201);
    }

    @Test
    void requestsAreKeptAndTakenInTheirOrder() throws IOException, InterruptedException {
        send("GET", "/api/v1/nodes?limit=5&labelSelector=a%3Db%26c", "");
        send("POST", WEB + "/binding", BINDING.formatted(""));
        send("GET", PODS, "");

        Request first = server.takeRequest();
        Request binding = server.takeRequest(request -> request.path().endsWith("/binding"));

        assertThat(first.query()).containsEntry("limit", "5").containsEntry("labelSelector", "a=b&c");
        assertThat(binding.fields().string("target", "name")).contains("n1");
        assertThat(binding.header("content-type")).contains(JSON);
        assertThat(server.takeRequest().path()).isEqualTo(PODS);
        assertThat(server.requests()).hasSize(3);
    }

    @Nested
    class Rules {
        @Test
        void replaceResponsesAndTheLastOneCounts() throws IOException, InterruptedException {
            server.on("GET", "/api/v1/*", request -> Response.status(403, "Forbidden", "no"));
            server.on("GET", "/api/v1/nodes", request -> Response.ok("{}").with("Retry-After", "1"));
            server.on("GET", "/api/v1/pods", server::respond);

            HttpResponse<String> nodes = send("GET", "/api/v1/nodes", "");
            assertThat(nodes.body()).isEqualTo("{}");
            assertThat(nodes.headers().firstValue("Retry-After")).contains("1");
            assertThat(get(PODS).string("reason")).contains("Forbidden");
            assertThat(names(get("/api/v1/pods"))).containsExactly("web");
        }

        @Test
        void sendLinesAsTheyCome() throws IOException, InterruptedException {
            LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>(List.of("a"));
            server.on("GET", PODS, request -> Response.stream(lines));

            Iterator<String> received = http.send(request("GET", PODS, "", ""), BodyHandlers.ofLines())
                    .body()
                    .iterator();
            assertThat(received.next()).isEqualTo("a");
            lines.add("b");
            assertThat(received.next()).isEqualTo("b");
            lines.add("");
            assertThat(received.hasNext()).isFalse();
        }

        @Test
        void holdAResponseBack() {
            CountDownLatch released = new CountDownLatch(1);
            server.on("GET", PODS, request -> Response.ok("{}").after(released));

            CompletableFuture<HttpResponse<String>> response =
                    http.sendAsync(request("GET", PODS, "", ""), BodyHandlers.ofString());
            assertThat(response).isNotDone();
            released.countDown();

            assertThat(response.join().body()).isEqualTo("{}");
        }

        @Test
        void closeTheConnection() {
            server.on("POST", PODS, request -> Response.disconnect());

            assertThatThrownBy(() -> send("POST", PODS, "{}")).isInstanceOf(IOException.class);
        }

        @Test
        void thatThrowAreErrorsOfTheServer() throws IOException, InterruptedException {
            server.on("GET", PODS, request -> {
                throw new IllegalStateException("oops");
            });

            assertThat(send("GET", PODS, "").body()).contains("oops");
        }
    }

    @Test
    void aRestartedServerHasTheSameAddressAndObjects() throws IOException, InterruptedException {
        server.stop();
        assertThatThrownBy(() -> send("GET", PODS, "")).isInstanceOf(ConnectException.class);

        server.restart();

        assertThat(names(get(PODS))).containsExactly("web");
    }

    @Test
    void aKubeconfigHasTheAddress() {
        assertThat(server.kubeconfig()).contains(server.address()).doesNotContain("insecure");
    }

    @Test
    void refusesManifestsAndPathsWithoutObjects() {
        assertThatThrownBy(() -> server.put("a: b")).hasMessageContaining("(expected: apiVersion, kind and metadata)");
        assertThatThrownBy(() -> server.delete(PODS + "/none"))
                .hasMessage("path: " + PODS + "/none (expected: the path of an object)");
    }
}
