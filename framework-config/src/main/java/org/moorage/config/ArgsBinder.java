// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.Suggestion;
import org.moorage.objects.GoDuration;

/**
 * Reads trees into records, and writes records as trees. A field that is not given, or null, has the value that it has in
 * the {@code DEFAULTS} of its record; a record without them has the value that it has in the record around it, and failing
 * that nothing, zero and false. The records of {@code org.moorage.api.model} have Kubernetes' field names.
 */
final class ArgsBinder {
    private static final Map<Class<?>, Map<String, String>> KUBERNETES_NAMES = Map.of(
            NodeAffinity.class,
            Map.of(
                    "required", "requiredDuringSchedulingIgnoredDuringExecution",
                    "preferred", "preferredDuringSchedulingIgnoredDuringExecution"),
            NodeAffinity.Preferred.class,
            Map.of("term", "preference"),
            NodeSelector.class,
            Map.of("terms", "nodeSelectorTerms"));

    static final String INT_OR_STRING = "a whole number or a text";

    private ArgsBinder() {}

    /**
     * Reads the arguments of a plugin. What is wrong with them is reported; the result is then not to be used.
     *
     * @throws IllegalArgumentException if the type cannot be read into at all: it is no record, has no defaults, or has a
     *     component of a type that arguments cannot have
     */
    static <A extends PluginArgs> A bind(JsonNode source, Class<A> type, Problems problems) {
        A defaults = defaults(type);
        Object bound = record(source, type, defaults, problems);
        return bound == null ? defaults : type.cast(bound);
    }

    /** The arguments that apply when none are given. */
    static <A extends PluginArgs> A defaults(Class<A> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + ": not a record (expected: a record)");
        }
        Object defaults = ownDefaults(type);
        if (defaults == null) {
            throw new IllegalArgumentException(
                    type.getName() + ": no arguments by default (expected: a static DEFAULTS of this type)");
        }
        return type.cast(defaults);
    }

    /** Whether the arguments have a field of this name. */
    static boolean hasField(Class<?> type, String field) {
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (fieldName(component).equals(field)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The tree of a record: without the empty lists, maps and optional values. */
    static ObjectNode toTree(Record value) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            JsonNode field = tree(read(component, value));
            boolean blank = field.isTextual() && field.textValue().isEmpty() && isModel(value.getClass());
            if (!field.isMissingNode() && !blank) {
                tree.set(fieldName(component), field);
            }
        }
        return tree;
    }

    // Null where no value can be made; that is reported.
    private static @Nullable Object record(JsonNode source, Class<?> type, @Nullable Object around, Problems problems) {
        Object own = ownDefaults(type);
        Object defaults = own != null ? own : around;
        if (!source.isMissingNode() && !source.isObject()) {
            Scalars.wrong(source, "an object", problems);
        }
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new @Nullable Object[components.length];
        Set<String> known = new TreeSet<>();
        boolean complete = true;
        for (int i = 0; i < components.length; i++) {
            String field = fieldName(components[i]);
            known.add(field);
            types[i] = components[i].getType();
            values[i] = value(
                    source.path(field),
                    components[i].getGenericType(),
                    defaults == null ? null : read(components[i], defaults),
                    problems.at(field));
            complete &= values[i] != null;
        }
        source.fieldNames().forEachRemaining(field -> {
            if (!known.contains(field)) {
                Suggestion.unknownField(known, field, problems.at(field));
            }
        });
        return complete ? create(type, types, values, problems) : null;
    }

    // Null where no value can be made; that is reported.
    private static @Nullable Object value(JsonNode given, Type type, @Nullable Object otherwise, Problems problems) {
        JsonNode source = given.isNull() ? MissingNode.getInstance() : given;
        if (source.isMissingNode() && otherwise != null) {
            return otherwise;
        }
        if (type instanceof ParameterizedType generic) {
            return generic(source, generic, otherwise, problems);
        }
        if (!(type instanceof Class<?> simple)) {
            throw unsupported(type);
        }
        if (simple == IntOrString.class) {
            return intOrString(source, problems);
        }
        if (simple.isRecord()) {
            return record(source, simple, otherwise, problems);
        }
        if (simple.isEnum()) {
            return constant(source, simple, problems);
        }
        if (simple == OptionalInt.class) {
            return source.isMissingNode() ? OptionalInt.empty() : OptionalInt.of(Scalars.integer(source, problems));
        }
        if (simple == OptionalLong.class) {
            return source.isMissingNode() ? OptionalLong.empty() : OptionalLong.of(longInteger(source, problems));
        }
        if (simple == int.class || simple == Integer.class) {
            return source.isMissingNode() ? 0 : Scalars.integer(source, problems);
        }
        if (simple == long.class || simple == Long.class) {
            return source.isMissingNode() ? 0L : longInteger(source, problems);
        }
        if (simple == double.class || simple == Double.class) {
            return source.isMissingNode() ? 0.0 : Scalars.number(source, problems);
        }
        if (simple == boolean.class || simple == Boolean.class) {
            return !source.isMissingNode() && Scalars.bool(source, problems);
        }
        if (simple == String.class) {
            return source.isMissingNode() ? "" : Scalars.text(source, problems);
        }
        if (simple == Duration.class) {
            return source.isMissingNode() ? Duration.ZERO : Scalars.duration(source, problems);
        }
        throw unsupported(type);
    }

    private static Object generic(
            JsonNode source, ParameterizedType type, @Nullable Object otherwise, Problems problems) {
        Type[] of = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            Object around = otherwise instanceof Optional<?> optional ? optional.orElse(null) : null;
            return source.isMissingNode()
                    ? Optional.empty()
                    : Optional.ofNullable(value(source, of[0], around, problems));
        }
        if (type.getRawType() == List.class) {
            return list(source, of[0], problems);
        }
        if (type.getRawType() == Map.class && of[0] == String.class) {
            return map(source, of[1], problems);
        }
        throw unsupported(type);
    }

    private static List<Object> list(JsonNode source, Type of, Problems problems) {
        List<Object> values = new ArrayList<>();
        if (source instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                Object value = value(array.path(i), of, null, problems.at(i));
                if (value != null) {
                    values.add(value);
                }
            }
        } else if (!source.isMissingNode()) {
            Scalars.wrong(source, "a list", problems);
        }
        return Collections.unmodifiableList(values);
    }

    private static Map<String, Object> map(JsonNode source, Type of, Problems problems) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (source instanceof ObjectNode object) {
            object.properties().forEach(entry -> {
                Object value = value(entry.getValue(), of, null, problems.at(entry.getKey()));
                if (value != null) {
                    values.put(entry.getKey(), value);
                }
            });
        } else if (!source.isMissingNode()) {
            Scalars.wrong(source, "a map", problems);
        }
        return Collections.unmodifiableMap(values);
    }

    private static long longInteger(JsonNode source, Problems problems) {
        return Scalars.whole(source, Long.MIN_VALUE, Long.MAX_VALUE, problems);
    }

    private static IntOrString intOrString(JsonNode source, Problems problems) {
        if (source.isNumber()) {
            return IntOrString.of(longInteger(source, problems));
        }
        if (!source.isTextual() && !source.isMissingNode()) {
            Scalars.wrong(source, INT_OR_STRING, problems);
        }
        return IntOrString.of(source.asText());
    }

    private static @Nullable Object constant(JsonNode source, Class<?> type, Problems problems) {
        for (Object constant : type.getEnumConstants()) {
            if (source.isTextual() && name((Enum<?>) constant).equals(source.textValue())) {
                return constant;
            }
        }
        if (source.isMissingNode()) {
            problems.missing(expected(type));
        } else {
            Scalars.wrong(source, expected(type), problems);
        }
        return null;
    }

    /** What a value of this enum may be. */
    static String expected(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) {
            names.add(name((Enum<?>) constant));
        }
        return "one of " + String.join(", ", names);
    }

    // LEAST_ALLOCATED is LeastAllocated in the configuration; a constant with small letters is taken as it is.
    private static String name(Enum<?> constant) {
        String name = constant.name();
        if (!name.equals(name.toUpperCase(Locale.ROOT))) {
            return name;
        }
        StringBuilder camel = new StringBuilder();
        for (String word : name.split("_", -1)) {
            if (!word.isEmpty()) {
                camel.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
            }
        }
        return camel.toString();
    }

    private static JsonNode tree(Object value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (value instanceof Optional<?> optional) {
            return optional.isPresent() ? tree(optional.get()) : MissingNode.getInstance();
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? Scalars.node(optional.getAsInt()) : MissingNode.getInstance();
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? Scalars.node(optional.getAsLong()) : MissingNode.getInstance();
        }
        if (value instanceof List<?> list) {
            ArrayNode array = nodes.arrayNode();
            list.forEach(item -> array.add(tree(item)));
            return array.isEmpty() ? MissingNode.getInstance() : array;
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = nodes.objectNode();
            map.forEach((key, item) -> object.set((String) key, tree(item)));
            return object.isEmpty() ? MissingNode.getInstance() : object;
        }
        if (value instanceof IntOrString either) {
            return either.isNumber() ? Scalars.node(Long.parseLong(either.text())) : nodes.textNode(either.text());
        }
        if (value instanceof Record nested) {
            return toTree(nested);
        }
        if (value instanceof Enum<?> constant) {
            return nodes.textNode(name(constant));
        }
        if (value instanceof Duration duration) {
            return nodes.textNode(GoDuration.format(duration));
        }
        if (value instanceof Boolean bool) {
            return nodes.booleanNode(bool);
        }
        if (value instanceof Double number) {
            return Scalars.node(number.doubleValue());
        }
        if (value instanceof Number number) {
            return Scalars.node(number.longValue());
        }
        return nodes.textNode(value.toString());
    }

    /** The name of a component in a configuration. */
    static String fieldName(RecordComponent component) {
        Map<String, String> names = KUBERNETES_NAMES.getOrDefault(component.getDeclaringRecord(), Map.of());
        return names.getOrDefault(component.getName(), component.getName());
    }

    /** Whether it is a type of Kubernetes' object model. */
    static boolean isModel(Class<?> type) {
        return type.getPackageName().equals(NodeAffinity.class.getPackageName());
    }

    private static @Nullable Object ownDefaults(Class<?> type) {
        try {
            Field field = type.getDeclaredField("DEFAULTS");
            if (!Modifier.isStatic(field.getModifiers()) || field.getType() != type) {
                return null;
            }
            field.setAccessible(true);
            return field.get(null);
        } catch (NoSuchFieldException absent) {
            return null;
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(type.getName() + ": DEFAULTS cannot be read", impossible);
        }
    }

    private static Object read(RecordComponent component, Object owner) {
        try {
            component.getAccessor().setAccessible(true);
            Object value = component.getAccessor().invoke(owner);
            if (value == null) {
                throw new IllegalArgumentException(
                        component.getDeclaringRecord().getName() + "." + component.getName()
                                + ": null (expected: a value; use Optional for one that may be absent)");
            }
            return value;
        } catch (ReflectiveOperationException failed) {
            throw new IllegalArgumentException(
                    component.getDeclaringRecord().getName() + "." + component.getName() + ": cannot be read", failed);
        }
    }

    private static @Nullable Object create(
            Class<?> type, Class<?>[] componentTypes, @Nullable Object[] values, Problems problems) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(componentTypes);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            problems.report("refused by " + type.getName() + ": " + refused.getCause());
            return null;
        } catch (ReflectiveOperationException failed) {
            throw new IllegalArgumentException(type.getName() + ": cannot be created", failed);
        }
    }

    private static IllegalArgumentException unsupported(Type type) {
        return new IllegalArgumentException(type.getTypeName()
                + ": not a type that arguments can have (expected: int, long, double, boolean, String, Duration,"
                + " IntOrString, an enum, a record, or an Optional, List or Map of these)");
    }
}
