// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.simulation.cluster.InMemoryCluster;

/**
 * The requests that kube-scheduler v1.37.2 sent to two extenders, one of which knows the nodes, on a real control
 * plane: a pod that fits on two nodes, and one that needs room. Ours must have the same bodies, whole, but for the
 * managed fields of nodes.
 */
@Timeout(120)
class ExtenderRequestsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final TreeDecoder DECODER = new TreeDecoder();

    private final Map<String, JsonNode> recorded = recorded();
    private final Map<String, JsonNode> sent = new ConcurrentHashMap<>();

    private static Map<String, JsonNode> recorded() {
        Map<String, JsonNode> bodies = new TreeMap<>();
        try (InputStream lines =
                Objects.requireNonNull(ExtenderRequestsTest.class.getResourceAsStream("extender-requests.jsonl"))) {
            for (String line : new String(lines.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                JsonNode request = JSON.readTree(line);
                bodies.put(request.path("path").asText(), withoutManagedFields(request.path("body")));
            }
            return bodies;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // kube-scheduler drops them from pods only; no decision uses them, and they are often half of a node.
    private static JsonNode withoutManagedFields(JsonNode body) {
        for (JsonNode node : body.path("Nodes").path("items")) {
            ((ObjectNode) node.path("metadata")).remove("managedFields");
        }
        return body;
    }

    private JsonNode recorded(String path) {
        return Objects.requireNonNull(recorded.get(path), path);
    }

    private static Pod pod(JsonNode tree) {
        return DECODER.pod((ObjectNode) tree, EnumSet.allOf(KeptJson.class));
    }

    @Test
    void areThoseOfKubeScheduler() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            sent.put(path, body);
            byte[] answer = JSON.writeValueAsBytes(answer(path, body));
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            JsonNode filter = recorded("/whole/filter");
            InMemoryCluster cluster = new InMemoryCluster();
            for (JsonNode node : filter.path("Nodes").path("items")) {
                Node decoded = DECODER.node((ObjectNode) node, EnumSet.allOf(KeptJson.class));
                cluster.apply(decoded);
            }
            recorded("/whole/preempt")
                    .path("NodeNameToVictims")
                    .forEach(victims -> victims.path("Pods").forEach(victim -> cluster.apply(pod(victim))));
            Pod web = pod(filter.path("Pod"));
            assertThat(evaluate(server, cluster, web).feasible()).hasSize(2);
            cluster.apply(web.withNode("n2"));
            Pod big = pod(recorded("/whole/preempt").path("Pod"));
            assertThat(evaluate(server, cluster, big).preemption()).isPresent();
        } finally {
            server.stop(0);
        }

        assertThat(sent.keySet()).isEqualTo(recorded.keySet());
        recorded.forEach((path, body) -> assertThat(inOrder(Objects.requireNonNull(sent.get(path))))
                .as(path)
                .isEqualTo(inOrder(body)));
    }

    private static Evaluation evaluate(HttpServer server, InMemoryCluster cluster, Pod pod) {
        PluginRegistry registry = ConformanceTest.plugins();
        String extender = """
                - urlPrefix: http://127.0.0.1:%d/%s
                  filterVerb: filter
                  prioritizeVerb: prioritize
                  weight: 1
                  preemptVerb: preempt
                  nodeCacheCapable: %b
                """;
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                extenders:
                """
                + extender.formatted(server.getAddress().getPort(), "whole", false)
                + extender.formatted(server.getAddress().getPort(), "names", true);
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(config, "config", registry), registry, cluster)
                .bindingExecutor(Runnable::run)
                .build()) {
            scheduler.start();
            return scheduler.evaluate(pod);
        }
    }

    // Leaves everything as it is.
    private static JsonNode answer(String path, JsonNode body) {
        ObjectNode answer = JSON.createObjectNode();
        if (path.endsWith("prioritize")) {
            return JSON.createArrayNode();
        }
        if (path.endsWith("filter")) {
            answer.set("Nodes", body.path("Nodes"));
            answer.set("NodeNames", body.path("NodeNames"));
            return answer;
        }
        ObjectNode left = answer.putObject("NodeNameToMetaVictims");
        body.path("NodeNameToVictims").properties().forEach(node -> {
            ObjectNode victims = left.putObject(node.getKey());
            node.getValue()
                    .path("Pods")
                    .forEach(pod -> victims.withArray("/Pods")
                            .addObject()
                            .put("UID", pod.path("metadata").path("uid").asText()));
        });
        body.path("NodeNameToMetaVictims").properties().forEach(node -> left.set(node.getKey(), node.getValue()));
        return answer;
    }

    // kube-scheduler looks at nodes in any order.
    private static Object inOrder(JsonNode body) {
        JsonNode copy = body.deepCopy();
        List<JsonNode> lists =
                List.of(copy.path("NodeNames"), copy.path("Nodes").path("items"));
        for (JsonNode list : lists) {
            Map<String, JsonNode> byName = new TreeMap<>();
            list.forEach(item -> byName.put(
                    item.isTextual()
                            ? item.asText()
                            : item.path("metadata").path("name").asText(),
                    item));
            if (list instanceof ArrayNode array) {
                array.removeAll().addAll(byName.values());
            }
        }
        return copy;
    }
}
