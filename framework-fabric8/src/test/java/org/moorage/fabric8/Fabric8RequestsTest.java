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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.testkit.Pods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

class Fabric8RequestsTest {
    private static final String BINDING = "/api/v1/namespaces/default/pods/web/binding";
    private static final int SOON = 20;

    private final FakeApiServer server = FakeApiServer.start();
    private final Pod pod = Pods.named("web").uid("u1").build();
    private final AtomicReference<String> token = new AtomicReference<>("first");
    private KubernetesClient client;
    private InformerCluster cluster;

    @BeforeEach
    void start() {
        server.on("POST", BINDING, request -> Response.status(201, "", ""));
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.address())
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

    private Request bind() throws InterruptedException {
        cluster.bind(pod, "n1");
        return server.takeRequest();
    }

    @Test
    void takesAStatusForTheSuccessThatItIs() throws InterruptedException {
        Request request = bind();

        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.path()).isEqualTo(BINDING);
        assertThat(request.header("Content-Type")).contains("application/json");
        assertThat(request.body()).contains("\"uid\":\"u1\"");
    }

    @Test
    void sendsTheCredentialsThatTheClientHasByThen() throws InterruptedException {
        Request first = bind();
        token.set("second");
        Request second = bind();

        assertThat(first.header("Authorization")).contains("Bearer first");
        assertThat(first.header("Impersonate-User")).contains("scheduler");
        assertThat(second.header("Authorization")).contains("Bearer second");
    }

    @Test
    void reportsARejectionAndSendsNothingTwice() {
        server.on("POST", BINDING, request -> Response.status(500, "Expired", "no etcd"));

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class, e -> assertThat(e.httpStatus()).isEqualTo(500));
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void isNotSureOfAChangeWhoseAnswerWasLost() {
        server.on("POST", BINDING, request -> Response.disconnect());

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        e -> assertThat(e.outcome()).isEqualTo(ClusterException.Outcome.UNKNOWN));
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void reportsThatNothingWasSentToAMissingServer() {
        server.stop();

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        e -> assertThat(e.outcome()).isEqualTo(ClusterException.Outcome.NOT_SENT));
    }

    @Test
    void readsAnAnswerAsItComesAndEndsWhenItIsCancelled() throws IOException {
        String line = "{\"type\":\"BOOKMARK\"}";
        server.on("GET", "/api/v1/pods", request -> Response.stream(new LinkedBlockingQueue<>(List.of(line))));
        ApiClient requests = Fabric8Requests.through(client);
        Call call = requests.http()
                .newBuilder()
                .readTimeout(Duration.ofSeconds(SOON))
                .build()
                .newCall(new okhttp3.Request.Builder()
                        .url(requests.address() + "/api/v1/pods")
                        .build());
        try (okhttp3.Response response = call.execute()) {
            assertThat(response.body().source().readUtf8Line()).isEqualTo(line);
            CompletableFuture<Void> cancelled = CompletableFuture.runAsync(call::cancel);

            assertThatThrownBy(() -> response.body().source().readByte())
                    .isInstanceOf(IOException.class)
                    .hasMessage("Canceled");
            cancelled.orTimeout(SOON, TimeUnit.SECONDS).join();
        }
    }

    @Test
    void endsWhenTheServerIsSilentForTooLong() {
        server.on("GET", "/version", request -> Response.silence());
        ApiClient requests = Fabric8Requests.through(client);
        Call call = requests.http()
                .newBuilder()
                .readTimeout(Duration.ofMillis(100))
                .build()
                .newCall(new okhttp3.Request.Builder()
                        .url(requests.address() + "/version")
                        .build());

        assertThatThrownBy(call::execute).isInstanceOf(IOException.class).hasMessage("timeout");
    }
}
