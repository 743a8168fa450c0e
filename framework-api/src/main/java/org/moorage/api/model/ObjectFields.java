// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object that has no type in this model, by their paths:
 *
 * <pre>{@code
 * ObjectFields fields = budget.fields();
 * long most = fields.integer("spec", "maxPods").orElse(10);
 * List<String> zones = fields.strings("spec", "zones");
 * for (ObjectFields rule : fields.objects("spec", "rules")) {
 *     rule.string("team");
 * }
 * }</pre>
 *
 * <p>A path lists the names of nested fields, outermost first, as separate strings, since names may contain dots. A
 * field that is missing or null is returned as empty. A field of another type causes an
 * {@link IllegalArgumentException} that names the path, the value and the expected type. Immutable.
 */
public final class ObjectFields {
    private static final int MOST_SHOWN = 60;

    private final String path;
    private final Map<String, @Nullable Object> values;

    private ObjectFields(String path, Map<String, @Nullable Object> values) {
        this.path = path;
        this.values = values;
    }

    /**
     * Returns the fields of a JSON object.
     *
     * @throws IllegalArgumentException if the text is not a JSON object
     */
    public static ObjectFields of(String json) {
        return of("", JsonText.read(json));
    }

    @SuppressWarnings("unchecked") // what JsonText reads as a map has texts as keys
    private static ObjectFields of(String path, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new ObjectFields(path, (Map<String, @Nullable Object>) map);
        }
        throw wrong(path, value, "an object");
    }

    /** Returns the names of the fields, in their order. */
    public Set<String> names() {
        return values.keySet();
    }

    /** Returns the fields of the object at a path; no fields if there is none. */
    public ObjectFields object(String... at) {
        Object value = find(at);
        return value == null ? new ObjectFields(pathOf(at), Map.of()) : of(pathOf(at), value);
    }

    /** Returns the objects of the list at a path. */
    public List<ObjectFields> objects(String... at) {
        List<ObjectFields> objects = new ArrayList<>();
        for (Object item : list(at)) {
            objects.add(of(pathOf(at) + "[" + objects.size() + "]", item));
        }
        return List.copyOf(objects);
    }

    /** Returns the string at a path. */
    public Optional<String> string(String... at) {
        Object value = find(at);
        if (value == null || value instanceof String) {
            return Optional.ofNullable((String) value);
        }
        throw wrong(pathOf(at), value, "a text");
    }

    /** Returns the strings of the list at a path. */
    public List<String> strings(String... at) {
        List<String> texts = new ArrayList<>();
        for (Object item : list(at)) {
            if (!(item instanceof String text)) {
                throw wrong(pathOf(at) + "[" + texts.size() + "]", item, "a text");
            }
            texts.add(text);
        }
        return List.copyOf(texts);
    }

    /** Returns the strings of the object at a path, by field name, for example labels. */
    public Map<String, String> stringMap(String... at) {
        Map<String, String> texts = new LinkedHashMap<>();
        ObjectFields object = object(at);
        for (String name : object.names()) {
            object.string(name).ifPresent(text -> texts.put(name, text));
        }
        return Collections.unmodifiableMap(texts);
    }

    /** Returns the integer at a path. */
    public OptionalLong integer(String... at) {
        Object value = find(at);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value instanceof Long number) {
            return OptionalLong.of(number);
        }
        throw wrong(pathOf(at), value, "a whole number");
    }

    /** Returns the number at a path. */
    public OptionalDouble number(String... at) {
        Object value = find(at);
        if (value == null) {
            return OptionalDouble.empty();
        }
        if (value instanceof Number number) {
            return OptionalDouble.of(number.doubleValue());
        }
        throw wrong(pathOf(at), value, "a number");
    }

    /** Returns the boolean at a path. */
    public Optional<Boolean> bool(String... at) {
        Object value = find(at);
        if (value == null || value instanceof Boolean) {
            return Optional.ofNullable((Boolean) value);
        }
        throw wrong(pathOf(at), value, "true or false");
    }

    /** Returns the quantity at a path, in Kubernetes' notation: a string such as {@code 500m}, or a number. */
    public Optional<Quantity> quantity(String... at) {
        Object value = find(at);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof String || value instanceof Number) {
            try {
                return Optional.of(Quantity.parse(value.toString()));
            } catch (IllegalArgumentException unreadable) {
                throw new IllegalArgumentException(
                        pathOf(at) + ": " + shown(value) + " (expected: an amount such as 500m)", unreadable);
            }
        }
        throw wrong(pathOf(at), value, "an amount such as 500m");
    }

    /** Returns the quantities of the object at a path, by field name, for example the amounts of a resource list. */
    public Map<String, Quantity> quantityMap(String... at) {
        Map<String, Quantity> amounts = new LinkedHashMap<>();
        ObjectFields object = object(at);
        for (String name : object.names()) {
            object.quantity(name).ifPresent(amount -> amounts.put(name, amount));
        }
        return Collections.unmodifiableMap(amounts);
    }

    private List<?> list(String... at) {
        Object value = find(at);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw wrong(pathOf(at), value, "a list");
    }

    private @Nullable Object find(String... at) {
        if (at.length == 0) {
            throw new IllegalArgumentException("path: [] (expected: the name of a field)");
        }
        ObjectFields around = this;
        for (int i = 0; i < at.length - 1; i++) {
            Object value = around.values.get(at[i]);
            if (value == null) {
                return null;
            }
            around = of(around.pathOf(at[i]), value);
        }
        return around.values.get(at[at.length - 1]);
    }

    private String pathOf(String... at) {
        String inner = String.join(".", at);
        return path.isEmpty() ? inner : path + "." + inner;
    }

    private static IllegalArgumentException wrong(String path, @Nullable Object value, String expected) {
        return new IllegalArgumentException(
                (path.isEmpty() ? "json" : path) + ": " + shown(value) + " (expected: " + expected + ")");
    }

    private static String shown(@Nullable Object value) {
        String text = value instanceof String string ? "\"" + string + "\"" : String.valueOf(value);
        return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "..." : text;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
