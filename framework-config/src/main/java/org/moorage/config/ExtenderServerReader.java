// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.Setting;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.internal.ZeroIsUnset;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;

/**
 * Reads configurations of the kind {@code ExtenderConfiguration}, as strictly as {@link ConfigLoader} reads those of
 * schedulers.
 */
public final class ExtenderServerReader {
    private static final String API_VERSION = "moorage.org/v1";
    private static final String KIND = "ExtenderConfiguration";
    private static final String PEM = "a file in PEM format";
    private static final int MOST_SCORE = 100;
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern WORD_BEGIN = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");
    private static final Pattern ROUTE = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");
    private static final Pattern PATH = Pattern.compile("(/[-A-Za-z0-9_.~]+)*");

    private final ReadContext context;

    private ExtenderServerReader(ReadContext context) {
        this.context = context;
    }

    /** The fields of a configuration. */
    record Settings(String apiVersion, String kind, ClientConnection clientConnection, List<Agent> agents) {
        static final Settings DEFAULTS = new Settings(API_VERSION, KIND, ClientConnection.DEFAULTS, List.of());
    }

    /** An agent. */
    @ZeroIsUnset
    record Agent(
            String name,
            OptionalInt port,
            String prefix,
            Optional<ExtenderServerConfig.Tls> tls,
            boolean nodeCache,
            List<AgentPlugin> plugins) {
        static final Agent DEFAULTS =
                new Agent("", OptionalInt.empty(), "/scheduler", Optional.empty(), false, List.of());
    }

    /** A plugin of an agent; its route is made of its name if that is empty. */
    record AgentPlugin(String name, @Setting(name = "as") String route, int maxScore, int weight, JsonNode args) {
        static final AgentPlugin DEFAULTS = new AgentPlugin("", "", MOST_SCORE, 1, MissingNode.getInstance());
    }

    /**
     * Reads a configuration.
     *
     * @param text the text, in YAML or JSON
     * @param sourceName what it was read from, for messages
     * @param registry the registered plugins
     * @param features which features are on
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public static ExtenderServerConfig read(
            String text, String sourceName, PluginRegistry registry, FeatureGates features) {
        Problems problems = Problems.collector();
        SourceTree tree = SourceTree.read(text, sourceName, problems);
        ClientConnection connection = ClientConnection.DEFAULTS;
        List<ExtenderServerConfig.Agent> agents = List.of();
        boolean isReadable = problems.isEmpty() || tree.root().size() > 0;
        if (isReadable && isThisFormat(tree.root(), problems)) {
            ReadContext context = ReadContext.of(tree, List.of(), registry, features, UnknownPlugins.REFUSED);
            Settings settings = context.binder().read(tree.root(), Settings.class, problems);
            connection = settings.clientConnection;
            connection.validate(problems.at("clientConnection"));
            agents = new ExtenderServerReader(context).agents(settings.agents, problems.at("agents"));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(sourceName, problems.all(), tree.locations());
        }
        return new ExtenderServerConfig(sourceName, connection, agents, tree.locations());
    }

    private static boolean isThisFormat(JsonNode root, Problems problems) {
        boolean isOurs = Scalars.isGiven(root, "apiVersion", API_VERSION, API_VERSION, problems);
        return Scalars.isGiven(root, "kind", KIND, KIND, problems) && isOurs;
    }

    private List<ExtenderServerConfig.Agent> agents(List<Agent> given, Problems problems) {
        List<ExtenderServerConfig.Agent> agents = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < given.size(); i++) {
            Problems at = problems.at(i);
            String name = given.get(i).name;
            if (!isMissing(at.at("name"), "a name, such as that of the agent's main plugin")
                    && !name.isEmpty()
                    && !names.add(name)) {
                at.at("name").invalid(name, "another name for each agent");
            }
            agents.add(agent(given.get(i), at));
        }
        checkItems(problems, "agent");
        return agents;
    }

    private ExtenderServerConfig.Agent agent(Agent agent, Problems at) {
        agent.port.ifPresent(port -> {
            if (port < 0 || port > HIGHEST_PORT) {
                at.at("port").invalid(port, "0 to " + HIGHEST_PORT + "; 0 for any that is free");
            }
        });
        if (!PATH.matcher(agent.prefix).matches()) {
            at.at("prefix")
                    .invalid(agent.prefix, "a path such as " + Agent.DEFAULTS.prefix + ", without a slash at its end");
        }
        if (agent.tls.isPresent()) {
            isMissing(at.at("tls").at("certFile"), PEM);
            isMissing(at.at("tls").at("keyFile"), PEM);
        }
        List<ExtenderServerConfig.AgentPlugin> plugins = plugins(agent.plugins, at.at("plugins"));
        return new ExtenderServerConfig.Agent(
                agent.name, at.path(), agent.port, agent.tls, agent.nodeCache, agent.prefix, plugins);
    }

    private List<ExtenderServerConfig.AgentPlugin> plugins(List<AgentPlugin> given, Problems problems) {
        List<ExtenderServerConfig.AgentPlugin> plugins = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> routes = new HashSet<>();
        for (int i = 0; i < given.size(); i++) {
            AgentPlugin plugin = given.get(i);
            Problems at = problems.at(i);
            String name = plugin.name;
            String route = plugin.route.isEmpty() ? kebabCase(name) : plugin.route;
            if (!isMissing(at.at("name"), "the name of a plugin") && !name.isEmpty()) {
                if (!context.isRegistered(name)) {
                    at.at("name").report(ProfileReader.unregistered(name, suggestion(name)));
                } else if (!names.add(name)) {
                    at.at("name").invalid(name, "each plugin once");
                }
                if (!ROUTE.matcher(route).matches()) {
                    at.at("as").invalid(route, "letters, digits, '-', '_' and '.'");
                } else if (!routes.add(route)) {
                    at.at("as").invalid(route, "another route for each plugin");
                }
            }
            if (plugin.maxScore < 1 || plugin.maxScore > MOST_SCORE) {
                at.at("maxScore").invalid(plugin.maxScore, "1 to " + MOST_SCORE);
            }
            if (plugin.weight < 1) {
                at.at("weight").invalid(plugin.weight, "more than 0");
            }
            PluginArguments arguments = new PluginArguments(name, at.at("args"), context);
            arguments.read(plugin.args);
            arguments.finish();
            arguments
                    .bound()
                    .ifPresent(args -> plugins.add(
                            new ExtenderServerConfig.AgentPlugin(name, args, route, plugin.maxScore, plugin.weight)));
        }
        checkItems(problems, "plugin");
        return plugins;
    }

    // Whether a text is missing, which is reported.
    private boolean isMissing(Problems at, String expected) {
        boolean isBlank = context.tree().isBlank(at.path());
        if (isBlank) {
            at.missing(expected);
        }
        return isBlank;
    }

    // Reports a list without items; a value that is no list is reported where it is read.
    private void checkItems(Problems at, String item) {
        JsonNode list = context.tree().at(at.path());
        if (list.isMissingNode() || list.isNull()) {
            at.missing("a list with at least one " + item);
        } else if (list.isArray() && list.isEmpty()) {
            at.report("[] (expected: at least one " + item + ")");
        }
    }

    private Optional<String> suggestion(String plugin) {
        List<String> names = new ArrayList<>();
        context.registry().factories().forEach(factory -> names.add(factory.name()));
        return Suggestion.closest(plugin, names);
    }

    // SafeOverload becomes safe-overload.
    private static String kebabCase(String name) {
        return WORD_BEGIN.matcher(name).replaceAll("-").toLowerCase(Locale.ROOT);
    }
}
