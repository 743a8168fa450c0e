// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.testkit.Pods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/** Metrics of requests to the API server. */
class RequestMetricsTest {
    private static final Pod POD = Pods.named("a").build();
    private static final String BINDING = "/api/v1/namespaces/default/pods/a/binding";

    private final FakeApiServer server = FakeApiServer.start();
    private final List<String> told = new ArrayList<>();
    private final KubernetesCluster cluster = new KubernetesCluster(
            client(),
            ClusterSettings.on("host-1").withRate(0, 1).withMetrics(new Recorder()),
            InstantSource.system(),
            new Random(1),
            Thread::new);

    private ApiClient client() {
        return new ApiConnection(Optional.empty(), Optional.of(server.address())).open();
    }

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private final class Recorder implements RequestMetrics {
        private String host() {
            return server.address().substring("http://".length());
        }

        private void tell(String what, String host) {
            assertThat(host).isEqualTo(host());
            told.add(what);
        }

        @Override
        public void rateLimited(String method, String host, long nanos) {
            tell(method + " waited", host);
        }

        @Override
        public void answered(String method, String host, String code, boolean isRetry) {
            tell(method + " " + code + (isRetry ? " again" : ""), host);
        }

        @Override
        public void sent(String method, String host, long bytes) {
            tell(method + (bytes > 100 ? " sent a body" : " sent " + bytes), host);
        }

        @Override
        public void received(String method, String host, long bytes) {
            tell(method + " received " + bytes, host);
        }

        @Override
        public void ended(String method, String host, long nanos) {
            tell(method + " ended", host);
        }

        @Override
        public void podCallStarted(String type) {
            told.add(type + " started");
        }

        @Override
        public void podCallEnded(String type, boolean isSuccess, long nanos) {
            told.add(type + (isSuccess ? " succeeded" : " failed"));
        }
    }

    @Test
    void eachTryIsAnAnswerOfOneRequest() {
        AtomicInteger tries = new AtomicInteger();
        server.on(
                "POST",
                BINDING,
                request -> tries.incrementAndGet() == 1
                        ? Response.status(429, "TooManyRequests", "busy").with("Retry-After", "0")
                        : Response.ok("{}"));

        cluster.bind(POD, "n");

        assertThat(told)
                .containsExactly(
                        "pod_binding started",
                        "POST waited",
                        "POST 429",
                        "POST sent a body",
                        "POST waited",
                        "POST 200 again",
                        "POST sent a body",
                        // The response to a binding is not read, and this one has no length.
                        "POST received 0",
                        "POST ended",
                        "pod_binding succeeded");
    }

    @Test
    void aServerThatIsGoneIsAnErrorWithoutCodeForEachTry() {
        server.close();

        assertThatThrownBy(() -> cluster.bind(POD, "n")).isInstanceOf(ClusterException.class);

        List<String> expected = new ArrayList<>(List.of("pod_binding started"));
        for (int tries = 0; tries < 4; tries++) {
            expected.addAll(List.of("POST waited", "POST <error>", "POST sent a body", "POST ended"));
        }
        expected.add("pod_binding failed");
        assertThat(told).containsExactlyElementsOf(expected);
    }
}
