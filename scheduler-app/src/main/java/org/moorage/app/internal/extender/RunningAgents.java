// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.metrics.ExtenderMetrics;
import org.moorage.app.internal.metrics.HttpMetrics;
import org.moorage.app.internal.metrics.MetricsText;
import org.moorage.app.internal.metrics.PrometheusMetrics;
import org.moorage.app.internal.process.CommandException;
import org.moorage.config.ConfigException;
import org.moorage.config.ExtenderServerConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.extender.ExtenderAgent;
import org.moorage.extender.RequestMemory;
import org.moorage.objects.Suggestions;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.metrics.SchedulerListener;

/** The agents of a configuration, each with its server. */
public final class RunningAgents implements AutoCloseable {
    private static final int HIGHEST_PORT = 65_535;

    private final List<ExtenderServer> servers;

    private RunningAgents(List<ExtenderServer> servers) {
        this.servers = servers;
    }

    /**
     * The parameters that agents share.
     *
     * @param registry the registered plugins
     * @param features the feature gates
     * @param bindAddress the IP address to listen on
     * @param firstPort the port of the first agent; one that the configuration gives no port has this one and its
     *     position
     * @param version the response of {@code /version}
     * @param limit the maximum time of a response
     * @param cluster makes a cluster for an agent that knows one; each has its own
     * @param listener receives the events of the agents
     * @param memory the memory for the requests of all agents
     * @param clock measures, and never goes back
     * @param threads makes the threads that answer
     */
    public record Settings(
            PluginRegistry registry,
            FeatureGates features,
            String bindAddress,
            int firstPort,
            String version,
            Duration limit,
            Supplier<Cluster> cluster,
            SchedulerListener listener,
            RequestMemory memory,
            InstantSource clock,
            ThreadFactory threads) {}

    /**
     * Creates agents that listen; they answer after {@link #start}.
     *
     * @param config the configuration
     * @param names the agents to run; all if empty
     * @throws ConfigException if the plugins cannot be made
     * @throws CommandException if a name is unknown, or an address is taken
     */
    public static RunningAgents listen(ExtenderServerConfig config, List<String> names, Settings settings) {
        List<ExtenderServer> servers = new ArrayList<>();
        boolean listens = false;
        try {
            for (ExtenderServerConfig.Agent agent : chosen(config, names)) {
                // With port 0 each agent listens on any free port.
                int port = agent.port().orElse(settings.firstPort() == 0 ? 0 : settings.firstPort() + servers.size());
                if (port > HIGHEST_PORT) {
                    throw new CommandException(
                            agent.path() + ".port: " + port + " (expected: at most " + HIGHEST_PORT + ")");
                }
                servers.add(listen(config, agent, port, settings));
            }
            listens = true;
        } finally {
            if (!listens) {
                servers.forEach(ExtenderServer::close);
            }
        }
        return new RunningAgents(servers);
    }

    private static List<ExtenderServerConfig.Agent> chosen(ExtenderServerConfig config, List<String> names) {
        if (names.isEmpty()) {
            return config.agents();
        }
        List<String> known =
                config.agents().stream().map(ExtenderServerConfig.Agent::name).toList();
        List<ExtenderServerConfig.Agent> chosen = new ArrayList<>();
        for (String name : names) {
            int index = known.indexOf(name);
            if (index < 0) {
                throw new CommandException("--agents: \"" + name + "\" (expected: agents of " + config.sourceName()
                        + ", which has " + String.join(", ", known) + ")." + Suggestions.hint(name, known));
            }
            if (chosen.contains(config.agents().get(index))) {
                throw new CommandException("--agents: \"" + name + "\" (expected: each agent once)");
            }
            chosen.add(config.agents().get(index));
        }
        return chosen;
    }

    private static ExtenderServer listen(
            ExtenderServerConfig config, ExtenderServerConfig.Agent chosen, int port, Settings settings) {
        PrometheusRegistry measured = new PrometheusRegistry();
        PrometheusMetrics metrics = new PrometheusMetrics(measured, settings.clock());
        ExtenderAgent.Settings made = new ExtenderAgent.Settings(
                settings.registry(),
                settings.features(),
                settings.limit(),
                List.of(metrics, settings.listener()),
                settings.memory());
        ExtenderAgent agent = chosen.nodeCache()
                ? ExtenderAgent.of(config, chosen, settings.cluster().get(), made)
                : ExtenderAgent.withoutCluster(config, chosen, made);
        ExtenderServer.Settings serving = new ExtenderServer.Settings(
                settings.bindAddress(),
                port,
                settings.version(),
                settings.limit(),
                settings.clock(),
                settings.threads());
        Optional<ExtenderServer> listening = Optional.empty();
        try {
            listening = Optional.of(ExtenderServer.listen(
                    chosen, agent, serving, new MetricsText(measured, Set.of()), new ExtenderMetrics(measured)));
            HttpMetrics.register(measured, listening.get()::overload);
            return listening.get();
        } finally {
            if (listening.isEmpty()) {
                agent.close();
            }
        }
    }

    /** Starts the agents, including those that watch a cluster, and lets all of them answer requests. */
    public void start() {
        for (ExtenderServer server : servers) {
            server.agent().start();
            server.ready();
        }
    }

    /** The servers, in the order of the agents. */
    public List<ExtenderServer> servers() {
        return List.copyOf(servers);
    }

    /** Stops listening and answers the requests that were received. Calling it again has no effect. */
    public void stop() {
        servers.forEach(ExtenderServer::close);
    }

    @Override
    public void close() {
        stop();
    }
}
