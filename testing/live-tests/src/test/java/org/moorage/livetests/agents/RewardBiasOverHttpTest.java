// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.extender.RunningAgents;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ExtenderServerReader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.extender.RequestMemory;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** Tests kubeRL's scores over HTTP, on the route of its extender, while the cluster's pods fail and run. */
class RewardBiasOverHttpTest {
    private static final Path CONFIG =
            Path.of(System.getProperty("basedir", "."), "..", "..", "plugins-safe", "extender.yaml");
    private static final String QUESTION = """
            {"Pod": {"metadata": {"name": "waiting", "namespace": "default", "labels": {"podtype": "%s"}}},\
             "NodeNames": ["n", "other"]}""";

    private final HttpClient client = HttpClient.newHttpClient();
    private final InMemoryCluster cluster = new InMemoryCluster();

    @Test
    void fallWithEachFailureAndRiseWithEachSuccess() throws IOException, InterruptedException {
        cluster.apply(Nodes.named("n").build());
        cluster.apply(Nodes.named("other").build());
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                .withServices(getClass().getClassLoader());
        RunningAgents.Settings settings = new RunningAgents.Settings(
                registry,
                FeatureGates.DEFAULTS,
                "127.0.0.1",
                0,
                "1.2.3",
                Duration.ofMinutes(1),
                () -> cluster,
                new SchedulerListener() {},
                RequestMemory.ofHeap(),
                InstantSource.system(),
                Executors.defaultThreadFactory());
        String config = Files.readString(CONFIG).replaceAll("port: [0-9]+", "port: 0");
        try (RunningAgents agents = RunningAgents.listen(
                ExtenderServerReader.read(config, CONFIG.toString(), registry, FeatureGates.DEFAULTS),
                List.of("rl"),
                settings)) {
            agents.start();
            URI uri = URI.create(agents.servers().get(0).address() + "/priorities/rl-priority");
            List<List<Long>> scores = new ArrayList<>();
            scores.add(scores(uri, "D"));
            for (int i = 0; i < 7; i++) {
                become("D", "n", "failing" + i, "Failed");
                scores.add(scores(uri, "D"));
            }
            become("D", "other", "healthy", "Running");
            scores.add(scores(uri, "D"));

            // A node without outcomes of the type scores 0 there.
            assertThat(scores)
                    .containsExactly(
                            List.of(0L, 0L),
                            List.of(9L, 0L),
                            List.of(8L, 0L),
                            List.of(7L, 0L),
                            List.of(6L, 0L),
                            List.of(5L, 0L),
                            List.of(5L, 0L),
                            List.of(4L, 0L),
                            List.of(4L, 10L));

            for (int i = 0; i < 5; i++) {
                become("E", "n", "failing-e" + i, "Failed");
            }
            become("E", "n", "healthy-e", "Running");
            assertThat(scores(uri, "E")).containsExactly(6L, 0L);
        }
    }

    private void become(String type, String node, String name, String phase) {
        for (String next : List.of("Pending", phase)) {
            cluster.apply(Pods.named(name)
                    .label("podtype", type)
                    .on(node)
                    .status(status -> status.phase(next))
                    .build());
        }
    }

    /** Returns the scores of the nodes n and other. */
    private List<Long> scores(URI uri, String type) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofMinutes(1))
                .POST(BodyPublishers.ofString(QUESTION.formatted(type)))
                .build();
        String body = client.send(request, BodyHandlers.ofString()).body();
        List<Long> scores = new ArrayList<>();
        for (JsonNode host : new ObjectMapper().readTree(body)) {
            assertThat(host.path("Host").asText()).isEqualTo(scores.isEmpty() ? "n" : "other");
            scores.add(host.path("Score").asLong(-1));
        }
        return scores;
    }
}
