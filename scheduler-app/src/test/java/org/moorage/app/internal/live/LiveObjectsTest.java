// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.plugin.ClusterException;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.runtime.MonotonicClock;

@Timeout(30)
final class LiveObjectsTest {
    private static final String POD = """
            {"metadata": {"name": "web", "namespace": "default", "uid": "1",
              "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "secret", "kubernetes.io/config.mirror": "m"}},
             "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "TOKEN", "value": "secret"}],
               "command": ["secret"], "resources": {"requests": {"cpu": "1"}}}]}}""";

    private final Map<String, String> lists = new HashMap<>();
    private final List<String> forbidden = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                String path = exchange.getRequestURI().getPath();
                int code = forbidden.contains(path) ? 403 : lists.containsKey(path) ? 200 : 404;
                byte[] body = lists.getOrDefault(
                                path,
                                "{\"kind\":\"Status\",\"message\":\"no " + path + "\",\"reason\":\""
                                        + (code == 403 ? "Forbidden" : "NotFound") + "\"}")
                        .getBytes(UTF_8);
                exchange.sendResponseHeaders(code, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        lists.put("/api/v1/nodes", list("v1", "NodeList", "{\"metadata\": {\"name\": \"node-1\"}}"));
        lists.put("/api/v1/pods", list("v1", "PodList", POD));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static String list(String apiVersion, String kind, String item) {
        return "{\"apiVersion\": \"" + apiVersion + "\", \"kind\": \"" + kind
                + "\", \"metadata\": {\"resourceVersion\": \"5\"}, \"items\": [" + item + "]}";
    }

    private List<String> read(List<String> missing) {
        List<String> texts = new ArrayList<>();
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        try (ApiRequests requests = new ApiRequests(
                new ApiConnection(Optional.empty(), Optional.of(address)).open(),
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
                        "{\"metadata\":{\"name\":\"node-1\"},\"apiVersion\":\"v1\",\"kind\":\"Node\"}",
                        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"uid\":\"1\","
                                + "\"annotations\":{\"kubernetes.io/config.mirror\":\"m\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
                                + "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},"
                                + "\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
    }

    @Test
    void areReadInAnOlderVersionIfTheServerHasNoNewerOne() {
        lists.put(
                "/apis/resource.k8s.io/v1beta2/deviceclasses",
                list("resource.k8s.io/v1beta2", "DeviceClassList", "{\"metadata\": {\"name\": \"gpu\"}}"));

        assertThat(read(new ArrayList<>()))
                .contains("{\"metadata\":{\"name\":\"gpu\"},\"apiVersion\":\"resource.k8s.io/v1beta2\","
                        + "\"kind\":\"DeviceClass\"}");
    }

    @Test
    void areMissingWhereTheUserMayNotListThem() {
        forbidden.add("/apis/apps/v1/deployments");
        List<String> missing = new ArrayList<>();

        assertThat(read(missing)).hasSize(2);
        assertThat(missing)
                .containsExactly("Deployment objects are omitted: list deployments: 403 Forbidden: no"
                        + " /apis/apps/v1/deployments");
    }

    @Test
    void areNothingWithoutPods() {
        forbidden.add("/api/v1/pods");

        assertThatThrownBy(() -> read(new ArrayList<>()))
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("list pods: 403");
    }
}
