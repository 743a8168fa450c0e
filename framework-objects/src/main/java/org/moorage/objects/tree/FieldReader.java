// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Quantity;
import org.moorage.objects.ObjectDecodeException;

/**
 * Reads the fields of an object in a tree, and knows the object's path for messages about values of the wrong type. A
 * field that is absent or null reads as the empty object, list or text, 0 or false.
 */
final class FieldReader {
    private final JsonNode node;
    private final @Nullable FieldReader parent;
    private final String key;
    private final int index;

    private FieldReader(JsonNode node, @Nullable FieldReader parent, String key, int index) {
        this.node = node;
        this.parent = parent;
        this.key = key;
        this.index = index;
    }

    /** Returns the root of a tree. */
    static FieldReader root(ObjectNode object) {
        return new FieldReader(object, null, "", -1);
    }

    /** Returns the object in a field, empty if the field is absent. */
    FieldReader object(String field) {
        JsonNode value = node.path(field);
        if (!value.isObject() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "an object");
        }
        return new FieldReader(value, this, field, -1);
    }

    /** Returns the object in a field, decoded, unless the field is absent. */
    <T> Optional<T> optional(String field, Function<FieldReader, T> decoder) {
        FieldReader object = object(field);
        return Fields.isAbsent(object.node) ? Optional.empty() : Optional.of(decoder.apply(object));
    }

    /** Returns the objects in a list, decoded. */
    <T> List<T> list(String field, Function<FieldReader, T> decoder) {
        JsonNode values = array(field);
        if (values.isEmpty()) {
            return List.of();
        }
        List<T> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            JsonNode value = values.get(i);
            if (!value.isObject()) {
                throw wrong(field, i, value, "an object");
            }
            result.add(decoder.apply(new FieldReader(value, this, field, i)));
        }
        return List.copyOf(result);
    }

    /**
     * Returns the objects in a list by their names, decoded; of several with one name the last.
     *
     * @param names maps the names
     */
    <T> Map<String, T> byName(String field, Function<FieldReader, T> decoder, UnaryOperator<String> names) {
        Map<String, T> result = new HashMap<>();
        list(field, value -> Map.entry(names.apply(value.text("name")), decoder.apply(value)))
                .forEach(entry -> result.put(entry.getKey(), entry.getValue()));
        return result;
    }

    /** Returns the values in a list, decoded. */
    <T> List<T> values(String field, Function<FieldReader, T> decoder) {
        JsonNode values = array(field);
        List<T> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            result.add(decoder.apply(new FieldReader(values.get(i), this, field, i)));
        }
        return List.copyOf(result);
    }

    /** Returns the texts in a list. */
    List<String> texts(String field) {
        JsonNode values = array(field);
        if (values.isEmpty()) {
            return List.of();
        }
        String[] result = new String[values.size()];
        for (int i = 0; i < result.length; i++) {
            JsonNode value = values.get(i);
            if (!value.isTextual()) {
                throw wrong(field, i, value, "a text");
            }
            result[i] = value.textValue();
        }
        return List.of(result);
    }

    /** Returns the map from text to text in a field. */
    Map<String, String> textMap(String field, UnaryOperator<String> sharing) {
        return map(field, entry -> sharing.apply(entry.text("")), sharing);
    }

    /** Returns the map from text to quantity in a field. */
    Map<String, Quantity> quantities(String field, UnaryOperator<String> sharing) {
        return map(field, FieldReader::quantity, sharing);
    }

    /** As {@link #quantities}, of which an API server takes none below zero. */
    Map<String, Quantity> amounts(String field, UnaryOperator<String> sharing) {
        return map(field, FieldReader::amount, sharing);
    }

    /** Returns the map from text to objects in a field, decoded. */
    <T> Map<String, T> map(String field, Function<FieldReader, T> decoder, UnaryOperator<String> sharing) {
        FieldReader map = object(field);
        if (map.node.isEmpty()) {
            return Map.of();
        }
        @SuppressWarnings({"unchecked", "rawtypes"})
        Map.Entry<String, T>[] entries = new Map.Entry[map.node.size()];
        int next = 0;
        for (Map.Entry<String, JsonNode> entry : map.node.properties()) {
            T value = decoder.apply(new FieldReader(entry.getValue(), map, entry.getKey(), -1));
            entries[next++] = Map.entry(sharing.apply(entry.getKey()), value);
        }
        return Map.ofEntries(entries);
    }

    /** Returns the text in a field. */
    String text(String field) {
        JsonNode value = at(field);
        if (value.isTextual()) {
            return value.textValue();
        }
        if (Fields.isAbsent(value)) {
            return "";
        }
        throw wrong(field, value, "a text");
    }

    /** Returns the text in a field, or the default if that is absent or empty. */
    String text(String field, String defaultText) {
        String text = text(field);
        return text.isEmpty() ? defaultText : text;
    }

    /** Returns whether a field has a value. */
    boolean has(String field) {
        return !Fields.isAbsent(node.path(field));
    }

    /** Returns the boolean in a field. */
    boolean flag(String field) {
        JsonNode value = at(field);
        if (!value.isBoolean() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "true or false");
        }
        return value.booleanValue();
    }

    /** Returns the whole number in a field. */
    int number(String field) {
        JsonNode value = node.path(field);
        if (!(value.isIntegralNumber() && value.canConvertToInt()) && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a whole number of at most 32 bits");
        }
        return value.intValue();
    }

    /** Returns the whole number in a field. */
    long longNumber(String field) {
        JsonNode value = at(field);
        if (!(value.isIntegralNumber() && value.canConvertToLong()) && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a whole number of at most 64 bits");
        }
        return value.longValue();
    }

    /** Returns the point in time in a field, or null. */
    @Nullable
    Instant time(String field) {
        String text = text(field);
        if (text.isEmpty()) {
            return null;
        }
        try {
            return ApiTime.parse(text);
        } catch (DateTimeException notATime) {
            throw wrong(field, node.path(field), "a time such as 2026-11-21T09:30:00Z");
        }
    }

    /** Returns the quantity in a field, 0 if it is absent. */
    Quantity quantity(String field) {
        JsonNode value = node.path(field);
        return Fields.isAbsent(value) ? Quantity.ZERO : new FieldReader(value, this, field, -1).quantity();
    }

    /** Returns the quantity in a field, unless it is absent. */
    Optional<Quantity> optionalQuantity(String field) {
        return has(field) ? Optional.of(quantity(field)) : Optional.empty();
    }

    /** Returns the quantities in a list. */
    List<Quantity> quantityList(String field) {
        JsonNode values = array(field);
        List<Quantity> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            result.add(new FieldReader(values.get(i), this, field, i).quantity());
        }
        return List.copyOf(result);
    }

    /** Returns the object as JSON text, without these fields. */
    String jsonWithout(String... fields) {
        return node instanceof ObjectNode object
                ? object.deepCopy().without(List.of(fields)).toString()
                : node.toString();
    }

    // The empty name stands for the value itself, an entry of a map or list.
    private JsonNode at(String field) {
        return field.isEmpty() ? node : node.path(field);
    }

    private Quantity quantity() {
        if (node.isBoolean()) {
            throw wrong("", node, Fields.QUANTITY);
        }
        try {
            return Fields.quantity(node);
        } catch (IllegalArgumentException notAQuantity) {
            throw wrong("", node, Fields.QUANTITY);
        }
    }

    private Quantity amount() {
        Quantity quantity = quantity();
        if (quantity.compareTo(Quantity.ZERO) < 0) {
            throw wrong("", node, "a quantity of 0 or more");
        }
        return quantity;
    }

    private JsonNode array(String field) {
        JsonNode value = node.path(field);
        if (!value.isArray() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a list");
        }
        return value;
    }

    private ObjectDecodeException wrong(String field, JsonNode value, String expected) {
        return wrong(field, -1, value, expected);
    }

    private ObjectDecodeException wrong(String field, int fieldIndex, JsonNode value, String expected) {
        StringBuilder path = new StringBuilder(pathOf(field, fieldIndex));
        StringBuilder pointer = new StringBuilder(field.isEmpty() ? "" : pointerOf(field, fieldIndex));
        FieldReader reader = this;
        while (reader.parent != null) {
            path.insert(0, pathOf(reader.key, reader.index) + (path.isEmpty() ? "" : "."));
            pointer.insert(0, pointerOf(reader.key, reader.index));
            reader = reader.parent;
        }
        String object =
                reader.node instanceof ObjectNode root ? ObjectKey.of(root).title() : "object";
        return new ObjectDecodeException(
                object + ": " + path + ": " + Fields.shown(value) + " (expected: " + expected + ")",
                pointer.toString());
    }

    private static String pathOf(String field, int fieldIndex) {
        return fieldIndex < 0 ? field : field + "[" + fieldIndex + "]";
    }

    private static String pointerOf(String field, int fieldIndex) {
        String escaped = "/" + field.replace("~", "~0").replace("/", "~1");
        return fieldIndex < 0 ? escaped : escaped + "/" + fieldIndex;
    }
}
