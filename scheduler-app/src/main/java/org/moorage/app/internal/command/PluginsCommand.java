// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.moorage.api.plugin.ExtensionPoint;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ArgumentsForm;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.Suggestions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists the plugins that configurations may name. */
@Command(
        name = "plugins",
        description = {
            "List available plugins and their arguments.",
            "",
            "With names of plugins, shows which values each of their arguments accepts."
        },
        footer = {"  moorage plugins", "  moorage plugins NodeResourcesFit --plugin-dir plugins"},
        exitCodeList = {"0:the plugins are listed"})
final class PluginsCommand implements Callable<Integer> {
    private static final String BUILT_IN = "built-in";
    private static final int WIDEST_POINTS = 50;
    private static final int WIDEST_DEFAULT = 60;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Terminal terminal;

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "Plugins; all if left out.")
    private List<String> names = new ArrayList<>();

    PluginsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The plugins, their extension points and their arguments. */
    private record PluginList(ObjectNode tree, boolean isDetailed) implements Report {
        @Override
        public void print(Terminal terminal) {
            (isDetailed ? details(tree) : table(tree)).print(terminal);
        }
    }

    @Override
    public Integer call() {
        PluginRegistry registry = plugins.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        List<PluginFactory<?>> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(registry.find(name).orElseThrow(() -> unknown(name, registry)));
        }
        output.print(
                new PluginList(tree(chosen.isEmpty() ? registry.factories() : chosen), !chosen.isEmpty()), terminal);
        return 0;
    }

    private static CommandException unknown(String name, PluginRegistry registry) {
        List<String> known =
                registry.factories().stream().map(PluginFactory::name).toList();
        String hint = Suggestions.hint(name, known);
        return new CommandException("\"" + name + "\" (expected: a registered plugin; --plugin-dir adds those of jars)"
                + (hint.isEmpty() ? "" : "." + hint));
    }

    private static ObjectNode tree(Collection<PluginFactory<?>> factories) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode list = tree.putArray("plugins");
        for (PluginFactory<?> factory : factories) {
            ObjectNode entry = list.addObject().put("name", factory.name()).put("from", origin(factory));
            ArrayNode points = entry.putArray("extensionPoints");
            extensionPoints(factory).forEach(points::add);
            ObjectNode args = entry.putObject("args");
            ObjectNode accepts = entry.putObject("accepts");
            ObjectNode defaults = MAPPER.valueToTree(ArgumentsForm.defaults(factory, FeatureGates.DEFAULTS));
            ArgumentsForm.accepted(factory).forEach((path, form) -> {
                accepts.put(path, form);
                if (path.indexOf('.') < 0) {
                    args.set(path, defaults.has(path) ? defaults.get(path) : args.nullNode());
                }
            });
        }
        return tree;
    }

    private static TextTable table(ObjectNode tree) {
        TextTable table = new TextTable()
                .left("NAME")
                .left("FROM")
                .left("EXTENSION POINTS")
                .left("ARGUMENTS");
        for (JsonNode plugin : tree.path("plugins")) {
            // A line for each argument, and as many for the points as they need, since one line with all can be longer
            // than any terminal.
            List<String> points = pointLines(plugin.path("extensionPoints"));
            List<String> args = new ArrayList<>();
            plugin.path("args")
                    .properties()
                    .forEach(arg -> args.add(arg.getKey() + "=" + shortened(shown(arg.getValue()))));
            for (int line = 0; line < Math.max(points.size(), args.size()); line++) {
                boolean isFirst = line == 0;
                table.row(List.of(
                        Cell.of(isFirst ? plugin.path("name").asText() : ""),
                        Cell.of(isFirst ? plugin.path("from").asText() : ""),
                        Cell.of(line < points.size() ? points.get(line) : ""),
                        Cell.of(line < args.size() ? args.get(line) : "")));
            }
        }
        return table;
    }

    private static List<String> pointLines(JsonNode points) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(points.isEmpty() ? "-" : "");
        for (JsonNode point : points) {
            if (line.length() + point.asText().length() > WIDEST_POINTS) {
                lines.add(line + ",");
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : ", ").append(point.asText());
        }
        lines.add(line.toString());
        return lines;
    }

    private static TextTable details(ObjectNode tree) {
        TextTable table =
                new TextTable().left("PLUGIN").left("ARGUMENT").left("DEFAULT").left("ACCEPTS");
        for (JsonNode plugin : tree.path("plugins")) {
            String name = plugin.path("name").asText();
            if (plugin.path("accepts").isEmpty()) {
                table.row(List.of(Cell.of(name), Cell.of("-"), Cell.of("-"), Cell.of("no arguments")));
            }
            for (Map.Entry<String, JsonNode> form : plugin.path("accepts").properties()) {
                boolean isPlain = !form.getKey().contains("[]");
                JsonNode value = plugin.path("args").at("/" + form.getKey().replace('.', '/'));
                table.row(List.of(
                        Cell.of(name),
                        Cell.of(form.getKey()),
                        Cell.of(isPlain && !value.isObject() ? shown(value) : ""),
                        Cell.of(form.getValue().asText())));
            }
        }
        return table;
    }

    private static String shortened(String value) {
        return value.length() <= WIDEST_DEFAULT ? value : value.substring(0, WIDEST_DEFAULT - 3) + "...";
    }

    private static String shown(JsonNode value) {
        if (value.isTextual() && value.textValue().isEmpty()) {
            return "\"\"";
        }
        if (value.isNull() || value.isMissingNode()) {
            return "none";
        }
        List<String> parts = new ArrayList<>();
        if (value.isObject()) {
            value.properties().forEach(field -> parts.add(field.getKey() + ": " + shown(field.getValue())));
            return "{" + String.join(", ", parts) + "}";
        }
        if (value.isArray()) {
            value.forEach(item -> parts.add(shown(item)));
            return "[" + String.join(", ", parts) + "]";
        }
        return value.asText();
    }

    private static String origin(PluginFactory<?> factory) {
        if (KubeSchedulerPlugins.all().contains(factory)) {
            return BUILT_IN;
        }
        CodeSource source = factory.getClass().getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return "class path";
        }
        String location = source.getLocation().getPath();
        String folder = location.endsWith("/") ? location.substring(0, location.length() - 1) : location;
        return folder.substring(folder.lastIndexOf('/') + 1);
    }

    private static List<String> extensionPoints(PluginFactory<?> factory) {
        Class<?> type = pluginType(factory);
        List<String> points = new ArrayList<>();
        for (ExtensionPoint point : ExtensionPoint.values()) {
            if (point.type().isAssignableFrom(type)) {
                points.add(point.field());
            }
        }
        return points;
    }

    // A factory of a constructor names the plugin's class; of others, their create method or their place tells it.
    private static Class<?> pluginType(PluginFactory<?> factory) {
        Class<?> declaring = factory.declaringClass();
        if (Plugin.class.isAssignableFrom(declaring)) {
            return declaring;
        }
        for (Method method : declaring.getMethods()) {
            boolean isPrecise = method.getReturnType() != Plugin.class;
            if (method.getName().equals("create")
                    && isPrecise
                    && Plugin.class.isAssignableFrom(method.getReturnType())) {
                return method.getReturnType();
            }
        }
        Class<?> around = declaring.getEnclosingClass();
        return around == null ? Plugin.class : around;
    }
}
