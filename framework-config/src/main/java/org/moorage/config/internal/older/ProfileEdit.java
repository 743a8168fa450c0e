// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import org.moorage.config.internal.SourceTree;

/** Edits one profile of a configuration that is converted to {@code v1}. */
final class ProfileEdit {
    /** Scores nodes by their resources, which three separate plugins did until v1beta1. */
    static final String FIT = "NodeResourcesFit";

    static final String SPREAD = "PodTopologySpread";

    private static final String TERMS =
            ".addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final SourceTree tree;
    private final String path;

    ProfileEdit(SourceTree tree, String path) {
        this.tree = tree;
        this.path = path;
    }

    /** Returns the path of the profile, or of one of its fields. */
    String path(String field) {
        return path + "." + field;
    }

    /** Returns the path of a plugin's arguments, which are created if there are none. */
    String args(String plugin, String from) {
        JsonNode entries = tree.at(path("pluginConfig"));
        for (int i = 0; i < entries.size(); i++) {
            if (entries.path(i).path("name").asText().equals(plugin)) {
                return path("pluginConfig[" + i + "].args");
            }
        }
        String entry = path("pluginConfig[" + entries.size() + "]");
        tree.put(entry, NODES.objectNode().put("name", plugin), from);
        return entry + ".args";
    }

    /** Puts a value into a plugin's arguments, unless there is one. */
    void putArgIfAbsent(String plugin, String arg, JsonNode value, String from) {
        String at = args(plugin, from) + "." + arg;
        if (tree.at(at).isMissingNode() || tree.at(at).isNull()) {
            tree.put(at, value, from);
        }
    }

    /** Sets the scoring strategy of NodeResourcesFit to this type, with the other settings in {@code strategy}. */
    void score(String type, ObjectNode strategy, String from) {
        String at = args(FIT, from) + ".scoringStrategy";
        tree.put(at, NODES.objectNode(), from);
        tree.put(at + ".type", TextNode.valueOf(type), from);
        for (String field : List.of("resources", "shape")) {
            JsonNode value = strategy.path(field);
            if (!value.isMissingNode() && !value.isNull()) {
                String to = field.equals("shape") ? at + ".requestedToCapacityRatio.shape" : at + ".resources";
                tree.put(to, value, from + "." + field);
            }
        }
        dropUncounted(at + ".resources", type);
    }

    // In the separate scoring plugins a resource of weight 0 did not count; in v1 it counts with weight 1.
    private void dropUncounted(String list, String type) {
        if (!(tree.at(list) instanceof ArrayNode resources) || type.equals("RequestedToCapacityRatio")) {
            return;
        }
        List<SourceTree.Item> counted = new ArrayList<>();
        for (int i = 0; i < resources.size(); i++) {
            JsonNode weight = resources.path(i).path("weight");
            if (!weight.isMissingNode() && !weight.isNull() && !(weight.isNumber() && weight.doubleValue() == 0)) {
                counted.add(new SourceTree.Item(resources.path(i), list + "[" + i + "]"));
            }
        }
        if (counted.size() < resources.size()) {
            tree.putList(list, counted);
        }
    }

    /** Keeps pods off nodes that lack one of these labels or have one of those, as the plugin NodeLabel did. */
    void requireLabels(List<String> present, List<String> absent, String from) {
        List<JsonNode> expressions = new ArrayList<>();
        present.forEach(label -> expressions.add(expression(label, "Exists")));
        absent.forEach(label -> expressions.add(expression(label, "DoesNotExist")));
        if (expressions.isEmpty()) {
            return;
        }
        String terms = args("NodeAffinity", from) + TERMS;
        int count = Math.max(1, tree.at(terms).size());
        for (int i = 0; i < count; i++) {
            for (JsonNode expression : expressions) {
                String list = terms + "[" + i + "].matchExpressions";
                tree.put(list + "[" + tree.at(list).size() + "]", expression, from);
            }
        }
    }

    private static JsonNode expression(String key, String operator) {
        return NODES.objectNode().put("key", key).put("operator", operator);
    }

    /** Adds plugins to those that are enabled or disabled at an extension point. */
    void add(String point, String field, List<ObjectNode> plugins, String from) {
        String list = path("plugins." + point + "." + field);
        for (ObjectNode plugin : plugins) {
            tree.put(list + "[" + tree.at(list).size() + "]", plugin, from);
        }
    }

    static ObjectNode plugin(String name) {
        return NODES.objectNode().put("name", name);
    }

    static ObjectNode plugin(String name, int weight) {
        return plugin(name).put("weight", weight);
    }
}
