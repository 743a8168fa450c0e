// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.simulation;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;

/** Reads private fields, so that nothing has to be public only to be checked. */
final class PrivateField {
    private PrivateField() {}

    /** The value of a field, or of a field of it, and so on; the names are separated by dots. */
    static Object read(Object of, String path) {
        Object value = of;
        for (String name : path.split("\\.")) {
            value = value(value, name);
        }
        return value;
    }

    static Map<?, ?> map(Object of, String path) {
        return (Map<?, ?>) read(of, path);
    }

    static Collection<?> collection(Object of, String path) {
        return (Collection<?>) read(of, path);
    }

    private static Object value(Object of, String name) {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    return value(of, field);
                }
            }
        }
        throw new IllegalArgumentException(
                "field: " + of.getClass().getName() + "." + name + " (expected: one that there is)");
    }

    private static Object value(Object of, Field field) {
        try {
            field.setAccessible(true);
            return Objects.requireNonNull(field.get(of), field.getName());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
