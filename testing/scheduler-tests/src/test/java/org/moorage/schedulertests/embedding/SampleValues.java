// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.embedding;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Makes a value of any type of a public API; collections can be changed, and have an element. */
final class SampleValues {
    private static final Map<Class<?>, Object> PRIMITIVES = Map.of(
            boolean.class,
            false,
            int.class,
            1,
            Integer.class,
            1,
            long.class,
            1L,
            Long.class,
            1L,
            double.class,
            0.5,
            String.class,
            "x");

    private final Map<Class<?>, Object> known = new HashMap<>(PRIMITIVES);

    /** Sets the value of a type. */
    <T> SampleValues with(Class<T> type, T value) {
        known.put(type, value);
        return this;
    }

    /** A value of a type. */
    Object of(Type type) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            return ofClass((Class<?>) generic.getRawType(), generic.getActualTypeArguments());
        }
        if (type instanceof WildcardType wildcard) {
            return of(wildcard.getUpperBounds()[0]);
        }
        if (type instanceof TypeVariable<?> variable) {
            return of(variable.getBounds()[0]);
        }
        return ofClass((Class<?>) type, new Type[0]);
    }

    private Object ofClass(Class<?> type, Type[] arguments) throws ReflectiveOperationException {
        Object value = known.get(type);
        if (value != null) {
            return value;
        }
        if (type == List.class || type == Collection.class) {
            return new ArrayList<>(arguments.length == 0 ? List.of() : List.of(of(arguments[0])));
        }
        if (type == Set.class) {
            return new HashSet<>(List.of(of(arguments[0])));
        }
        if (type == Map.class) {
            return new HashMap<>(Map.of(of(arguments[0]), of(arguments[1])));
        }
        if (type == SortedMap.class) {
            return new TreeMap<>(Map.of(of(arguments[0]), of(arguments[1])));
        }
        if (type == Optional.class) {
            return Optional.empty();
        }
        if (type == OptionalInt.class) {
            return OptionalInt.empty();
        }
        if (type == OptionalLong.class) {
            return OptionalLong.empty();
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isRecord()) {
            return ofRecord(type);
        }
        for (Map.Entry<Class<?>, Object> entry : known.entrySet()) {
            if (type.isAssignableFrom(entry.getKey()) && type != Object.class) {
                return entry.getValue();
            }
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> switch (method.getName()) {
                        case "hashCode" -> 0;
                        case "equals" -> proxy == given[0];
                        case "toString" -> type.getSimpleName();
                        default -> throw new UnsupportedOperationException(method.toString());
                    });
        }
        throw new IllegalArgumentException(type + " (expected: a type that a sample is known of)");
    }

    /** A record of sample values. */
    Object ofRecord(Class<?> type) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = of(components[i].getGenericType());
        }
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        return constructor.newInstance(values);
    }
}
