// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.agents;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.moorage.api.plugin.FeatureGates;
import org.moorage.app.command.OwnPlugins;
import org.moorage.app.extender.RunningAgents;
import org.moorage.runtime.SchedulerListener;
import org.moorage.runtime.config.ExtenderServerReader;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** kubeRL's scores over HTTP, by the route that its extender had, while the cluster's pods fail and run. */
class RewardBiasOverHttpTest {
    private static final Path CONFIG =
            Path.of(System.getProperty("basedir", "."), "..", "examples", "safe-agents", "extender.yaml");
    private static final String QUESTION = """
            {"Pod": {"metadata": {"name": "waiting", "namespace": "default", "labels": {"podtype": "D"}}}, "NodeNames": ["n"]}""";

    private final HttpClient client = HttpClient.newHttpClient();
    private final InMemoryCluster cluster = new InMemoryCluster();

    @Test
    void fallWithEachFailureAndRiseWithEachSuccess() throws IOException, InterruptedException {
        cluster.apply(Nodes.named("n").build());
        PluginRegistry registry =
                PluginRegistry.of(OwnPlugins.all()).withServices(getClass().getClassLoader());
        RunningAgents.Settings settings = new RunningAgents.Settings(
                registry,
                FeatureGates.DEFAULTS,
                "127.0.0.1",
                0,
                "1.2.3",
                Duration.ofSeconds(20),
                () -> cluster,
                new SchedulerListener() {},
                InstantSource.system(),
                Executors.defaultThreadFactory());
        String config = Files.readString(CONFIG).replaceAll("port: [0-9]+", "port: 0");
        try (RunningAgents agents = RunningAgents.listen(
                ExtenderServerReader.read(config, CONFIG.toString(), registry, FeatureGates.DEFAULTS),
                List.of("rl"),
                settings)) {
            agents.start();
            URI uri = URI.create(agents.servers().get(0).address() + "/priorities/rl-priority");
            List<Long> scores = new ArrayList<>();
            scores.add(score(uri));
            for (int i = 0; i < 5; i++) {
                become("failing" + i, "Failed");
                scores.add(score(uri));
            }
            become("healthy", "Running");
            scores.add(score(uri));

            // Of a type that has not run yet nothing is known, which is 0 there.
            assertThat(scores).containsExactly(0L, 9L, 8L, 7L, 6L, 5L, 6L);
        }
    }

    private void become(String name, String phase) {
        for (String next : List.of("Pending", phase)) {
            cluster.apply(Pods.named(name)
                    .label("podtype", "D")
                    .on("n")
                    .status(status -> status.phase(next))
                    .build());
        }
    }

    private long score(URI uri) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(20))
                .POST(BodyPublishers.ofString(QUESTION))
                .build();
        String body = client.send(request, BodyHandlers.ofString()).body();
        return new ObjectMapper().readTree(body).path(0).path("Score").asLong(-1);
    }
}
