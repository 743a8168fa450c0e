// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import io.kubernetes.client.util.credentials.TokenFileAuthentication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.testkit.Pods;

class ClientJavaRequestsTest {
    private static final String BOUND =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\",\"code\":201}";

    private final MockWebServer server = new MockWebServer();
    private final Pod pod = Pods.named("web").uid("u1").build();
    private ApiClient client;
    private InformerCluster cluster;

    @BeforeEach
    void start() throws IOException {
        server.start();
        client = new ApiClient().setBasePath("http://127.0.0.1:" + server.getPort());
        client.setReadTimeout(0);
    }

    private void open() {
        cluster = InformerCluster.of(ClientJavaRequests.through(client), kind -> Optional.empty());
    }

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private RecordedRequest bind() throws InterruptedException {
        server.enqueue(new MockResponse.Builder().code(201).body(BOUND).build());
        cluster.bind(pod, "n1");
        return server.takeRequest();
    }

    /** client-java's own call throws for this answer, after the pod has been bound. */
    @Test
    void takesAStatusForTheSuccessThatItIs() throws InterruptedException {
        open();
        server.enqueue(new MockResponse.Builder().code(201).body(BOUND).build());
        V1Binding binding = new V1Binding()
                .metadata(new V1ObjectMeta().name("web"))
                .target(new V1ObjectReference().kind("Node").name("n1"));
        assertThatThrownBy(() -> new CoreV1Api(client)
                        .createNamespacedPodBinding("web", "default", binding)
                        .execute())
                .isInstanceOf(RuntimeException.class);
        server.takeRequest();

        RecordedRequest request = bind();

        assertThat(request.getTarget()).isEqualTo("/api/v1/namespaces/default/pods/web/binding");
        assertThat(request.getBody().utf8()).contains("\"target\"").doesNotContain("overhead");
    }

    @Test
    void tellsOfARefusal() {
        open();
        server.enqueue(new MockResponse.Builder()
                .code(409)
                .body("{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"already assigned\",\"code\":409}")
                .build());

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class, e -> assertThat(e.isConflict()).isTrue());
    }

    @Test
    void sendsTheTokenThatTheClientHasByThen() throws InterruptedException {
        new AccessTokenAuthentication("first").provide(client);
        open();
        assertThat(bind().getHeaders().get("Authorization")).isEqualTo("Bearer first");

        client.setApiKey("second");

        assertThat(bind().getHeaders().get("Authorization")).isEqualTo("Bearer second");
    }

    @Test
    void sendsTheTokenOfAFileAsItIsByThen(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("token"), "first");
        new TokenFileAuthentication(file.toString(), Duration.ZERO).provide(client);
        open();
        assertThat(bind().getHeaders().get("Authorization")).isEqualTo("Bearer first");

        Files.writeString(file, "second");

        assertThat(bind().getHeaders().get("Authorization")).isEqualTo("Bearer second");
    }

    @Test
    void sendsTheDefaultHeadersOfTheClient() throws InterruptedException {
        client.addDefaultHeader("Impersonate-User", "scheduler");
        open();

        assertThat(bind().getHeaders().get("Impersonate-User")).isEqualTo("scheduler");
    }

    @Test
    void leavesTheClientOpen() {
        open();

        cluster.close();
        server.enqueue(new MockResponse.Builder().body("{\"major\":\"1\"}").build());

        assertThatCode(() -> client.getHttpClient()
                        .newCall(new okhttp3.Request.Builder()
                                .url(client.getBasePath() + "/version")
                                .build())
                        .execute()
                        .close())
                .doesNotThrowAnyException();
    }
}
