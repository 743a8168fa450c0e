// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.ClusterException;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.testkit.Pods;

/** A process that competes for the Lease of an API server which keeps one object, and that binds pods. */
class LeadershipTest {
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile String lease = "";
    private volatile int failure;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            requests.add(exchange.getRequestMethod() + " " + path);
            boolean isLease = path.contains("/leases");
            int code = isLease && failure != 0 ? failure : 200;
            if (isLease && code == 200) {
                if (exchange.getRequestMethod().equals("GET") && lease.isEmpty()) {
                    code = 404;
                } else if (!exchange.getRequestMethod().equals("GET")) {
                    lease = body;
                }
            }
            byte[] bytes = (isLease && code == 200 ? lease : "{}").getBytes(UTF_8);
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private ApiClient client() {
        return new ApiClient("http://127.0.0.1:" + server.getAddress().getPort(), new OkHttpClient());
    }

    private Leadership candidate() {
        LeaderElection settings = new LeaderElection(
                true,
                Duration.ofSeconds(20),
                Duration.ofSeconds(5),
                Duration.ofMillis(100),
                "leases",
                "kube-scheduler",
                "kube-system");
        return new Leadership(
                new ApiRequests(client(), InstantSource.system(), RequestMetrics.NONE),
                settings,
                "host",
                "default-scheduler",
                InstantSource.system(),
                new Random(1),
                Executors.defaultThreadFactory());
    }

    private boolean isBound() {
        return requests.stream().anyMatch(request -> request.endsWith("/binding"));
    }

    @Test
    void letsOnlyALeaderWrite() throws InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        ApiClient client = client();
        try (Leadership leadership = candidate();
                KubernetesCluster cluster = new KubernetesCluster(
                        guarded(client, leadership),
                        ClusterSettings.on("host"),
                        InstantSource.system(),
                        new Random(1),
                        Executors.defaultThreadFactory())) {
            assertThatThrownBy(() -> cluster.bind(Pods.named("p").build(), "n"))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("not the leader (lease kube-system/kube-scheduler)");
            assertThat(isBound()).isFalse();

            leadership.start(lost::countDown);
            assertThat(leadership.awaitLeading()).isTrue();
            cluster.bind(Pods.named("p").build(), "n");
            assertThat(isBound()).isTrue();
            assertThat(lease).contains("\"holderIdentity\":\"host_");

            failure = 500;
            assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
            requests.clear();
            assertThatThrownBy(() -> cluster.delete(ObjectKind.POD, "default", "p"))
                    .hasMessageContaining("not the leader");
            assertThat(requests).noneMatch(request -> request.startsWith("DELETE"));
        }
    }

    private static ApiClient guarded(ApiClient client, Leadership leadership) {
        return leadership.guard(client);
    }

    @Test
    void releasesTheLeaseWhenItIsClosed() {
        try (Leadership leadership = candidate()) {
            leadership.start(() -> {});
            assertThat(leadership.awaitLeading()).isTrue();
        }
        assertThat(lease).contains("\"holderIdentity\":\"\"");
        assertThat(requests).contains("POST /api/v1/namespaces/kube-system/events");
    }

    @Test
    void doesNotLeadOnceItIsClosed() {
        Leadership leadership = candidate();
        leadership.close();

        assertThat(leadership.awaitLeading()).isFalse();
    }
}
