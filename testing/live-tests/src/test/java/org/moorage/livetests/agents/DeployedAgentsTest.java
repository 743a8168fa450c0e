// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.config.ExtenderServerReader;
import org.moorage.config.plugin.PluginRegistry;

/**
 * The agents of {@code deploy/extender-agents} have existing plugins and arguments, and the routes that kube-scheduler
 * is configured with.
 */
class DeployedAgentsTest {
    private static final Path CONFIG_MAP =
            Path.of(System.getProperty("basedir", "."), "..", "..", "deploy", "extender-agents", "base", "agents.yaml");

    @Test
    void areRead() throws IOException {
        JsonNode configMap = new YAMLMapper().readTree(CONFIG_MAP.toFile());
        PluginRegistry registry =
                PluginRegistry.of(KubeSchedulerPlugins.all()).withServices(DeployedAgentsTest.class.getClassLoader());

        ExtenderServerConfig config = ExtenderServerReader.read(
                configMap.path("data").path("extender.yaml").asText(),
                CONFIG_MAP.toString(),
                registry,
                FeatureGates.DEFAULTS);

        Map<String, String> routes = new TreeMap<>();
        config.agents()
                .forEach(agent -> routes.put(
                        agent.name(),
                        agent.plugins().stream()
                                .map(ExtenderServerConfig.AgentPlugin::route)
                                .toList()
                                .toString()));
        assertThat(routes)
                .containsOnly(
                        Map.entry("congestion", "[congestion]"),
                        Map.entry("foo", "[foo]"),
                        Map.entry("pigeon", "[pigeon-holing]"),
                        Map.entry("rl", "[rl-priority]"),
                        Map.entry("safe", "[safe-overload, safe-balance]"));
    }
}
