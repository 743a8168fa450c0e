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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.testkit.Pods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

class ClientJavaRequestsTest {
    private static final String BINDING = "/api/v1/namespaces/default/pods/web/binding";

    private final FakeApiServer server = FakeApiServer.start();
    private final Pod pod = Pods.named("web").uid("u1").build();
    private ApiClient client;
    private InformerCluster cluster;

    @BeforeEach
    void start() {
        server.on("POST", BINDING, request -> Response.status(201, "", ""));
        client = new ApiClient().setBasePath(server.address());
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

    private Request bind() throws InterruptedException {
        cluster.bind(pod, "n1");
        return server.takeRequest();
    }

    /** client-java's own call throws for this answer, after the pod has been bound. */
    @Test
    void takesAStatusForTheSuccessThatItIs() throws InterruptedException {
        open();
        V1Binding binding = new V1Binding()
                .metadata(new V1ObjectMeta().name("web"))
                .target(new V1ObjectReference().kind("Node").name("n1"));
        assertThatThrownBy(() -> new CoreV1Api(client)
                        .createNamespacedPodBinding("web", "default", binding)
                        .execute())
                .isInstanceOf(RuntimeException.class);
        server.takeRequest();

        Request request = bind();

        assertThat(request.path()).isEqualTo(BINDING);
        assertThat(request.body()).contains("\"target\"").doesNotContain("overhead");
    }

    @Test
    void reportsARejection() {
        open();
        server.on("POST", BINDING, request -> Response.status(409, "Conflict", "already assigned"));

        assertThatThrownBy(() -> cluster.bind(pod, "n1"))
                .isInstanceOfSatisfying(
                        ClusterException.class, e -> assertThat(e.isConflict()).isTrue());
    }

    @Test
    void sendsTheTokenThatTheClientHasByThen() throws InterruptedException {
        new AccessTokenAuthentication("first").provide(client);
        open();
        assertThat(bind().header("Authorization")).contains("Bearer first");

        client.setApiKey("second");

        assertThat(bind().header("Authorization")).contains("Bearer second");
    }

    @Test
    void sendsTheTokenOfAFileAsItIsByThen(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("token"), "first");
        new TokenFileAuthentication(file.toString(), Duration.ZERO).provide(client);
        open();
        assertThat(bind().header("Authorization")).contains("Bearer first");

        Files.writeString(file, "second");

        assertThat(bind().header("Authorization")).contains("Bearer second");
    }

    @Test
    void sendsTheDefaultHeadersOfTheClient() throws InterruptedException {
        client.addDefaultHeader("Impersonate-User", "scheduler");
        open();

        assertThat(bind().header("Impersonate-User")).contains("scheduler");
    }

    @Test
    void leavesTheClientOpen() {
        open();

        cluster.close();

        assertThatCode(() -> client.getHttpClient()
                        .newCall(new okhttp3.Request.Builder()
                                .url(client.getBasePath() + "/version")
                                .build())
                        .execute()
                        .close())
                .doesNotThrowAnyException();
    }
}
