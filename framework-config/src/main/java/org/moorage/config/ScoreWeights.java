// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Map;
import org.moorage.config.internal.SourceTree;

/** Changes the weights of plugins in the Score section of a profile. */
final class ScoreWeights {
    private static final String NAME = "name";

    private ScoreWeights() {}

    /**
     * Sets these weights in a profile; the weights of other plugins stay as before.
     *
     * @param tree a configuration of version v1
     * @param path the path of the plugins that are enabled and disabled at Score
     * @param weights the weights by plugin; 0 disables it
     */
    static void write(SourceTree tree, String path, Map<String, Integer> weights) {
        ArrayNode enabled = others(tree.at(path + ".enabled"), weights);
        ArrayNode disabled = others(tree.at(path + ".disabled"), weights);
        weights.forEach((plugin, weight) -> {
            if (weight == 0) {
                disabled.addObject().put(NAME, plugin);
            } else {
                enabled.addObject().put(NAME, plugin).put("weight", weight);
            }
        });
        tree.put(path + ".enabled", enabled, path + ".enabled");
        tree.put(path + ".disabled", disabled, path + ".disabled");
    }

    private static ArrayNode others(JsonNode plugins, Map<String, Integer> weights) {
        ArrayNode others = JsonNodeFactory.instance.arrayNode();
        for (JsonNode plugin : plugins) {
            if (!weights.containsKey(plugin.path(NAME).asText())) {
                others.add(plugin);
            }
        }
        return others;
    }
}
