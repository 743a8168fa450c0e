// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.Ports;
import org.moorage.testkit.TestScheduler;

/** Pushing policies to the plugin, with compiled policies. */
class PolicyPortTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Status NO_NODE = Status.unschedulable("no node fits by the policy /io/k8s/scheduler/fit");
    private static final Pod POD = Pods.named("p").build();

    private final HttpClient client = HttpClient.newHttpClient();

    @AutoClose
    private final Ports ports = new Ports();

    private final String url = "http://127.0.0.1:" + ports.next();

    @TempDir
    private Path folder;

    private TestScheduler start(String more) {
        String args = "mode: wasm, policies: [], policyServer: {address: \"" + url.substring("http://".length()) + "\""
                + more + "}, policyDir: " + folder.resolve("policies");
        return PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args))
                .cluster(Nodes.named("n1").annotation("weight", "1").build())
                .start();
    }

    private HttpResponse<String> ask(String method, String path, byte[] body, String... headers) {
        try {
            return send(client, url, method, path, body, headers);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<String> send(
            HttpClient client, String url, String method, String path, byte[] body, String... headers)
            throws IOException {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                    .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return client.send(request.build(), BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private HttpResponse<String> ask(String method, String path) {
        return ask(method, path, new byte[0]);
    }

    private static byte[] file(String name) {
        try {
            return Files.readAllBytes(RESOURCES.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void podsFollowThePolicyThatWasPushedLast() {
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).skipsFilter();
            assertThat(ask("GET", "/v1/policies").body()).isEqualTo("{\"result\":[]}");

            assertThat(ask("PUT", "/v1/policies/example", file("own.wasm")).statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).rejectsPod(NO_NODE);

            assertThat(ask("PUT", "/v1/policies/example", file("weights.wasm")).statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).accepts("n1");

            assertThat(ask("GET", "/v1/policies").body()).contains("\"id\":\"example\"");
            assertThat(ask("GET", "/v1/policies/example/raw").body()).startsWith("\0asm");
            assertThat(ask("GET", "/metrics").body())
                    .contains("scheduler_opa_policies_total{result=\"accepted\"} 2")
                    .contains("scheduler_opa_queries_total{result=\"empty\"} 1")
                    .contains("scheduler_opa_query_duration_seconds_count 3");

            assertThat(ask("DELETE", "/v1/policies/example").statusCode()).isEqualTo(200);
            assertThat(ask("DELETE", "/v1/policies/example").statusCode()).isEqualTo(404);
            assertThat(ask("GET", "/v1/policies/example").statusCode()).isEqualTo(404);
            scheduler.pod(POD).skipsFilter();
        }
    }

    // OPA-15.
    @Test
    void aBadPolicyIsRefusedAndTheOldOneKeepsDeciding() {
        try (TestScheduler scheduler = start("")) {
            assertThat(ask("PUT", "/v1/policies/example", file("own.wasm")).statusCode())
                    .isEqualTo(200);

            HttpResponse<String> rego = ask("PUT", "/v1/policies/example", file("weights.rego"));
            assertThat(rego.statusCode()).isEqualTo(400);
            assertThat(rego.body())
                    .contains("\"code\":\"invalid_parameter\"")
                    .contains("opa build -t wasm -e io/k8s/scheduler/fit policy.rego, then push bundle.tar.gz");
            byte[] broken = file("weights.wasm");
            broken[8] ^= 0x55;
            assertThat(ask("PUT", "/v1/policies/example", broken).statusCode()).isEqualTo(400);

            scheduler.pod(POD).rejectsPod(NO_NODE);
        }
    }

    @Test
    void pushedPoliciesAreThereAfterARestart() {
        try (TestScheduler scheduler = start("")) {
            assertThat(ask("PUT", "/v1/policies/a/b", file("own.wasm")).statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).rejectsPod(NO_NODE);
        }
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).rejectsPod(NO_NODE);
            assertThat(ask("DELETE", "/v1/policies/a/b").statusCode()).isEqualTo(200);
        }
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).skipsFilter();
        }
    }

    @Test
    void waitingPodsAreTriedAgainWithAnotherPolicy() {
        try (TestScheduler scheduler = start("")) {
            ask("PUT", "/v1/policies/example", file("own.wasm"));
            assertThat(scheduler.schedule(POD).node()).isEmpty();
            assertThat(scheduler.activated()).isEmpty();

            ask("PUT", "/v1/policies/example", file("weights.wasm"));

            assertThat(scheduler.activated()).extracting(Pod::name).containsExactly("p");
        }
    }

    @Test
    void aTokenIsDemandedWhereThereIsOne() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        try (TestScheduler scheduler = start(", tokenFile: " + token)) {
            assertThat(ask("GET", "/v1/policies").statusCode()).isEqualTo(401);
            assertThat(ask("PUT", "/v1/policies/x", file("own.wasm"), "Authorization", "Bearer guess")
                            .statusCode())
                    .isEqualTo(401);
            scheduler.pod(POD).skipsFilter();
            assertThat(ask("PUT", "/v1/policies/x", file("own.wasm"), "Authorization", "Bearer secret")
                            .statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).rejectsPod(NO_NODE);
        }
    }

    /** The authority of another one has the same name, so that a client does offer a certificate of it. */
    @Test
    void aCertificateOfTheAuthorityIsDemandedWhereThereIsOne() throws IOException {
        TestAuthority servers = new TestAuthority(Files.createDirectory(folder.resolve("servers")), "servers");
        TestAuthority clients = new TestAuthority(Files.createDirectory(folder.resolve("clients")), "clients");
        TestAuthority others = new TestAuthority(Files.createDirectory(folder.resolve("others")), "clients");
        TestAuthority.Signed server = servers.sign("server", "EC");
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        String[] authorized = {"Authorization", "Bearer secret"};
        String secure = url.replace("http://", "https://");
        try (TestScheduler scheduler = start(", certFile: " + server.certificate() + ", keyFile: " + server.key()
                + ", clientCaFile: " + clients.certificate() + ", tokenFile: " + token)) {
            for (HttpClient stranger : List.of(over(servers.trusting()), over(servers.trusting(others, "client")))) {
                assertThatThrownBy(() -> send(stranger, secure, "PUT", "/v1/policies/x", file("own.wasm"), authorized))
                        .isInstanceOf(IOException.class);
            }
            HttpClient known = over(servers.trusting(clients, "client"));
            assertThat(send(known, secure, "PUT", "/v1/policies/x", file("own.wasm"))
                            .statusCode())
                    .isEqualTo(401);
            assertThatThrownBy(() -> send(client, url, "PUT", "/v1/policies/x", file("own.wasm"), authorized))
                    .isInstanceOf(IOException.class);
            scheduler.pod(POD).skipsFilter();

            assertThat(send(known, secure, "PUT", "/v1/policies/x", file("own.wasm"), authorized)
                            .statusCode())
                    .isEqualTo(200);
            scheduler.pod(POD).rejectsPod(NO_NODE);
        }
    }

    private static HttpClient over(SSLContext context) {
        return HttpClient.newBuilder().sslContext(context).build();
    }

    @Test
    void whatIsNotThereAnswersSo() {
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).skipsFilter();
            assertThat(ask("GET", "/v1/data").statusCode()).isEqualTo(404);
            assertThat(ask("PATCH", "/v1/policies/x"))
                    .returns(405, HttpResponse::statusCode)
                    .returns(
                            "GET, PUT, DELETE",
                            answer -> answer.headers().firstValue("Allow").orElse(""));
            for (String path : List.of("/v1/policies", "/v1/policies/", "/metrics")) {
                assertThat(ask("PUT", path))
                        .returns(405, HttpResponse::statusCode)
                        .returns(
                                "GET",
                                answer -> answer.headers().firstValue("Allow").orElse(""));
            }
        }
    }

    @Test
    void aWebPageWhoseNameLeadsToThisMachineIsRefused() throws IOException {
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).skipsFilter();

            assertThat(answerToHead("GET /v1/policies HTTP/1.1\r\nHost: pages.example:8181"))
                    .startsWith("HTTP/1.1 421");
            assertThat(answerToHead("PUT /v1/policies/x HTTP/1.1\r\nHost: pages.example\r\nContent-Length: 10"))
                    .startsWith("HTTP/1.1 421");
            assertThat(answerToHead("GET /v1/policies HTTP/1.1\r\nHost: localhost:8181"))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void silentClientsBlockNoOthers() throws IOException {
        List<Socket> strangers = new ArrayList<>();
        try (TestScheduler scheduler = start("")) {
            scheduler.pod(POD).skipsFilter();
            URI address = URI.create(url);
            for (int i = 0; i < 300; i++) {
                Socket stranger = new Socket(address.getHost(), address.getPort());
                strangers.add(stranger);
                stranger.getOutputStream().write('G');
            }
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(url + "/v1/policies")).build();

            assertThat(client.sendAsync(request, BodyHandlers.ofString()))
                    .succeedsWithin(Duration.ofSeconds(4))
                    .returns(200, HttpResponse::statusCode);
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** A request of which only the head is sent, and what is answered to it. */
    private String answerToHead(String head) throws IOException {
        URI address = URI.create(url);
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(4000);
            socket.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    @Test
    void aWrongTokenAndATooLongPolicyAreRefusedByTheirHead() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        try (TestScheduler scheduler = start(", tokenFile: " + token)) {
            scheduler.pod(POD).skipsFilter();
            String put = "PUT /v1/policies/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";

            assertThat(answerToHead(put + "1000\r\nAuthorization: Bearer guess"))
                    .startsWith("HTTP/1.1 401");
            assertThat(answerToHead(put + (65 << 20) + "\r\nAuthorization: Bearer secret"))
                    .startsWith("HTTP/1.1 413");
        }
    }
}
