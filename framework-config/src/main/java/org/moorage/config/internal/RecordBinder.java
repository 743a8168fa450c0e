// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal;

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
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.objects.GoDuration;

/**
 * Reads trees into records, and writes records as trees. A field that is absent or null has its value in the
 * {@code DEFAULTS} of the record; a record without them has its value in the enclosing record's defaults, and otherwise
 * nothing, zero and false. The records of {@code org.moorage.api.model} have Kubernetes' field names.
 *
 * <p>A value that cannot be read is reported and replaced by the default, so that validation does not report it again.
 */
public final class RecordBinder {
    private static final Map<Class<?>, Map<String, String>> KUBERNETES_NAMES = Map.of(
            NodeAffinity.class,
            Map.of(
                    "required", "requiredDuringSchedulingIgnoredDuringExecution",
                    "preferred", "preferredDuringSchedulingIgnoredDuringExecution"),
            NodeAffinity.Preferred.class,
            Map.of("term", "preference"),
            NodeSelector.class,
            Map.of("terms", "nodeSelectorTerms"));

    private static final Scalar<Integer> INT = new Scalar<>(0, Scalars.WHOLE, Scalars::integer);
    private static final Scalar<Long> LONG = new Scalar<>(0L, Scalars.WHOLE, Scalars::longInteger);
    private static final Scalar<Double> DOUBLE = new Scalar<>(0.0, Scalars.NUMBER, Scalars::number);
    private static final Scalar<Boolean> BOOLEAN = new Scalar<>(false, Scalars.BOOLEAN, Scalars::bool);
    private static final Map<Class<?>, Scalar<?>> SCALARS = Map.ofEntries(
            Map.entry(int.class, INT),
            Map.entry(Integer.class, INT),
            Map.entry(OptionalInt.class, INT.as(OptionalInt.empty(), OptionalInt::of)),
            Map.entry(long.class, LONG),
            Map.entry(Long.class, LONG),
            Map.entry(OptionalLong.class, LONG.as(OptionalLong.empty(), OptionalLong::of)),
            Map.entry(double.class, DOUBLE),
            Map.entry(Double.class, DOUBLE),
            Map.entry(boolean.class, BOOLEAN),
            Map.entry(Boolean.class, BOOLEAN),
            Map.entry(String.class, new Scalar<>("", Scalars.TEXT, Scalars::text)),
            Map.entry(Duration.class, new Scalar<>(Duration.ZERO, Scalars.DURATION, Scalars::duration)));

    private static final String INT_OR_STRING = "a whole number or a text";

    /** A type of single values. */
    private record Scalar<T>(T zero, String expected, BiFunction<JsonNode, Problems, Optional<T>> reader) {
        <U> Scalar<U> as(U otherZero, Function<T, U> mapping) {
            return new Scalar<>(
                    otherZero,
                    expected,
                    (json, problems) -> reader.apply(json, problems).map(mapping));
        }

        Object read(JsonNode source, @Nullable Object otherwise, Problems problems) {
            Optional<T> read = source.isMissingNode() ? Optional.of(zero) : reader.apply(source, problems);
            return read.isPresent() ? read.get() : otherwise == null ? zero : otherwise;
        }
    }

    private final UnknownField unknownField;
    private final Set<String> unset = new HashSet<>();

    /** Reports a field that a record does not have. */
    @FunctionalInterface
    private interface UnknownField {
        void report(ObjectNode object, String field, Collection<String> known, Problems at);
    }

    private RecordBinder(UnknownField unknownField) {
        this.unknownField = unknownField;
    }

    /** Creates a binder of the settings in a tree, which decides what happens to unknown fields. */
    public RecordBinder(SourceTree tree) {
        this(tree::unknownField);
    }

    /** Reads settings. Invalid values are reported. */
    public <R extends Record> R read(JsonNode source, Class<R> type, Problems problems) {
        Object read = value(source, type, null, problems);
        if (read == null) {
            throw new IllegalArgumentException(type.getName() + ": cannot be read");
        }
        return type.cast(read);
    }

    /** Returns whether the field at a path was given as null, or as a zero that stands for its default. */
    public boolean isUnset(String path) {
        return unset.contains(path);
    }

    /** Reports the fields of an object that are not among the known ones. */
    public void checkFields(JsonNode source, Collection<String> known, Problems problems) {
        if (source instanceof ObjectNode object) {
            List<String> fields = new ArrayList<>();
            object.fieldNames().forEachRemaining(fields::add);
            fields.removeAll(known);
            fields.forEach(field -> unknownField.report(object, field, known, problems.at(field)));
        }
    }

    /**
     * Reads the arguments of a plugin. Invalid arguments are reported; the result must then not be used.
     *
     * @throws IllegalArgumentException if the type cannot be read into at all: it is no record, has no defaults, or has
     *     a component of a type that arguments cannot have
     */
    public static <A extends PluginArgs> A bind(JsonNode source, Class<A> type, Problems problems) {
        A defaults = defaults(type);
        RecordBinder binder = new RecordBinder(
                (object, field, known, at) -> Suggestion.unknownField(new TreeSet<>(known), field, at));
        Object bound = binder.record(source, type, defaults, problems);
        return bound == null ? defaults : type.cast(bound);
    }

    /** Returns the arguments that apply when none are given. */
    public static <A extends PluginArgs> A defaults(Class<A> type) {
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

    /** Returns whether the arguments have a field of this name. */
    public static boolean hasField(Class<?> type, String field) {
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (fieldName(component).equals(field)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the tree of a record: without the empty lists, maps and optional values. */
    public static ObjectNode toTree(Record value) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            JsonNode field = tree(read(component, value));
            Setting setting = component.getAnnotation(Setting.class);
            boolean isOmitted = setting != null && setting.omitZero()
                    ? isZero(field)
                    : isModel(value.getClass()) && field.isTextual() && Scalars.isBlank(field);
            if (!field.isMissingNode() && !isOmitted) {
                tree.set(fieldName(component), field);
            }
        }
        return tree;
    }

    // Null where no value can be made; that is reported.
    private @Nullable Object record(JsonNode source, Class<?> type, @Nullable Object around, Problems problems) {
        Object own = ownDefaults(type);
        Object defaults = own != null ? own : around;
        if (!source.isMissingNode() && !source.isObject()) {
            Scalars.wrong(source, "an object", problems);
        }
        boolean zeroIsUnset = type.isAnnotationPresent(ZeroIsUnset.class);
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new @Nullable Object[components.length];
        Set<String> known = new LinkedHashSet<>();
        boolean complete = true;
        for (int i = 0; i < components.length; i++) {
            String field = fieldName(components[i]);
            JsonNode given = source.path(field);
            Object otherwise = defaults == null ? null : read(components[i], defaults);
            Problems at = problems.at(field);
            known.add(field);
            types[i] = components[i].getType();
            values[i] = value(given, components[i].getGenericType(), otherwise, at);
            complete &= values[i] != null;
            boolean isZero = zeroIsUnset && types[i] != boolean.class && isZero(types[i], values[i]);
            if (isZero && otherwise != null) {
                values[i] = otherwise;
            }
            if (given.isNull() || isZero) {
                unset.add(at.path());
            }
            if (given.isNull() && zeroIsUnset && types[i] == Duration.class) {
                // Null is no duration for kube-scheduler either.
                Scalars.wrong(given, Scalars.DURATION, at);
            }
        }
        checkFields(source, known, problems);
        return complete ? create(type, types, values, problems) : null;
    }

    private static boolean isZero(Class<?> type, @Nullable Object value) {
        Scalar<?> scalar = SCALARS.get(type);
        return scalar != null && scalar.zero.equals(value);
    }

    private static boolean isZero(JsonNode value) {
        return Scalars.isBlank(value)
                || value.isNumber() && value.doubleValue() == 0
                || value.isBoolean() && !value.booleanValue();
    }

    // Null where no value can be made; that is reported.
    private @Nullable Object value(JsonNode given, Type type, @Nullable Object otherwise, Problems problems) {
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
        if (simple == JsonNode.class) {
            return source;
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
        Scalar<?> scalar = SCALARS.get(simple);
        if (scalar == null) {
            throw unsupported(type);
        }
        return scalar.read(source, otherwise, problems);
    }

    private Object generic(JsonNode source, ParameterizedType type, @Nullable Object otherwise, Problems problems) {
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

    private List<Object> list(JsonNode source, Type of, Problems problems) {
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

    private Map<String, Object> map(JsonNode source, Type of, Problems problems) {
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

    private static IntOrString intOrString(JsonNode source, Problems problems) {
        if (source.isNumber()) {
            return IntOrString.of(Scalars.longInteger(source, problems).orElse(0L));
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

    /** Describes the accepted values of a type that is neither a record nor generic. */
    public static String expected(Class<?> type) {
        if (!type.isEnum()) {
            Scalar<?> scalar = SCALARS.get(type);
            return scalar == null ? INT_OR_STRING : scalar.expected;
        }
        List<String> names = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) {
            names.add(name((Enum<?>) constant));
        }
        return "one of " + String.join(", ", names);
    }

    // LEAST_ALLOCATED is LeastAllocated in the configuration; a constant with lower-case letters stays as it is.
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
        if (value instanceof JsonNode node) {
            return node;
        }
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

    /** Returns the name of a component in a configuration. */
    public static String fieldName(RecordComponent component) {
        Setting setting = component.getAnnotation(Setting.class);
        if (setting != null && !setting.name().isEmpty()) {
            return setting.name();
        }
        Map<String, String> names = KUBERNETES_NAMES.getOrDefault(component.getDeclaringRecord(), Map.of());
        return names.getOrDefault(component.getName(), component.getName());
    }

    /** Returns whether it is a type of Kubernetes' object model. */
    public static boolean isModel(Class<?> type) {
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
