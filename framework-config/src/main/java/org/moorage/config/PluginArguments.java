// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.Scalars;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.FactoryCalls;
import org.moorage.config.plugin.FactoryFailure;

/**
 * One entry of a profile's {@code pluginConfig}. The arguments of a plugin that is registered are read, completed and
 * checked; those of another one are kept as they are.
 */
final class PluginArguments {
    private static final String API_VERSION = "apiVersion";
    private static final String KIND = "kind";

    private final String plugin;
    private final ReadContext context;
    private final ObjectNode entry;
    private final Problems at;
    private final @Nullable PluginFactory<?> factory;
    private final Map<String, String> ownOrigins = new LinkedHashMap<>();
    private @Nullable PluginArgs bound;

    /**
     * Creates an entry without arguments.
     *
     * @param at where the arguments are
     */
    PluginArguments(String plugin, Problems at, ReadContext context) {
        this.plugin = plugin;
        this.context = context;
        this.entry = JsonNodeFactory.instance.objectNode().put("name", plugin);
        this.at = at;
        this.factory = context.registry().find(plugin).orElse(null);
    }

    /** Reads the arguments; missing for the default ones. */
    void read(JsonNode source) {
        if (factory == null) {
            entry.set("args", source.isMissingNode() ? entry.nullNode() : source.deepCopy());
            return;
        }
        if (ignoresArgs(factory)) {
            entry.set("args", source.isMissingNode() ? entry.nullNode() : source.deepCopy());
            bound = PluginArgs.None.DEFAULTS;
            return;
        }
        ObjectNode fields = entry.objectNode();
        if (source instanceof ObjectNode object) {
            fields.setAll(object);
        } else if (!source.isMissingNode()) {
            Scalars.wrong(source, "an object", at);
            return;
        }
        bind(factory, fields);
        if (factory.argsType() == PluginArgs.None.class) {
            entry.set("args", source.isMissingNode() ? entry.nullNode() : source.deepCopy());
        }
    }

    private boolean ignoresArgs(PluginFactory<?> by) {
        if (by.argsType() != PluginArgs.None.class) {
            return false;
        }
        try {
            // kube-scheduler ignores arguments that are given to a built-in plugin without arguments.
            return DefaultPlugins.knows(plugin) || FactoryCalls.ignoresArgs(by);
        } catch (FactoryFailure failed) {
            at.report(failed.getMessage());
            return true;
        }
    }

    /** Replaces the resources that NodeResourcesFit ignores. */
    void ignoreResources(List<String> resources, String origin) {
        ObjectNode fields = entry.path("args") instanceof ObjectNode object ? object : entry.putObject("args");
        ArrayNode list = fields.putArray("ignoredResources");
        for (int i = 0; i < resources.size(); i++) {
            list.add(resources.get(i));
            ownOrigins.put(at.at("ignoredResources").at(i).path(), origin);
        }
        if (factory != null) {
            bind(factory, fields.deepCopy());
        }
    }

    String plugin() {
        return plugin;
    }

    ObjectNode entry() {
        return entry;
    }

    /** Returns the arguments; empty if the plugin is not registered, or they are not valid. */
    Optional<PluginArgs> bound() {
        return Optional.ofNullable(bound);
    }

    /** Validates the arguments with the plugin's checks, and records their origins. */
    void finish() {
        if (bound != null) {
            try {
                FactoryCalls.validate(plugin, bound, at);
            } catch (FactoryFailure failed) {
                at.report(failed.getMessage());
            }
        }
        String path = at.path().substring(0, at.path().lastIndexOf('.'));
        String origin = context.tree().originOrDefault(path);
        context.originByPath().put(path, origin);
        context.originByPath().put(path + ".name", origin);
        recordOrigins(entry.path("args"), at);
    }

    private void bind(PluginFactory<?> by, ObjectNode fields) {
        ObjectNode args = entry.objectNode();
        try {
            Optional<String> kind =
                    DefaultPlugins.hasArgsKind(plugin) ? Optional.of(plugin + "Args") : FactoryCalls.argsKind(by);
            if (kind.isPresent()) {
                args.put(KIND, take(fields, KIND, kind.get()));
                args.put(API_VERSION, take(fields, API_VERSION, ConfigFormat.API_VERSION));
            } else {
                // Read here for a plugin that kube-scheduler does not know, unless its arguments have such fields.
                for (String field : List.of(KIND, API_VERSION)) {
                    if (!RecordBinder.hasField(by.argsType(), field) && fields.has(field)) {
                        args.set(field, fields.remove(field));
                    }
                }
            }
            int before = at.all().size();
            PluginArgs read = RecordBinder.bind(fields, by.argsType(), at);
            // Arguments that could not be read are not checked.
            boolean isReadable = at.all().size() == before;
            PluginArgs complete =
                    isReadable ? FactoryCalls.forFeatures(plugin, by, read, context.features(), at) : read;
            args.setAll(RecordBinder.toTree((Record) complete));
            entry.set("args", args);
            bound = isReadable ? complete : null;
        } catch (FactoryFailure failed) {
            at.report(failed.getMessage());
        } catch (IllegalArgumentException unusable) {
            at.report("plugin \"" + plugin + "\" cannot be given arguments: " + unusable.getMessage());
        }
    }

    private String take(ObjectNode fields, String field, String expected) {
        JsonNode value = fields.path(field);
        fields.remove(field);
        if (!Scalars.isBlank(value) && !expected.equals(value.textValue())) {
            Scalars.wrong(value, expected, at.at(field));
        }
        return expected;
    }

    private void recordOrigins(JsonNode value, Problems path) {
        String origin = context.tree().originOrDefault(path.path());
        context.originByPath().put(path.path(), ownOrigins.getOrDefault(path.path(), origin));
        if (value instanceof ObjectNode object) {
            object.properties().forEach(field -> recordOrigins(field.getValue(), path.at(field.getKey())));
        } else if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                recordOrigins(array.path(i), path.at(i));
            }
        }
    }
}
