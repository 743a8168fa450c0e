// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;

/** The contract of a plugin's arguments record: it has valid defaults, and its state is exactly its components. */
final class ArgsContract {
    private final Set<String> violations;
    private final Set<Class<?>> seen = new HashSet<>();

    ArgsContract(Set<String> violations) {
        this.violations = violations;
    }

    /**
     * Checks a type of arguments.
     *
     * @param given the arguments to test the plugin with; null for the defaults, which must then be valid
     * @return the arguments to test the plugin with; null if there are none
     */
    <A extends PluginArgs> @Nullable A verify(Class<A> type, @Nullable A given) {
        A defaults = defaultsOf(type);
        if (defaults != null) {
            verifyRoundTrip(defaults);
        }
        A tried = given == null ? defaults : given;
        if (tried != null) {
            Problems problems = Problems.collector();
            tried.forFeatures(FeatureGates.DEFAULTS, problems).validate(problems);
            String what = given == null ? "DEFAULTS" : "the given arguments";
            problems.all().forEach(problem -> violations.add(what + " are not valid: " + problem));
        }
        return tried;
    }

    private <T> @Nullable T defaultsOf(Class<T> type) {
        if (!type.isRecord()) {
            violations.add(type.getName() + ": not a record");
            return null;
        }
        try {
            Field field = type.getField("DEFAULTS");
            if (Modifier.isStatic(field.getModifiers()) && type.isInstance(field.get(null))) {
                return type.cast(field.get(null));
            }
        } catch (NoSuchFieldException | IllegalAccessException missing) {
            violations.add(type.getName() + ": no public static DEFAULTS (" + missing.getMessage() + ")");
            return null;
        }
        violations.add(type.getName() + ": DEFAULTS is not a static of this type");
        return null;
    }

    private void verifyRoundTrip(Object value) {
        Class<?> type = value.getClass();
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Object[] parts = new Object[components.length];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = components[i].getAccessor().invoke(value);
                verifyRecordsIn(components[i].getGenericType());
            }
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            Object again = constructor.newInstance(parts);
            if (!again.equals(value) || again.hashCode() != value.hashCode()) {
                violations.add(type.getName() + ": made anew from its parts it is " + again + ", not " + value);
            }
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException unreadable) {
            violations.add(type.getName() + ": cannot be taken apart and made anew (" + unreadable + ")");
        }
    }

    // Records of the API, such as a node affinity, are parsed in Kubernetes' format and have no defaults. Other records
    // may have defaults: a field that is omitted from a record without defaults gets its value from the enclosing
    // record, or else empty, zero or false.
    private void verifyRecordsIn(Type type) {
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                verifyRecordsIn(argument);
            }
        } else if (type instanceof Class<?> plain
                && plain.isRecord()
                && !plain.getPackageName().startsWith("org.moorage.api")
                && seen.add(plain)) {
            if (Arrays.stream(plain.getDeclaredFields())
                    .anyMatch(field -> field.getName().equals("DEFAULTS"))) {
                Object defaults = defaultsOf(plain);
                if (defaults != null) {
                    verifyRoundTrip(defaults);
                }
            } else {
                for (RecordComponent component : plain.getRecordComponents()) {
                    verifyRecordsIn(component.getGenericType());
                }
            }
        }
    }
}
