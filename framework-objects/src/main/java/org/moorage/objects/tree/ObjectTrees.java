// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.ObjectDecodeException;

/**
 * Reads JSON objects of any kind as trees, without {@code managedFields}, which are often half of an object and have no
 * reader. Values without a reader are kept as their text: the {@code opaque.parameters} of devices, values nested
 * deeper than {@link #DEEPEST}, and numbers that would take long to compute.
 */
public final class ObjectTrees {
    /**
     * The limit on the depth of trees, so that code may recurse through them. Scheduling reads at most 10 levels.
     */
    static final int DEEPEST = 100;

    /** Removes the limits of a parser: they apply to a whole list, so one object would prevent reading all others. */
    static final StreamReadConstraints UNLIMITED = StreamReadConstraints.builder()
            .maxNestingDepth(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .build();

    /** No number that scheduling reads is longer. */
    private static final int LONGEST_NUMBER = 40;

    private static final int LONGEST_EXPONENT = "e-999".length();

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final JsonFactory TEXTS = JsonFactory.builder()
            .streamWriteConstraints(StreamWriteConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .build())
            .build();

    private ObjectTrees() {}

    /** Returns whether trees omit a field of an object, which is itself the value of a field. */
    static boolean isLeftOut(String field, String name) {
        return name.equals("managedFields") && field.equals("metadata");
    }

    private static boolean isOpaque(String field, String name) {
        return name.equals("parameters") && field.equals("opaque");
    }

    /** Returns the object that starts with the current token; afterwards the current token is its last one. */
    static ObjectNode object(JsonParser parser) throws IOException {
        return object(parser, "", 1);
    }

    private static ObjectNode object(JsonParser parser, String field, int depth) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken start = parser.nextToken();
            if (isLeftOut(field, name)) {
                parser.skipChildren();
            } else if (start.isStructStart() && isOpaque(field, name)) {
                object.set(name, text(parser));
            } else {
                object.set(name, value(parser, start, name, depth));
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT) {
            throw new JsonParseException(parser, "JSON: " + parser.currentToken() + " (expected: the name of a field)");
        }
        return object;
    }

    /** Returns the value that starts with the current token, of a field of that name, so deep in the tree. */
    static JsonNode value(JsonParser parser, JsonToken start, String field, int depth) throws IOException {
        return switch (start) {
            case START_OBJECT -> depth < DEEPEST ? object(parser, field, depth + 1) : text(parser);
            case START_ARRAY -> depth < DEEPEST ? array(parser, depth + 1) : text(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser);
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new JsonParseException(parser, "JSON: " + start + " (expected: a value)");
        };
    }

    /**
     * Returns the object that a text is.
     *
     * @throws ObjectDecodeException if it is not an object in JSON
     */
    public static ObjectNode of(String json) {
        try {
            return ObjectStreams.object(json);
        } catch (IOException malformed) {
            throw new ObjectDecodeException("JSON: " + malformed.getMessage());
        }
    }

    /** Returns the object with these fields, without values deeper than {@link #DEEPEST}. */
    public static ObjectNode of(Map<?, ?> fields) {
        return object(fields, 1);
    }

    private static ObjectNode object(Map<?, ?> fields, int depth) {
        ObjectNode object = NODES.objectNode();
        fields.forEach((name, value) -> object.set(String.valueOf(name), value(value, depth)));
        return object;
    }

    private static JsonNode value(@Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> fields) {
            return depth < DEEPEST ? object(fields, depth + 1) : NODES.nullNode();
        }
        if (value instanceof Iterable<?> elements) {
            ArrayNode array = NODES.arrayNode();
            if (depth < DEEPEST) {
                elements.forEach(element -> array.add(value(element, depth + 1)));
            }
            return array;
        }
        if (value == null) {
            return NODES.nullNode();
        }
        if (value instanceof String text) {
            return NODES.textNode(text);
        }
        if (value instanceof Boolean flag) {
            return NODES.booleanNode(flag);
        }
        if (value instanceof Number number) {
            return number instanceof Double || number instanceof Float || number instanceof BigDecimal
                    ? NODES.numberNode(new BigDecimal(number.toString()))
                    : NODES.numberNode(new BigInteger(number.toString()));
        }
        throw new IllegalArgumentException(
                "a value of " + value.getClass().getName() + " (expected: a map, a list, a text, a number, a boolean)");
    }

    private static ArrayNode array(JsonParser parser, int depth) throws IOException {
        ArrayNode array = NODES.arrayNode();
        for (JsonToken start = parser.nextToken(); start != JsonToken.END_ARRAY; start = parser.nextToken()) {
            array.add(value(parser, start, "", depth));
        }
        return array;
    }

    /** Returns the number that is the current token. */
    static JsonNode number(JsonParser parser) throws IOException {
        boolean isDecimal = parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT;
        if (parser.getTextLength() > LONGEST_NUMBER || isDecimal && hasLongExponent(parser.getText())) {
            return NODES.rawValueNode(new RawValue(parser.getText()));
        }
        if (isDecimal) {
            return NODES.numberNode(parser.getDecimalValue());
        }
        return switch (parser.getNumberType()) {
            case INT -> NODES.numberNode(parser.getIntValue());
            case LONG -> NODES.numberNode(parser.getLongValue());
            case BIG_INTEGER, BIG_DECIMAL, FLOAT, DOUBLE -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    private static boolean hasLongExponent(String number) {
        int exponent = Math.max(number.indexOf('e'), number.indexOf('E'));
        return exponent >= 0 && number.length() - exponent > LONGEST_EXPONENT;
    }

    /**
     * Returns the text of the object or list that starts with the current token; afterwards the current token is its
     * last one.
     */
    static JsonNode text(JsonParser parser) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = TEXTS.createGenerator(text)) {
            int depth = write(parser, parser.currentToken(), json);
            while (depth > 0) {
                JsonToken token = parser.nextToken();
                if (token == null) {
                    throw new JsonParseException(parser, "JSON: the end (expected: the end of a value)");
                }
                depth += write(parser, token, json);
            }
        }
        return NODES.rawValueNode(new RawValue(text.toString()));
    }

    // How much deeper what comes next is.
    private static int write(JsonParser parser, JsonToken token, JsonGenerator json) throws IOException {
        switch (token) {
            case START_OBJECT -> json.writeStartObject();
            case START_ARRAY -> json.writeStartArray();
            case END_OBJECT -> json.writeEndObject();
            case END_ARRAY -> json.writeEndArray();
            case FIELD_NAME -> json.writeFieldName(parser.currentName());
            case VALUE_STRING -> json.writeString(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.writeNumber(parser.getText());
            case VALUE_TRUE -> json.writeBoolean(true);
            case VALUE_FALSE -> json.writeBoolean(false);
            case VALUE_NULL -> json.writeNull();
            case NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
                throw new JsonParseException(parser, "JSON: " + token + " (expected: a value)");
        }
        return token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    }
}
