// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts trees to JDK values: maps, lists, strings, numbers and booleans. Omits fields that are null. */
public final class PlainValues {
    private PlainValues() {}

    /** Returns the fields of an object, in their order; immutable. */
    public static Map<String, Object> of(JsonNode object) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            if (!field.getValue().isNull()) {
                values.put(field.getKey(), value(field.getValue()));
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private static Object value(JsonNode node) {
        if (node.isObject()) {
            return of(node);
        }
        if (node.isArray()) {
            List<Object> values = new ArrayList<>();
            node.forEach(item -> values.add(value(item)));
            return Collections.unmodifiableList(values);
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        return node.isNumber() ? node.numberValue() : node.asText();
    }

    /**
     * Returns the tree of a text, a number or a boolean.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static JsonNode node(Object value) {
        if (value instanceof Boolean bool) {
            return BooleanNode.valueOf(bool);
        }
        if (value instanceof Integer || value instanceof Long) {
            return Scalars.node(((Number) value).longValue());
        }
        if (value instanceof Double number) {
            return Scalars.node(number.doubleValue());
        }
        if (value instanceof String text) {
            return TextNode.valueOf(text);
        }
        throw new IllegalArgumentException(
                "value: " + value + " (expected: a text, a boolean, an integer, a long or a double)");
    }
}
