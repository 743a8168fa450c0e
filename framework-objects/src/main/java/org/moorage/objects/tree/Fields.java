// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.model.Quantity;
import org.moorage.objects.ClusterFileException;

/**
 * The fields of an object in a tree, as the API server's Go types have them: a field is <em>absent</em> if it is
 * missing or null, and <em>blank</em> if it is absent or has the zero value of its type.
 *
 * @param node the object
 * @param path starts a message about the object
 */
public record Fields(ObjectNode node, Supplier<String> path) {

    /** The expected form of a quantity, in messages. */
    static final String QUANTITY = "a quantity such as 2, 500m or 1536Mi";

    private static final int LONGEST_VALUE = 80;

    /** Returns the fields of an object that is no part of another. */
    public static Fields of(ObjectNode object) {
        return new Fields(object, () -> ObjectKey.of(object).title() + ": ");
    }

    /** Returns the value in messages: on one line, cut if it is long. */
    public static String shown(JsonNode value) {
        String text = value.isMissingNode() ? "nothing" : value.toString();
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }

    /**
     * Returns the type of a whole document in messages. Its contents, which may be a token in a file named by mistake,
     * are not shown.
     */
    static String typeOf(JsonNode document) {
        return switch (document.getNodeType()) {
            case OBJECT, POJO -> "an object";
            case ARRAY -> "a list";
            case NUMBER -> "a number";
            case BOOLEAN -> "true or false";
            case STRING, BINARY -> "a text";
            case NULL, MISSING -> "nothing";
        };
    }

    /** Returns whether the field is absent. */
    public boolean isAbsent(String key) {
        return isAbsent(node.path(key));
    }

    /** Returns whether a value is that of an absent field. */
    public static boolean isAbsent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    /** Returns whether the field is blank. */
    public boolean isBlank(String key) {
        JsonNode value = node.path(key);
        return isAbsent(value)
                || (value.isTextual() && value.textValue().isEmpty())
                || (value.isNumber() && value.decimalValue().signum() == 0);
    }

    /** Returns the text in the field; empty if it is absent. */
    public String text(String key) {
        return node.path(key).asText("");
    }

    /** Returns whether the field has no list or object with something in it. */
    public boolean isEmpty(String key) {
        return node.path(key).isEmpty();
    }

    /** Returns whether the field has this text. */
    public boolean holds(String key, String text) {
        return text.equals(node.path(key).textValue());
    }

    /** Sets the field if it is absent. */
    public void whenAbsent(String key, JsonNode value) {
        if (isAbsent(key)) {
            node.set(key, value);
        }
    }

    /** Sets the field if it is absent. */
    public void whenAbsent(String key, String value) {
        whenAbsent(key, node.textNode(value));
    }

    /** Sets the field if it is absent. */
    public void whenAbsent(String key, int value) {
        whenAbsent(key, node.numberNode(value));
    }

    /** Sets the field if it is absent. */
    public void whenAbsent(String key, boolean value) {
        whenAbsent(key, node.booleanNode(value));
    }

    /** Sets the field if it is blank. */
    public void whenBlank(String key, String value) {
        if (isBlank(key)) {
            node.put(key, value);
        }
    }

    /** Sets the field if it is blank. */
    public void whenBlank(String key, int value) {
        if (isBlank(key)) {
            node.put(key, value);
        }
    }

    /** Returns the object in the field, which is set to an empty one if it is absent. */
    public Fields struct(String key) {
        whenAbsent(key, JsonNodeFactory.instance.objectNode());
        return object(key, node.path(key));
    }

    /** Returns the object in the field, if there is one. */
    public Optional<Fields> pointer(String key) {
        JsonNode value = node.path(key);
        return isAbsent(value) ? Optional.empty() : Optional.of(object(key, value));
    }

    /** Returns the objects in the list in the field; none if it is absent. */
    public List<Fields> each(String key) {
        JsonNode list = node.path(key);
        if (isAbsent(list)) {
            return List.of();
        }
        if (!(list instanceof ArrayNode)) {
            throw wrong(key, list, "a list");
        }
        List<Fields> objects = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            objects.add(object(key + "[" + i + "]", list.path(i)));
        }
        return objects;
    }

    /** Returns the list in the field, which is set to an empty one if it is absent. */
    public ArrayNode list(String key) {
        whenAbsent(key, JsonNodeFactory.instance.arrayNode());
        if (node.path(key) instanceof ArrayNode list) {
            return list;
        }
        throw wrong(key, node.path(key), "a list");
    }

    /** Returns the whole number in the field, or the default if it is absent. */
    public int number(String key, int whenAbsent) {
        JsonNode value = node.path(key);
        if (isAbsent(value)) {
            return whenAbsent;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw wrong(key, value, "a whole number of 32 bits");
        }
        return value.intValue();
    }

    /** Returns the quantity in the field. */
    public Quantity quantity(String key) {
        JsonNode value = node.path(key);
        try {
            return quantity(value);
        } catch (IllegalArgumentException e) {
            throw wrong(key, value, QUANTITY);
        }
    }

    /**
     * Returns the quantity that the value is; the API takes numbers too, and null for 0.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Quantity quantity(JsonNode value) {
        if (value.isNull()) {
            return Quantity.ZERO;
        }
        // A long number is kept as its text.
        return Quantity.parse((value.isPojo() ? value.toString() : value.asText()).strip());
    }

    /** Returns the exception for a field with a wrong value. */
    public ClusterFileException wrong(String key, JsonNode value, String expected) {
        return new ClusterFileException(path.get() + key + ": " + shown(value) + " (expected: " + expected + ")");
    }

    private Fields object(String key, JsonNode value) {
        if (value instanceof ObjectNode object) {
            return new Fields(object, () -> path.get() + key + ".");
        }
        throw wrong(key, value, "an object");
    }
}
