// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.config.LeaderElection;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.testkit.Pods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/** A process that competes for a Lease, and binds pods. */
class LeadershipTest {
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";

    private final FakeApiServer server = FakeApiServer.start();

    @BeforeEach
    void start() {
        server.on("POST", "/api/v1/namespaces/default/pods/p/binding", request -> Response.status(201, "", ""));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ApiClient client() {
        return new ApiClient(server.address(), new OkHttpClient());
    }

    private String holder() {
        return server.object(LEASE)
                .flatMap(lease -> lease.string("spec", "holderIdentity"))
                .orElseThrow();
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
        return server.requests().stream().anyMatch(request -> request.path().endsWith("/binding"));
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
            assertThat(holder()).startsWith("host_");

            for (String method : List.of("GET", "PUT")) {
                server.on(method, LEASE, request -> Response.status(500, "InternalError", "no"));
            }
            assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> cluster.delete(ObjectKind.POD, "default", "p"))
                    .hasMessageContaining("not the leader");
            assertThat(server.requests()).noneMatch(request -> request.method().equals("DELETE"));
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
        assertThat(holder()).isEmpty();
        assertThat(server.requests())
                .anyMatch(request -> request.path().equals("/api/v1/namespaces/kube-system/events"));
    }

    @Test
    void doesNotLeadOnceItIsClosed() {
        Leadership leadership = candidate();
        leadership.close();

        assertThat(leadership.awaitLeading()).isFalse();
    }
}
