// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Quantity;

/**
 * An object within a tree that remembers where it was found, so that what is wrong in it can be named. What is absent or
 * null reads as the empty object, list or text, 0 or false.
 */
final class Located {
    private final JsonNode node;
    private final @Nullable Located parent;
    private final String key;
    private final int index;

    private Located(JsonNode node, @Nullable Located parent, String key, int index) {
        this.node = node;
        this.parent = parent;
        this.key = key;
        this.index = index;
    }

    /** The root of a tree. */
    static Located root(ObjectNode object) {
        return new Located(object, null, "", -1);
    }

    /** The object in a field, empty if the field is absent. */
    Located object(String field) {
        JsonNode value = node.path(field);
        if (!value.isObject() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "an object");
        }
        return new Located(value, this, field, -1);
    }

    /** What the object in a field says, unless the field is absent. */
    <T> Optional<T> optional(String field, Function<Located, T> decoder) {
        Located object = object(field);
        return Fields.isAbsent(object.node) ? Optional.empty() : Optional.of(decoder.apply(object));
    }

    /** What the objects in a list say. */
    <T> List<T> list(String field, Function<Located, T> decoder) {
        JsonNode values = array(field);
        if (values.isEmpty()) {
            return List.of();
        }
        List<T> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            JsonNode value = values.get(i);
            if (!value.isObject()) {
                throw wrong(field + "[" + i + "]", value, "an object");
            }
            result.add(decoder.apply(new Located(value, this, field, i)));
        }
        return List.copyOf(result);
    }

    /** What the values in a list say. */
    <T> List<T> values(String field, Function<Located, T> decoder) {
        JsonNode values = array(field);
        List<T> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            result.add(decoder.apply(new Located(values.get(i), this, field, i)));
        }
        return List.copyOf(result);
    }

    /** The texts in a list. */
    List<String> texts(String field) {
        JsonNode values = array(field);
        if (values.isEmpty()) {
            return List.of();
        }
        String[] result = new String[values.size()];
        for (int i = 0; i < result.length; i++) {
            JsonNode value = values.get(i);
            if (!value.isTextual()) {
                throw wrong(field + "[" + i + "]", value, "a text");
            }
            result[i] = value.textValue();
        }
        return List.of(result);
    }

    /** The map from text to text in a field. */
    Map<String, String> textMap(String field, UnaryOperator<String> sharing) {
        return map(field, member -> sharing.apply(member.text("")), sharing);
    }

    /** The map from text to quantity in a field. */
    Map<String, Quantity> quantities(String field, UnaryOperator<String> sharing) {
        return map(field, Located::quantity, sharing);
    }

    /** The map from text to what objects say in a field. */
    <T> Map<String, T> map(String field, Function<Located, T> decoder, UnaryOperator<String> sharing) {
        Located members = object(field);
        if (members.node.isEmpty()) {
            return Map.of();
        }
        @SuppressWarnings({"unchecked", "rawtypes"})
        Map.Entry<String, T>[] entries = new Map.Entry[members.node.size()];
        int next = 0;
        for (Map.Entry<String, JsonNode> member : members.node.properties()) {
            T value = decoder.apply(new Located(member.getValue(), members, member.getKey(), -1));
            entries[next++] = Map.entry(sharing.apply(member.getKey()), value);
        }
        return Map.ofEntries(entries);
    }

    /** The text in a field. */
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

    /** The text in a field, or another one if that is absent or empty. */
    String text(String field, String otherwise) {
        String text = text(field);
        return text.isEmpty() ? otherwise : text;
    }

    /** Whether there is something in a field. */
    boolean has(String field) {
        return !Fields.isAbsent(node.path(field));
    }

    /** The truth value in a field. */
    boolean flag(String field) {
        JsonNode value = at(field);
        if (!value.isBoolean() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "true or false");
        }
        return value.booleanValue();
    }

    /** The whole number in a field. */
    int number(String field) {
        JsonNode value = node.path(field);
        if (!(value.isIntegralNumber() && value.canConvertToInt()) && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a whole number of at most 32 bits");
        }
        return value.intValue();
    }

    /** The whole number in a field. */
    long longNumber(String field) {
        JsonNode value = at(field);
        if (!(value.isIntegralNumber() && value.canConvertToLong()) && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a whole number of at most 64 bits");
        }
        return value.longValue();
    }

    /** The point in time in a field, or null. */
    @Nullable
    Instant time(String field) {
        String text = text(field);
        if (text.isEmpty()) {
            return null;
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException notATime) {
            throw wrong(field, node.path(field), "a time such as 2026-11-21T09:30:00Z");
        }
    }

    /** The quantity in a field, 0 if it is absent. */
    Quantity quantity(String field) {
        JsonNode value = node.path(field);
        return Fields.isAbsent(value) ? Quantity.ZERO : new Located(value, this, field, -1).quantity();
    }

    /** The quantity in a field, unless it is absent. */
    Optional<Quantity> optionalQuantity(String field) {
        return has(field) ? Optional.of(quantity(field)) : Optional.empty();
    }

    /** The quantities in a list. */
    List<Quantity> quantityList(String field) {
        JsonNode values = array(field);
        List<Quantity> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            result.add(new Located(values.get(i), this, field, i).quantity());
        }
        return List.copyOf(result);
    }

    /** The object as JSON text, but for these fields. */
    String jsonWithout(String... fields) {
        return node instanceof ObjectNode object
                ? object.deepCopy().without(List.of(fields)).toString()
                : node.toString();
    }

    // The empty name stands for the value itself, a member of a map or list.
    private JsonNode at(String field) {
        return field.isEmpty() ? node : node.path(field);
    }

    private Quantity quantity() {
        if (node.isNull()) {
            return Quantity.ZERO;
        }
        if (node.isTextual() || node.isNumber()) {
            try {
                return Quantity.parse(node.asText().strip());
            } catch (IllegalArgumentException notAQuantity) {
                throw wrong("", node, "a quantity");
            }
        }
        throw wrong("", node, "a quantity");
    }

    private JsonNode array(String field) {
        JsonNode value = node.path(field);
        if (!value.isArray() && !Fields.isAbsent(value)) {
            throw wrong(field, value, "a list");
        }
        return value;
    }

    private ObjectDecodeException wrong(String field, JsonNode value, String expected) {
        StringBuilder path = new StringBuilder(field);
        Located place = this;
        while (place.parent != null) {
            String name = place.index < 0 ? place.key : place.key + "[" + place.index + "]";
            path.insert(0, path.isEmpty() ? name : name + ".");
            place = place.parent;
        }
        String object =
                place.node instanceof ObjectNode root ? ObjectKey.of(root).title() : "object";
        return new ObjectDecodeException(
                object + ": " + path + ": " + Fields.shown(value) + " (expected: " + expected + ")");
    }
}
