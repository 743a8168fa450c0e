// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

@Timeout(30)
final class LiveObjectsTest {
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default", "uid": "1",
              "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "secret", "kubernetes.io/config.mirror": "m"}},
             "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "TOKEN", "value": "secret"}],
               "command": ["secret"], "resources": {"requests": {"cpu": "1"}}}]}}""";

    private final FakeApiServer server = FakeApiServer.start();

    @BeforeEach
    void putObjects() {
        server.put("{apiVersion: v1, kind: Node, metadata: {name: node-1, uid: n1}}");
        server.put(POD);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void refuse(String path, int code, String reason) {
        server.on("GET", path, request -> Response.status(code, reason, "no " + path));
    }

    private List<String> read(List<String> missing) {
        List<String> texts = new ArrayList<>();
        try (ApiRequests requests = new ApiRequests(
                new ApiConnection(Optional.empty(), Optional.of(server.address())).open(),
                MonotonicClock.system(),
                RequestMetrics.NONE)) {
            missing.addAll(LiveObjects.list(requests, object -> texts.add(new KeptFields(List.of()).text(object))));
        }
        return texts;
    }

    @Test
    void areTextsWithoutWhatMayBeSecret() {
        assertThat(read(new ArrayList<>()))
                .containsExactly(
                        "{\"metadata\":{\"name\":\"node-1\",\"uid\":\"n1\",\"resourceVersion\":\"2\"},\"apiVersion\":\"v1\",\"kind\":\"Node\"}",
                        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"uid\":\"1\","
                                + "\"annotations\":{\"kubernetes.io/config.mirror\":\"m\"},\"resourceVersion\":\"3\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                                + "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},"
                                + "\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
    }

    @Test
    void areReadInAnOlderVersionIfTheServerHasNoNewerOne() {
        refuse("/apis/resource.k8s.io/v1/deviceclasses", 404, "NotFound");
        server.put("{apiVersion: resource.k8s.io/v1beta2, kind: DeviceClass, metadata: {name: gpu, uid: g}}");

        assertThat(read(new ArrayList<>()))
                .contains(
                        "{\"metadata\":{\"name\":\"gpu\",\"uid\":\"g\",\"resourceVersion\":\"4\"},\"apiVersion\":\"resource.k8s.io/v1beta2\","
                                + "\"kind\":\"DeviceClass\"}");
    }

    @Test
    void areMissingWhereTheUserMayNotListThem() {
        refuse("/apis/apps/v1/deployments", 403, "Forbidden");
        List<String> missing = new ArrayList<>();

        assertThat(read(missing)).hasSize(2);
        assertThat(missing)
                .containsExactly("Deployment objects are omitted: list deployments: 403 Forbidden: no"
                        + " /apis/apps/v1/deployments");
    }

    @Test
    void areNothingWithoutPods() {
        refuse("/api/v1/pods", 403, "Forbidden");

        assertThatThrownBy(() -> read(new ArrayList<>()))
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("list pods: 403");
    }
}
