// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.Section;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.plugin.PluginRegistry;

/** Reads configurations of the kind {@code ExtenderConfiguration}, as strictly as {@link ConfigLoader} reads those of schedulers. */
public final class ExtenderServerReader {
    private static final String API_VERSION = "moorage.org/v1";
    private static final String KIND = "ExtenderConfiguration";
    private static final String PREFIX = "/scheduler";
    private static final int MOST_SCORE = 100;
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern WORD_BEGIN = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");
    private static final Pattern ROUTE = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");
    private static final Pattern PATH = Pattern.compile("(/[-A-Za-z0-9_.~]+)*");

    private final Section top;
    private final PluginRegistry registry;
    private final FeatureGates features;
    private final Map<String, String> originByPath;

    private ExtenderServerReader(
            Section top, PluginRegistry registry, FeatureGates features, Map<String, String> originByPath) {
        this.top = top;
        this.registry = registry;
        this.features = features;
        this.originByPath = originByPath;
    }

    /**
     * Reads a configuration.
     *
     * @param text the text, in YAML or JSON
     * @param sourceName what it was read from, for messages
     * @param registry the plugins that there are
     * @param features which features are on
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public static ExtenderServerConfig read(
            String text, String sourceName, PluginRegistry registry, FeatureGates features) {
        Problems problems = Problems.collector();
        SourceTree tree = SourceTree.read(text, sourceName, problems);
        Map<String, String> originByPath = new LinkedHashMap<>();
        Section top = Section.root(tree, originByPath, problems);
        ClientConnection connection = new ClientConnection("", "", "", 0, 0);
        List<ExtenderServerConfig.Agent> agents = List.of();
        boolean readable = problems.isEmpty() || tree.root().size() > 0;
        if (readable && isThisFormat(top)) {
            ExtenderServerReader reader = new ExtenderServerReader(top, registry, features, originByPath);
            connection = ConfigReader.clientConnection(top.child("clientConnection"));
            agents = reader.agents();
            top.finish();
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(sourceName, problems.all(), tree.locations());
        }
        return new ExtenderServerConfig(sourceName, connection, agents, tree.locations());
    }

    private static boolean isThisFormat(Section top) {
        boolean isOurs = isGiven(top, "apiVersion", API_VERSION);
        return isGiven(top, "kind", KIND) && isOurs;
    }

    private static boolean isGiven(Section top, String field, String expected) {
        String value = top.textUnlessBlank(field, "");
        if (top.isBlank(field)) {
            top.at(field).missing(expected);
        } else if (!value.isEmpty() && !value.equals(expected)) {
            top.at(field).invalid(value, expected);
        }
        return value.equals(expected);
    }

    private List<ExtenderServerConfig.Agent> agents() {
        List<ExtenderServerConfig.Agent> agents = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Section section : top.children("agents")) {
            String name = section.textUnlessBlank("name", "");
            if (section.isBlank("name")) {
                section.at("name").missing("a name, such as that of the agent's main plugin");
            } else if (!name.isEmpty() && !names.add(name)) {
                section.at("name").invalid(name, "another name for each agent");
            }
            agents.add(agent(name, section));
        }
        if (agents.isEmpty() && top.given("agents").isMissingNode()) {
            top.at("agents").missing("a list with at least one agent");
        } else if (agents.isEmpty() && isEmptyList(top, "agents")) {
            top.at("agents").report("[] (expected: at least one agent)");
        }
        return agents;
    }

    private ExtenderServerConfig.Agent agent(String name, Section section) {
        OptionalInt port = section.optionalInteger("port");
        port.ifPresent(number -> {
            if (number < 0 || number > HIGHEST_PORT) {
                section.at("port").invalid(number, "0 to " + HIGHEST_PORT + "; 0 for any that is free");
            }
        });
        String prefix = section.textUnlessBlank("prefix", PREFIX);
        if (!PATH.matcher(prefix).matches()) {
            section.at("prefix").invalid(prefix, "a path such as " + PREFIX + ", without a slash at its end");
        }
        ExtenderServerConfig.Agent agent = new ExtenderServerConfig.Agent(
                name,
                section.problems().path(),
                port,
                section.optionalChild("tls").map(ExtenderServerReader::tls),
                section.bool("nodeCache", false),
                prefix,
                plugins(section));
        section.finish();
        return agent;
    }

    private static ExtenderServerConfig.Tls tls(Section section) {
        ExtenderServerConfig.Tls tls = new ExtenderServerConfig.Tls(
                section.textUnlessBlank("certFile", ""),
                section.textUnlessBlank("keyFile", ""),
                section.optionalText("clientCAFile"));
        for (String field : List.of("certFile", "keyFile")) {
            if (section.isBlank(field)) {
                section.at(field).missing("a file in PEM format");
            }
        }
        section.finish();
        return tls;
    }

    private List<ExtenderServerConfig.AgentPlugin> plugins(Section agent) {
        List<ExtenderServerConfig.AgentPlugin> plugins = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> routes = new HashSet<>();
        List<Section> sections = agent.children("plugins");
        for (Section section : sections) {
            String name = section.textUnlessBlank("name", "");
            PluginFactory<?> factory = registry.find(name).orElse(null);
            if (section.isBlank("name")) {
                section.at("name").missing("the name of a plugin");
            } else if (!name.isEmpty() && factory == null) {
                section.at("name").report(ProfileReader.unregistered(name, suggestion(name)));
            } else if (!name.isEmpty() && !names.add(name)) {
                section.at("name").invalid(name, "each plugin once");
            }
            String route = section.textUnlessBlank("as", kebabCase(name));
            if (!name.isEmpty() && !ROUTE.matcher(route).matches()) {
                section.at("as").invalid(route, "letters, digits, '-', '_' and '.'");
            } else if (!name.isEmpty() && !routes.add(route)) {
                section.at("as").invalid(route, "another route for each plugin");
            }
            int maxScore = section.integer("maxScore", MOST_SCORE);
            if (maxScore < 1 || maxScore > MOST_SCORE) {
                section.at("maxScore").invalid(maxScore, "1 to " + MOST_SCORE);
            }
            int weight = section.integer("weight", 1);
            if (weight < 1) {
                section.at("weight").invalid(weight, "more than 0");
            }
            PluginArguments arguments =
                    new PluginArguments(name, factory, section, section.effective(), section.at("args"), features);
            arguments.read(section.given("args"));
            arguments.finish(originByPath);
            section.finish();
            arguments
                    .bound()
                    .ifPresent(args ->
                            plugins.add(new ExtenderServerConfig.AgentPlugin(name, args, route, maxScore, weight)));
        }
        if (sections.isEmpty() && agent.given("plugins").isMissingNode()) {
            agent.at("plugins").missing("a list with at least one plugin");
        } else if (sections.isEmpty() && isEmptyList(agent, "plugins")) {
            agent.at("plugins").report("[] (expected: at least one plugin)");
        }
        return plugins;
    }

    // What is no list at all is reported where it is read.
    private static boolean isEmptyList(Section section, String field) {
        return section.given(field).isArray() && section.given(field).isEmpty();
    }

    private Optional<String> suggestion(String plugin) {
        List<String> names = new ArrayList<>();
        registry.factories().forEach(factory -> names.add(factory.name()));
        return Suggestion.closest(plugin, names);
    }

    // SafeOverload becomes safe-overload.
    private static String kebabCase(String name) {
        return WORD_BEGIN.matcher(name).replaceAll("-").toLowerCase(Locale.ROOT);
    }
}
