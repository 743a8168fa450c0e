// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.objects.ObjectDecodeException;

/**
 * A JSON value as Go reads it into a struct: names of fields are case-insensitive, null is an absent value, and unknown
 * fields and everything after the first value are ignored.
 *
 * @param struct the name of the Go struct, for messages
 * @param tree the part
 */
public record GoStruct(String struct, JsonNode tree) {
    private static final String STARTS = "{[\"-0123456789tfn";

    /**
     * Reads a whole request or answer.
     *
     * @throws ObjectDecodeException if it is no JSON
     */
    public static GoStruct read(String struct, byte[] body) {
        int from = 0;
        while (from < body.length && isSpace(body[from])) {
            from++;
        }
        checkStart(from < body.length ? body[from] & 0xff : -1);
        return new GoStruct(struct, value(body, from, body.length - from));
    }

    /** Returns whether a byte is white space between the parts of JSON. */
    public static boolean isSpace(int character) {
        return character == ' ' || character == '\n' || character == '\r' || character == '\t';
    }

    /** Fails if no value begins with that byte, or if it is -1 for the end. */
    public static void checkStart(int first) {
        if (first < 0) {
            throw new ObjectDecodeException("EOF");
        }
        if (STARTS.indexOf(first) < 0) {
            throw new ObjectDecodeException("invalid character '" + (char) first + "' looking for beginning of value");
        }
    }

    /** Returns the value in a part of a text, without {@code managedFields} of objects. */
    public static JsonNode value(byte[] text, int from, int length) {
        try {
            return ObjectStreams.value(text, from, length);
        } catch (JsonEOFException cut) {
            throw new ObjectDecodeException("unexpected EOF");
        } catch (JsonProcessingException malformed) {
            throw new ObjectDecodeException(malformed.getOriginalMessage());
        } catch (IOException malformed) {
            throw new ObjectDecodeException(String.valueOf(malformed.getMessage()));
        }
    }

    /** Returns this struct if it is an object or null; fails otherwise. */
    public GoStruct asObject() {
        if (!tree.isObject() && !tree.isNull()) {
            throw wrong(tree, "value", "v1." + struct);
        }
        return this;
    }

    /** Returns the parts of an array; none of null. */
    public List<GoStruct> items(String itemStruct) {
        if (!tree.isArray() && !tree.isNull()) {
            throw wrong(tree, "value", "v1." + struct);
        }
        List<GoStruct> items = new ArrayList<>();
        for (JsonNode item : tree) {
            items.add(new GoStruct(itemStruct, item).asObject());
        }
        return items;
    }

    /** Returns a field's text, or empty. */
    public String text(String field) {
        JsonNode value = field(field);
        if (!value.isTextual() && !isNothing(value)) {
            throw wrong(value, field, "string");
        }
        return value.asText("");
    }

    /** Returns a field's whole number, or 0. */
    public long number(String field) {
        JsonNode value = field(field);
        if (isNothing(value)) {
            return 0;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw wrong(value, field, "int64");
        }
        return value.longValue();
    }

    /** Returns a field's list of texts; empty if it is not there. */
    public Optional<List<String>> texts(String field) {
        JsonNode value = field(field);
        if (isNothing(value)) {
            return Optional.empty();
        }
        if (!value.isArray()) {
            throw wrong(value, field, "[]string");
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode item : value) {
            if (!item.isTextual() && !item.isNull()) {
                throw wrong(item, field, "string");
            }
            texts.add(item.asText(""));
        }
        return Optional.of(texts);
    }

    /** Returns a field's texts by name. */
    public Map<String, String> textByName(String field, String type) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : entries(field, type)) {
            if (!entry.getValue().isTextual() && !entry.getValue().isNull()) {
                throw wrong(entry.getValue(), field, "string");
            }
            texts.put(entry.getKey(), entry.getValue().asText(""));
        }
        return texts;
    }

    /** Returns a field's structs by name. */
    public Map<String, GoStruct> structByName(String field, String entryStruct) {
        Map<String, GoStruct> structs = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : entries(field, "map[string]*v1." + entryStruct)) {
            structs.put(entry.getKey(), new GoStruct(entryStruct, entry.getValue()).asObject());
        }
        return structs;
    }

    /** Returns a field's list of structs; empty if it is not there. */
    public List<GoStruct> structs(String field, String itemStruct) {
        JsonNode value = field(field);
        if (!value.isArray() && !isNothing(value)) {
            throw wrong(value, field, "[]*v1." + itemStruct);
        }
        return new GoStruct(itemStruct, isNothing(value) ? NullNode.instance : value).items(itemStruct);
    }

    /** Returns the objects of a field that is a list in Kubernetes' sense; empty if it is not there. */
    public Optional<List<ObjectNode>> objects(String field, String type) {
        JsonNode list = field(field);
        if (isNothing(list)) {
            return Optional.empty();
        }
        if (!list.isObject()) {
            throw wrong(list, field, type);
        }
        JsonNode items = new GoStruct(struct, list).field("items");
        if (!items.isArray() && !isNothing(items)) {
            throw wrong(items, field + ".items", "[]v1.Node");
        }
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode item : items) {
            if (!(item instanceof ObjectNode object)) {
                throw wrong(item, field + ".items", "v1.Node");
            }
            objects.add(object);
        }
        return Optional.of(objects);
    }

    private List<Map.Entry<String, JsonNode>> entries(String field, String type) {
        JsonNode value = field(field);
        if (!value.isObject() && !isNothing(value)) {
            throw wrong(value, field, type);
        }
        return List.copyOf(value.properties());
    }

    // The last spelling counts.
    private JsonNode field(String name) {
        JsonNode found = MissingNode.getInstance();
        for (Map.Entry<String, JsonNode> field : tree.properties()) {
            if (field.getKey().equalsIgnoreCase(name)) {
                found = field.getValue();
            }
        }
        return found;
    }

    private static boolean isNothing(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    /** Returns Go's error for a value that is not of the field's type. */
    public ObjectDecodeException wrong(JsonNode value, String field, String type) {
        String seen = switch (value.getNodeType()) {
            case OBJECT -> "object";
            case ARRAY -> "array";
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> type.equals("int64") ? "number " + value.asText() : "number";
            case BINARY, MISSING, NULL, POJO -> "value";
        };
        String into = field.equals("value") ? "value" : "struct field " + struct + "." + field;
        return new ObjectDecodeException("json: cannot unmarshal " + seen + " into Go " + into + " of type " + type);
    }
}
