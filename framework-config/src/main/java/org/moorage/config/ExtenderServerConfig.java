// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.internal.Setting;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginSet;

/**
 * The plugins that serve as extenders of other schedulers: a complete and valid configuration of the kind {@code
 * ExtenderConfiguration}.
 *
 * @param sourceName the name of its source
 * @param clientConnection how agents that know the cluster talk to the API server
 * @param agents at least one, each with its own name
 * @param locationByPath the location of each setting
 */
public record ExtenderServerConfig(
        String sourceName, ClientConnection clientConnection, List<Agent> agents, Map<String, String> locationByPath) {
    public ExtenderServerConfig {
        agents = List.copyOf(agents);
        locationByPath = Collections.unmodifiableMap(new LinkedHashMap<>(locationByPath));
    }

    /**
     * Some plugins at one address.
     *
     * @param name the name, which is the one of the plugins' profile as well
     * @param path the path of the agent in the configuration, for messages: {@code agents[0]}
     * @param port the port; empty for one that is chosen elsewhere
     * @param tls how to serve over HTTPS; empty for HTTP
     * @param nodeCache whether it watches the cluster: requests may then carry names of nodes, and plugins see all
     *     nodes and pods
     * @param prefix what all its routes begin with
     * @param plugins at least one, each once, in the order in which they are called
     */
    public record Agent(
            String name,
            String path,
            OptionalInt port,
            Optional<Tls> tls,
            boolean nodeCache,
            String prefix,
            List<AgentPlugin> plugins) {
        public Agent {
            plugins = List.copyOf(plugins);
        }

        /**
         * Returns the configuration of a scheduler with these plugins.
         *
         * @param queueSort the plugin that sorts the queue and is asked last to bind, which such a scheduler needs and
         *     never uses
         */
        public SchedulerConfig schedulerConfig(String queueSort) {
            List<EnabledPlugin> enabled = new ArrayList<>();
            Map<String, PluginArgs> args = new LinkedHashMap<>();
            for (AgentPlugin plugin : plugins) {
                enabled.add(new EnabledPlugin(plugin.name(), 1));
                args.put(plugin.name(), plugin.args());
            }
            enabled.add(new EnabledPlugin(queueSort, 1));
            args.put(queueSort, PluginArgs.None.DEFAULTS);
            Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
            points.put(
                    ExtensionPoint.QUEUE_SORT,
                    new PluginSet(List.of(new EnabledPlugin(queueSort, 1)), List.of(PluginSet.ALL)));
            // No pod is ever taken from the queue, so no pod has to be gated.
            points.put(ExtensionPoint.PRE_ENQUEUE, new PluginSet(List.of(), List.of(PluginSet.ALL)));
            return ConfigReader.schedulerOf(
                    new ProfileConfig(name, OptionalInt.empty(), points, new PluginSet(enabled, List.of()), args));
        }
    }

    /**
     * A plugin of an agent.
     *
     * @param name the plugin
     * @param args its arguments
     * @param route its part of the routes that ask it alone
     * @param maxScore its highest score, which is scaled to 10, the highest score of an extender; 1 to 100
     * @param weight how much its scores count where all plugins are asked; more than 0
     */
    public record AgentPlugin(String name, PluginArgs args, String route, int maxScore, int weight) {}

    /**
     * How to serve over HTTPS.
     *
     * @param certFile the file with the server's certificate
     * @param keyFile the file with its key
     * @param clientCaFile the file with the authorities that sign client certificates; empty to accept any client
     */
    public record Tls(
            String certFile,
            String keyFile,
            @Setting(name = "clientCAFile") String clientCaFile) {}

    /** Returns the refusal of this configuration for what was only found when its plugins were made. */
    public ConfigException refusal(List<Problems.Problem> problems) {
        return new ConfigException(sourceName, problems, locationByPath);
    }
}
