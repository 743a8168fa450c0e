// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.command.TextTable.Cell;
import org.moorage.runtime.config.ConfigException;
import org.moorage.runtime.config.ConfigLoader;
import org.moorage.runtime.config.DefaultPlugins;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.plugin.ExtensionPoint;
import org.moorage.runtime.plugin.PluginRegistry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the plugins that configurations may name. */
@Command(name = "plugins", description = "Lists the plugins that a configuration may name.")
final class PluginsCommand implements Callable<Integer> {
    private static final String BUILT_IN = "built-in";

    private final Terminal terminal;

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    PluginsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The plugins, their extension points and their arguments. */
    private record PluginList(ObjectNode tree) implements Report {
        @Override
        public void print(Terminal terminal) {
            table(tree).print(terminal);
        }
    }

    @Override
    public Integer call() {
        output.print(new PluginList(tree(plugins.registry(terminal::warn))), terminal);
        return 0;
    }

    private static ObjectNode tree(PluginRegistry registry) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        ArrayNode list = tree.putArray("plugins");
        for (PluginFactory<?> factory : registry.factories()) {
            ObjectNode entry = list.addObject().put("name", factory.name()).put("from", origin(factory));
            ArrayNode points = entry.putArray("extensionPoints");
            extensionPoints(factory).forEach(points::add);
            ObjectNode args = entry.putObject("args");
            JsonNode defaults = arguments(factory, registry);
            for (RecordComponent component : factory.argsType().getRecordComponents()) {
                JsonNode value = defaults.path(component.getName());
                args.set(component.getName(), value.isMissingNode() ? args.nullNode() : value);
            }
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
            List<String> points = new ArrayList<>();
            plugin.path("extensionPoints").forEach(point -> points.add(point.asText()));
            List<String> args = new ArrayList<>();
            plugin.path("args").properties().forEach(arg -> args.add(arg.getKey() + "=" + shown(arg.getValue())));
            table.row(List.of(
                    Cell.of(plugin.path("name").asText()),
                    Cell.of(plugin.path("from").asText()),
                    Cell.of(points.isEmpty() ? "-" : String.join(", ", points)),
                    Cell.of(String.join(" ", args))));
        }
        return table;
    }

    private static String shown(JsonNode value) {
        if (value.isNull()) {
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
        if (OwnPlugins.all().contains(factory)) {
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

    // A configuration that names the plugin shows its arguments as they would be written there.
    private static JsonNode arguments(PluginFactory<?> factory, PluginRegistry registry) {
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        config.put("apiVersion", "kubescheduler.config.k8s.io/v1").put("kind", "KubeSchedulerConfiguration");
        if (!isDefault(factory.name())) {
            config.putArray("profiles")
                    .addObject()
                    .putObject("plugins")
                    .putObject("multiPoint")
                    .putArray("enabled")
                    .addObject()
                    .put("name", factory.name());
        }
        try {
            LoadedConfig loaded = ConfigLoader.load(config.toString(), "plugins", registry);
            for (JsonNode entry : loaded.effective().path("profiles").path(0).path("pluginConfig")) {
                if (entry.path("name").asText().equals(factory.name())) {
                    return entry.path("args");
                }
            }
        } catch (ConfigException incomplete) {
            // The plugin cannot do without arguments, so this is no configuration.
            return ownDefaults(factory.argsType());
        }
        return JsonNodeFactory.instance.objectNode();
    }

    private static ObjectNode ownDefaults(Class<?> argsType) {
        ObjectNode values = JsonNodeFactory.instance.objectNode();
        try {
            Object defaults = argsType.getField("DEFAULTS").get(null);
            for (RecordComponent component : argsType.getRecordComponents()) {
                Object value = component.getAccessor().invoke(defaults);
                if (value instanceof Number || value instanceof Boolean || value instanceof Enum) {
                    values.put(component.getName(), value.toString());
                } else if (value instanceof String text && !text.isEmpty()) {
                    values.put(component.getName(), text);
                }
            }
        } catch (ReflectiveOperationException notPublic) {
            // Then the names must do.
            return values;
        }
        return values;
    }

    private static boolean isDefault(String name) {
        return DefaultPlugins.multiPoint(FeatureGates.DEFAULTS).stream()
                .anyMatch(plugin -> plugin.name().equals(name));
    }
}
