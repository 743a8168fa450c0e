// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.testkit.Pods;

class Fabric8RequestsTest {
    private static final String BOUND =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\",\"code\":201}";
    private static final int SOON = 20;

    private final MockWebServer server = new MockWebServer();
    private final Pod pod = Pods.named("web").uid("u1").build();
    private final AtomicReference<String> token = new AtomicReference<>("first");
    private KubernetesClient client;
    private InformerCluster cluster;

    @BeforeEach
    void start() throws IOException {
        server.start();
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getPort())
                .withOauthTokenProvider(token::get)
                .withImpersonateUsername("scheduler")
                .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
        cluster = InformerCluster.of(Fabric8Requests.through(client), kind -> Optional.empty());
    }

    @AfterEach
    void close() {
        cluster.close();
        client.close();
        server.close();
    }

    private RecordedRequest bind() throws InterruptedException {
        server.enqueue(new MockResponse.Builder().code(201).body(BOUND).build());
        cluster.bind(pod, "n1");
        return server.takeRequest();
    }

    @Test
    void takesAStatusForTheSuccessThatItIs() throws InterruptedException {
        RecordedRequest request = bind();

        assertThat(request.getMethod()).isEqualTo("POST");
        assertThat(request.getTarget()).isEqualTo("/api/v1/namespaces/default/pods/web/binding");
        assertThat(request.getHeaders().get("Content-Type")).isEqualTo("application/json");
        assertThat(request.getBody().utf8()).contains("\"uid\":\"u1\"");
    }

    @Test
    void sendsTheCredentialsThatTheClientHasByThen() throws InterruptedException {
        RecordedRequest first = bind();
        token.set("second");
        RecordedRequest second = bind();

        assertThat(first.getHeaders().get("Authorization")).isEqualTo("Bearer first");
        assertThat(first.getHeaders().get("Impersonate-User")).isEqualTo("scheduler");
        assertThat(second.getHeaders().get("Authorization")).isEqualTo("Bearer second");
    }

    @Test
    void tellsOfARefusalAndSendsNothingTwice() {
        server.enqueue(new MockResponse.Builder()
                .code(500)
                .body("{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"no etcd\",\"code\":500}")
                .build());

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class, e -> assertThat(e.httpStatus()).isEqualTo(500));
        assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void isNotSureOfAChangeWhoseAnswerWasLost() throws InterruptedException {
        server.enqueue(new MockResponse.Builder()
                .onRequestBody(new SocketEffect.CloseSocket())
                .build());

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        e -> assertThat(e.outcome()).isEqualTo(ClusterException.Outcome.UNKNOWN));
        // The server counts a request after it has closed the connection.
        assertThat(server.takeRequest(SOON, TimeUnit.SECONDS)).isNotNull();
        assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void tellsThatNothingWasSentToAServerThatIsNotThere() {
        server.close();

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        e -> assertThat(e.outcome()).isEqualTo(ClusterException.Outcome.NOT_SENT));
    }

    @Test
    void readsAnAnswerAsItComesAndEndsWhenItIsCancelled() throws IOException {
        String line = "{\"type\":\"BOOKMARK\"}\n";
        server.enqueue(new MockResponse.Builder()
                .body(line + line)
                .throttleBody(line.length(), SOON, TimeUnit.SECONDS)
                .build());
        ApiClient requests = Fabric8Requests.through(client);
        Call call = requests.http()
                .newBuilder()
                .readTimeout(Duration.ofSeconds(SOON))
                .build()
                .newCall(new Request.Builder()
                        .url(requests.address() + "/api/v1/pods")
                        .build());
        try (Response response = call.execute()) {
            assertThat(response.body().source().readUtf8(line.length())).isEqualTo(line);
            CompletableFuture<Void> cancelled = CompletableFuture.runAsync(call::cancel);

            assertThatThrownBy(() -> response.body().source().readByte())
                    .isInstanceOf(IOException.class)
                    .hasMessage("Canceled");
            cancelled.orTimeout(SOON, TimeUnit.SECONDS).join();
        }
    }

    @Test
    void endsWhenTheServerIsSilentForTooLong() {
        server.enqueue(new MockResponse.Builder()
                .headersDelay(SOON, TimeUnit.SECONDS)
                .body("{}")
                .build());
        ApiClient requests = Fabric8Requests.through(client);
        Call call = requests.http()
                .newBuilder()
                .readTimeout(Duration.ofMillis(100))
                .build()
                .newCall(new Request.Builder()
                        .url(requests.address() + "/version")
                        .build());

        assertThatThrownBy(call::execute).isInstanceOf(IOException.class).hasMessage("timeout");
    }
}
