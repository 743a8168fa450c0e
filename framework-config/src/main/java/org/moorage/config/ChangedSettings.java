// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.plugin.DefaultPlugins;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.PluginSet;

/**
 * The settings of a configuration that differ from the defaults, in a form that can be read again, with their origins.
 */
final class ChangedSettings {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> FORMAT = List.of("apiVersion", "kind");
    private static final String NAME = "name";
    private static final String SCHEDULER_NAME = "schedulerName";

    private final LoadedConfig config;
    private final PluginRegistry registry;
    private final Map<String, String> originByPath = new LinkedHashMap<>();
    private final ObjectNode tree;

    ChangedSettings(LoadedConfig config, PluginRegistry registry) {
        this.config = config;
        this.registry = registry;
        LoadedConfig defaults = ConfigLoader.defaults(registry, config.featureGates());
        tree = top(config.effectiveTree(), defaults.effectiveTree());
    }

    ObjectNode tree() {
        return tree;
    }

    /** The origin of each setting of the tree. */
    Map<String, String> originByPath() {
        return originByPath;
    }

    private ObjectNode top(ObjectNode effective, ObjectNode defaults) {
        ObjectNode changed = NODES.objectNode();
        for (Map.Entry<String, JsonNode> field : effective.properties()) {
            String name = field.getKey();
            switch (name) {
                case "profiles" ->
                    put(
                            changed,
                            name,
                            profiles(field.getValue(), defaults.path(name).path(0)));
                case "extenders" -> put(changed, name, extenders(field.getValue()));
                default -> {
                    JsonNode other = FORMAT.contains(name) ? MissingNode.getInstance() : defaults.path(name);
                    put(changed, name, changed(field.getValue(), other, name, name));
                }
            }
        }
        return changed;
    }

    private static void put(ObjectNode object, String field, @Nullable JsonNode value) {
        if (value != null) {
            object.set(field, value);
        }
    }

    private @Nullable ArrayNode profiles(JsonNode profiles, JsonNode byDefault) {
        ArrayNode changed = NODES.arrayNode();
        for (int i = 0; i < profiles.size(); i++) {
            String path = "profiles[" + i + "]";
            ObjectNode profile = NODES.objectNode();
            for (Map.Entry<String, JsonNode> field : profiles.path(i).properties()) {
                String name = field.getKey();
                String at = path + "." + name;
                switch (name) {
                    case "plugins" -> put(profile, name, plugins(field.getValue(), byDefault.path(name), at));
                    case "pluginConfig" -> put(profile, name, pluginConfig(field.getValue(), at));
                    default -> {
                        boolean isKept = name.equals(SCHEDULER_NAME) && profiles.size() > 1;
                        JsonNode other = isKept ? MissingNode.getInstance() : byDefault.path(name);
                        put(profile, name, changed(field.getValue(), other, at, at));
                    }
                }
            }
            changed.add(profile);
        }
        return profiles.size() == 1 && changed.path(0).isEmpty() ? null : changed;
    }

    // Keeps only the entries of plugin lists that are not merged in again as defaults.
    private @Nullable ObjectNode plugins(JsonNode sets, JsonNode byDefault, String path) {
        ObjectNode changed = NODES.objectNode();
        for (Map.Entry<String, JsonNode> set : sets.properties()) {
            ObjectNode lists = NODES.objectNode();
            for (Map.Entry<String, JsonNode> list : set.getValue().properties()) {
                JsonNode others = byDefault.path(set.getKey()).path(list.getKey());
                Set<String> disabled = names(set.getValue().path("disabled"));
                String at = path + "." + set.getKey() + "." + list.getKey();
                ArrayNode entries = NODES.arrayNode();
                for (int i = 0; i < list.getValue().size(); i++) {
                    JsonNode entry = list.getValue().path(i);
                    boolean isMerged = !disabled.contains(PluginSet.ALL)
                            && !disabled.contains(entry.path(NAME).asText())
                            && isAmong(entry, others);
                    if (!isMerged) {
                        keep(at + "[" + i + "]", at + "[" + entries.size() + "]");
                        entries.add(entry);
                    }
                }
                put(lists, list.getKey(), entries.isEmpty() ? null : entries);
            }
            put(changed, set.getKey(), lists.isEmpty() ? null : lists);
        }
        return changed.isEmpty() ? null : changed;
    }

    private static Set<String> names(JsonNode plugins) {
        Set<String> names = new HashSet<>();
        plugins.forEach(plugin -> names.add(plugin.path(NAME).asText()));
        return names;
    }

    private static boolean isAmong(JsonNode entry, JsonNode others) {
        for (JsonNode other : others) {
            if (other.equals(entry)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable ArrayNode pluginConfig(JsonNode entries, String path) {
        ArrayNode changed = NODES.arrayNode();
        for (int i = 0; i < entries.size(); i++) {
            String plugin = entries.path(i).path(NAME).asText();
            JsonNode byDefault = registry.find(plugin)
                    .<JsonNode>map(factory -> ArgumentsForm.defaultTree(factory, config.featureGates()))
                    .orElse(MissingNode.getInstance());
            String from = path + "[" + i + "]";
            String to = path + "[" + changed.size() + "]";
            JsonNode args = entries.path(i).path("args").deepCopy();
            if (args instanceof ObjectNode object && DefaultPlugins.hasArgsKind(plugin)) {
                object.remove(FORMAT);
            }
            JsonNode different = changed(args, byDefault, from + ".args", to + ".args");
            if (different != null) {
                keep(from + "." + NAME, to + "." + NAME);
                changed.addObject().put(NAME, plugin).set("args", different);
            }
        }
        return changed.isEmpty() ? null : changed;
    }

    // An extender has no other defaults than those of its fields.
    private @Nullable ArrayNode extenders(JsonNode extenders) {
        ArrayNode changed = NODES.arrayNode();
        for (int i = 0; i < extenders.size(); i++) {
            String at = "extenders[" + i + "]";
            JsonNode extender = changed(extenders.path(i), MissingNode.getInstance(), at, at);
            changed.add(extender == null ? NODES.objectNode() : extender);
        }
        return changed.isEmpty() ? null : changed;
    }

    /** Returns the value without fields at their defaults; null if none is left. A list is kept as a whole. */
    private @Nullable JsonNode changed(JsonNode value, JsonNode byDefault, String from, String to) {
        if (value instanceof ObjectNode object && !object.isEmpty()) {
            ObjectNode changed = NODES.objectNode();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                String name = "." + field.getKey();
                put(
                        changed,
                        field.getKey(),
                        changed(field.getValue(), byDefault.path(field.getKey()), from + name, to + name));
            }
            return changed.isEmpty() ? null : changed;
        }
        boolean isDefault = byDefault.isMissingNode()
                ? value.isNull() || config.originOf(from).equals(ConfigFormat.DEFAULT_ORIGIN)
                : value.equals(byDefault);
        if (isDefault) {
            return null;
        }
        keep(from, to);
        return value;
    }

    private void keep(String from, String to) {
        originByPath.put(to, config.originOf(from));
        config.originByPath().forEach((path, origin) -> {
            if (path.startsWith(from)
                    && path.length() > from.length()
                    && ".[".indexOf(path.charAt(from.length())) >= 0) {
                originByPath.put(to + path.substring(from.length()), origin);
            }
        });
    }
}
