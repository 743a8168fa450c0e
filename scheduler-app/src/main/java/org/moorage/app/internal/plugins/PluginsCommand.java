// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.plugins;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.lang.reflect.Method;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.app.internal.options.PluginOptions;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.OutputOptions;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.AnswerJson;
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
public final class PluginsCommand implements Callable<Integer> {
    private static final String BUILT_IN = "built-in";
    private static final int WIDEST_POINTS = 50;
    private static final int WIDEST_DEFAULT = 60;

    private final Terminal terminal;

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "Names of plugins (default: all).")
    private List<String> names = new ArrayList<>();

    /** Creates the command; it prints to that terminal. */
    public PluginsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * Plugins.
     *
     * @param plugins the plugins, by name
     */
    private record PluginsAnswer(List<PluginForm> plugins) implements Answer {}

    /**
     * A plugin.
     *
     * @param name the name
     * @param from {@code built-in}, {@code class path} or the name of the jar
     * @param extensionPoints its extension points
     * @param args the default values of its arguments
     * @param accepts the values that each argument accepts, by path
     */
    private record PluginForm(
            String name,
            String from,
            List<String> extensionPoints,
            Map<String, JsonNode> args,
            Map<String, String> accepts) {
        static PluginForm of(PluginFactory<?> factory) {
            JsonNode defaults = AnswerJson.JSON.valueToTree(ArgumentsForm.defaults(factory, FeatureGates.DEFAULTS));
            Map<String, String> accepts = ArgumentsForm.accepted(factory);
            Map<String, JsonNode> args = new LinkedHashMap<>();
            accepts.keySet().stream()
                    .filter(path -> path.indexOf('.') < 0)
                    .forEach(path -> args.put(path, Objects.requireNonNullElse(defaults.get(path), NullNode.instance)));
            return new PluginForm(factory.name(), origin(factory), points(factory), args, accepts);
        }
    }

    /** Plugins in a table; detailed, with a row for each argument. */
    private record PluginsReport(PluginsAnswer answer, boolean isDetailed) implements Report {
        @Override
        public void print(Terminal terminal) {
            (isDetailed ? details(answer.plugins) : table(answer.plugins)).print(terminal);
        }

        @Override
        public boolean succeeded() {
            return true;
        }

        @Override
        public List<String> names() {
            return answer.plugins.stream().map(PluginForm::name).toList();
        }
    }

    @Override
    public Integer call() {
        PluginRegistry registry = plugins.registry(JarRules.WithoutVersion.NOTED, terminal::warn);
        List<PluginFactory<?>> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(registry.find(name).orElseThrow(() -> unknown(name, registry)));
        }
        Collection<PluginFactory<?>> shown = chosen.isEmpty() ? registry.factories() : chosen;
        PluginsAnswer answer =
                new PluginsAnswer(shown.stream().map(PluginForm::of).toList());
        output.print(new PluginsReport(answer, !chosen.isEmpty()), terminal);
        return 0;
    }

    private static CommandException unknown(String name, PluginRegistry registry) {
        List<String> known =
                registry.factories().stream().map(PluginFactory::name).toList();
        String hint = Suggestions.hint(name, known);
        return new CommandException("\"" + name + "\" (expected: a registered plugin; --plugin-dir adds those of jars)"
                + (hint.isEmpty() ? "" : "." + hint));
    }

    private static TextTable table(List<PluginForm> plugins) {
        TextTable table = new TextTable()
                .left("NAME")
                .left("FROM")
                .left("EXTENSION POINTS")
                .left("ARGUMENTS");
        for (PluginForm plugin : plugins) {
            // A line for each argument, and as many for the points as they need, since one line with all can be longer
            // than any terminal.
            List<String> points = pointLines(plugin.extensionPoints);
            List<String> args = new ArrayList<>();
            plugin.args.forEach((name, value) -> args.add(name + "=" + shortened(shown(value))));
            for (int line = 0; line < Math.max(points.size(), args.size()); line++) {
                boolean isFirst = line == 0;
                table.row(List.of(
                        Cell.of(isFirst ? plugin.name : ""),
                        Cell.of(isFirst ? plugin.from : ""),
                        Cell.of(line < points.size() ? points.get(line) : ""),
                        Cell.of(line < args.size() ? args.get(line) : "")));
            }
        }
        return table;
    }

    private static List<String> pointLines(List<String> points) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(points.isEmpty() ? "-" : "");
        for (String point : points) {
            if (line.length() + point.length() > WIDEST_POINTS) {
                lines.add(line + ",");
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : ", ").append(point);
        }
        lines.add(line.toString());
        return lines;
    }

    private static TextTable details(List<PluginForm> plugins) {
        TextTable table =
                new TextTable().left("PLUGIN").left("ARGUMENT").left("DEFAULT").left("ACCEPTS");
        for (PluginForm plugin : plugins) {
            String name = plugin.name;
            if (plugin.accepts.isEmpty()) {
                table.row(List.of(Cell.of(name), Cell.of("-"), Cell.of("-"), Cell.of("no arguments")));
            }
            JsonNode args = AnswerJson.JSON.valueToTree(plugin.args);
            for (Map.Entry<String, String> form : plugin.accepts.entrySet()) {
                boolean isPlain = !form.getKey().contains("[]");
                JsonNode value = args.at("/" + form.getKey().replace('.', '/'));
                table.row(List.of(
                        Cell.of(name),
                        Cell.of(form.getKey()),
                        Cell.of(isPlain && !value.isObject() ? shown(value) : ""),
                        Cell.of(form.getValue())));
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

    private static List<String> points(PluginFactory<?> factory) {
        Class<?> type = pluginType(factory);
        List<String> points = new ArrayList<>();
        for (ExtensionPoint point : ExtensionPoint.configurable()) {
            if (point.type().isAssignableFrom(type)) {
                points.add(point.field());
            }
        }
        return points;
    }

    // A factory of a constructor names the plugin's class; others have a create method of that type, or are nested in
    // it.
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
