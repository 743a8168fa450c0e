// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.StreamSupport;

/** JSON merge patches, and strategic merge patches as far as lists of objects with a type or a name go. */
final class Patches {
    /** The fields by which the items of a list are told apart, such as conditions and containers. */
    private static final List<String> KEYS = List.of("type", "name");

    private Patches() {}

    /**
     * Returns a copy of a value with a patch applied.
     *
     * @param isStrategic whether lists are merged; otherwise the patch's list replaces the other one
     */
    static JsonNode apply(JsonNode value, JsonNode patch, boolean isStrategic) {
        if (isStrategic && value instanceof ArrayNode list && patch instanceof ArrayNode changes) {
            return KEYS.stream()
                    .filter(key ->
                            StreamSupport.stream(changes.spliterator(), false).allMatch(item -> item.hasNonNull(key)))
                    .findFirst()
                    .<JsonNode>map(key -> merged(list, changes, key))
                    .orElse(changes);
        }
        if (!(patch instanceof ObjectNode changes)) {
            return patch;
        }
        ObjectNode result =
                value instanceof ObjectNode object ? object.deepCopy() : JsonNodeFactory.instance.objectNode();
        changes.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                result.remove(field.getKey());
            } else {
                result.set(field.getKey(), apply(result.path(field.getKey()), field.getValue(), isStrategic));
            }
        });
        return result;
    }

    private static ArrayNode merged(ArrayNode list, ArrayNode changes, String key) {
        ArrayNode result = list.deepCopy();
        for (JsonNode change : changes) {
            int at = 0;
            while (at < result.size() && !result.get(at).path(key).equals(change.get(key))) {
                at++;
            }
            JsonNode item = apply(result.path(at), change, true);
            if (at < result.size()) {
                result.set(at, item);
            } else {
                result.add(item);
            }
        }
        return result;
    }
}
