// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.SourcePosition;

/**
 * Builds the documents of a JSON or YAML input as trees, without {@code managedFields}. Jackson's own reader takes a
 * YAML alias for a string and has no merge keys; here both mean what they mean to kubectl.
 */
final class TreeParser {

    /** Aliases of aliases grow exponentially, so the number of values that they stand for is limited. */
    private static final int MAX_ALIASED_VALUES = 1_000_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final String file;
    private final JsonParser parser;
    private final Map<String, JsonNode> anchored = new HashMap<>();
    private final List<String> repeatedFields = new ArrayList<>();
    private Positions positions;
    private int aliasedValues;
    private int depth;

    TreeParser(String file, JsonParser parser) {
        this.file = file;
        this.parser = parser;
        this.positions = new Positions(new SourcePosition(file, 1, 1));
    }

    /** Where a document or an item of a list starts, and the items in it. */
    static final class Positions {
        private final SourcePosition start;
        private Map<JsonNode, SourcePosition> byItem = Map.of();

        private Positions(SourcePosition start) {
            this.start = start;
        }

        private void put(JsonNode item, SourcePosition position) {
            if (byItem.isEmpty()) {
                byItem = new IdentityHashMap<>();
            }
            byItem.put(item, position);
        }

        /** Returns where a value starts if it is an item of a list of objects; else where the whole starts. */
        SourcePosition of(JsonNode value) {
            return byItem.getOrDefault(value, start);
        }
    }

    /** Receives the items of a list while it is read, so that the list does not have to keep them. */
    @FunctionalInterface
    interface ItemConsumer {
        /**
         * Takes an item, or leaves it in the list.
         *
         * @param list the list, with the fields before its items; empty if the document is an array
         * @param index the item's index
         */
        boolean take(ObjectNode list, int index, JsonNode item);
    }

    /**
     * Returns the next document, or empty at the end of the input; an empty document is a null node.
     *
     * @param items is offered the items of the document, if it is a list or an array; in place of those that it takes,
     *     the document has missing nodes
     */
    Optional<JsonNode> next(ItemConsumer items) throws IOException {
        anchored.clear();
        repeatedFields.clear();
        aliasedValues = 0;
        depth = 0;
        if (parser.nextToken() == null) {
            return Optional.empty();
        }
        positions = new Positions(position());
        return Optional.of(
                switch (parser.currentToken()) {
                    case START_OBJECT -> document(items);
                    case START_ARRAY -> items(NODES.objectNode(), items);
                    default -> value("");
                });
    }

    private ObjectNode document(ItemConsumer items) throws IOException {
        Object anchor = parser.getObjectId();
        ObjectNode document = NODES.objectNode();
        List<JsonNode> merged = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = name(document);
            if (parser.nextToken() == JsonToken.START_ARRAY && name.equals("items")) {
                document.set(name, items(document, items));
            } else {
                field(document, "", name, merged);
            }
        }
        merged.forEach(value -> merge(document, value));
        if (anchor != null) {
            anchored.put(anchor.toString(), document);
        }
        return document;
    }

    private ArrayNode items(ObjectNode list, ItemConsumer items) throws IOException {
        ArrayNode array = NODES.arrayNode();
        Positions ofDocument = positions;
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            // Those of an item, as long as it is read.
            positions = new Positions(position());
            JsonNode item = value("");
            // An item with an anchor, or one that comes later, may be repeated, so it must stay as it is.
            if (anchored.isEmpty() && items.take(list, i, item)) {
                array.add(MissingNode.getInstance());
            } else {
                array.add(item);
                positions.byItem.forEach(ofDocument::put);
                ofDocument.put(item, positions.start);
            }
        }
        positions = ofDocument;
        return array;
    }

    /** Returns the positions in the current item, or in the current document once it is read. */
    Positions positions() {
        return positions;
    }

    /** Returns how much of the input has been parsed, in bytes or characters. */
    long offset() {
        JsonLocation location = parser.currentLocation();
        return Math.max(location.getByteOffset(), location.getCharOffset());
    }

    private SourcePosition position() {
        return position(file, parser.currentTokenLocation());
    }

    static SourcePosition position(String file, JsonLocation location) {
        return new SourcePosition(file, location.getLineNr(), location.getColumnNr());
    }

    // Reads the value that starts with the current token, to its last token.
    private JsonNode value(String field) throws IOException {
        Object anchor = parser.getObjectId();
        JsonNode value = switch (parser.currentToken()) {
            case START_OBJECT, START_ARRAY -> structure(field);
            case VALUE_STRING -> isAlias() ? aliased() : NODES.textNode(parser.getText());
            case VALUE_EMBEDDED_OBJECT -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> ObjectTrees.number(parser);
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME ->
                throw new IllegalStateException("no value starts with " + parser.currentToken());
        };
        if (anchor != null) {
            anchored.put(anchor.toString(), value);
        }
        return value;
    }

    private JsonNode structure(String field) throws IOException {
        if (depth == ObjectTrees.DEEPEST) {
            if (parser instanceof YAMLParser) {
                throw new ClusterFileException(
                        position() + ": nested too deep (expected: at most " + ObjectTrees.DEEPEST + " levels)");
            }
            return ObjectTrees.text(parser);
        }
        depth++;
        JsonNode structure = parser.currentToken() == JsonToken.START_OBJECT ? object(field) : array(field);
        depth--;
        return structure;
    }

    private ObjectNode object(String field) throws IOException {
        ObjectNode object = NODES.objectNode();
        List<JsonNode> merged = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = name(object);
            parser.nextToken();
            field(object, field, name, merged);
        }
        merged.forEach(value -> merge(object, value));
        return object;
    }

    // The name of a field, which is the current token. As for kubectl, the last one of a name counts.
    private String name(ObjectNode object) throws IOException {
        String name = parser.currentName();
        if (object.has(name)) {
            repeatedFields.add(position() + ": " + name);
        }
        return name;
    }

    /**
     * Returns the fields that came twice in an object, with their places, since this was asked or a document was begun.
     */
    List<String> takeRepeatedFields() {
        List<String> taken = List.copyOf(repeatedFields);
        repeatedFields.clear();
        return taken;
    }

    // Reads the value of a field of an object, which is itself the value of a field.
    private void field(ObjectNode object, String field, String name, List<JsonNode> merged) throws IOException {
        if (ObjectTrees.isLeftOut(field, name)) {
            parser.skipChildren();
        } else if (name.equals("<<") && parser instanceof YAMLParser) {
            merged.add(value(name));
        } else {
            object.set(name, value(name));
        }
    }

    private static void merge(ObjectNode object, JsonNode merged) {
        if (merged.isArray()) {
            merged.forEach(element -> merge(object, element));
        }
        merged.properties().forEach(field -> object.putIfAbsent(field.getKey(), field.getValue()));
    }

    private ArrayNode array(String field) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            SourcePosition position = position();
            JsonNode value = value("");
            array.add(value);
            if (field.equals("items") || field.isEmpty()) {
                positions.put(value, position);
            }
        }
        return array;
    }

    private boolean isAlias() {
        return parser instanceof YAMLParser yaml && yaml.isCurrentAlias();
    }

    private JsonNode aliased() throws IOException {
        String anchor = parser.getText();
        JsonNode value = anchored.get(anchor);
        if (value == null) {
            throw new ClusterFileException(
                    position() + ": *" + anchor + " (expected: an anchor that the document defines before)");
        }
        return copy(value);
    }

    private JsonNode copy(JsonNode value) {
        aliasedValues++;
        if (aliasedValues > MAX_ALIASED_VALUES) {
            throw new ClusterFileException(
                    position() + ": aliases repeat too much (expected: at most " + MAX_ALIASED_VALUES + " values)");
        }
        if (value instanceof ObjectNode object) {
            ObjectNode copied = NODES.objectNode();
            object.properties().forEach(field -> copied.set(field.getKey(), copy(field.getValue())));
            return copied;
        }
        if (value instanceof ArrayNode array) {
            ArrayNode copied = NODES.arrayNode(array.size());
            array.forEach(element -> copied.add(copy(element)));
            return copied;
        }
        return value;
    }
}
