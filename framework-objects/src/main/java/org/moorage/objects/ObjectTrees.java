// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * Reads JSON objects as trees, without {@code managedFields}: in what the API server sends they are often half of an object, and
 * nobody reads them.
 */
final class ObjectTrees {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ObjectTrees() {}

    /** Whether a field of an object, which is itself the value of a field, is left out of trees. */
    static boolean isLeftOut(String field, String name) {
        return name.equals("managedFields") && field.equals("metadata");
    }

    /** The object that starts with the current token; afterwards the current token is its last one. */
    static ObjectNode object(JsonParser parser) throws IOException {
        return object(parser, "");
    }

    private static ObjectNode object(JsonParser parser, String field) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken start = parser.nextToken();
            if (isLeftOut(field, name)) {
                parser.skipChildren();
            } else {
                object.set(name, value(parser, start, name));
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT) {
            throw new JsonParseException(parser, "JSON: " + parser.currentToken() + " (expected: the name of a field)");
        }
        return object;
    }

    private static JsonNode value(JsonParser parser, JsonToken start, String field) throws IOException {
        return switch (start) {
            case START_OBJECT -> object(parser, field);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDecimalValue());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new JsonParseException(parser, "JSON: " + start + " (expected: a value)");
        };
    }

    private static ArrayNode array(JsonParser parser) throws IOException {
        ArrayNode array = NODES.arrayNode();
        for (JsonToken start = parser.nextToken(); start != JsonToken.END_ARRAY; start = parser.nextToken()) {
            array.add(value(parser, start, ""));
        }
        return array;
    }

    /** The whole number that is the current token. */
    static JsonNode integer(JsonParser parser) throws IOException {
        return switch (parser.getNumberType()) {
            case INT -> NODES.numberNode(parser.getIntValue());
            case LONG -> NODES.numberNode(parser.getLongValue());
            case BIG_INTEGER, BIG_DECIMAL, FLOAT, DOUBLE -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }
}
