// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.PlainValues;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.plugin.FactoryCalls;
import org.moorage.config.plugin.FactoryFailure;

/** Describes the arguments of a plugin in a configuration. */
public final class ArgumentsForm {
    private ArgumentsForm() {}

    /**
     * Returns the default arguments by their names, without those that have no value by default. They may be invalid: a
     * plugin can require some.
     *
     * @param features the features that some defaults depend on
     */
    public static Map<String, Object> defaults(PluginFactory<?> factory, FeatureGates features) {
        return PlainValues.of(defaultTree(factory, features));
    }

    static ObjectNode defaultTree(PluginFactory<?> factory, FeatureGates features) {
        PluginArgs defaults;
        try {
            defaults = RecordBinder.defaults(factory.argsType());
        } catch (IllegalArgumentException unusable) {
            return JsonNodeFactory.instance.objectNode();
        }
        try {
            Problems ignored = Problems.collector();
            defaults = FactoryCalls.forFeatures(factory.name(), factory, defaults, features, ignored);
        } catch (FactoryFailure incomplete) {
            return RecordBinder.toTree((Record) defaults);
        }
        return RecordBinder.toTree((Record) defaults);
    }

    /**
     * Returns the accepted values of each argument, for example {@code a duration such as 15s, 1m30s or 100ms}, by its
     * path: {@code scoringStrategy.type}, {@code resources[].weight}.
     */
    public static Map<String, String> accepted(PluginFactory<?> factory) {
        Map<String, String> accepted = new LinkedHashMap<>();
        fields("", factory.argsType(), accepted);
        return accepted;
    }

    private static void fields(String path, Class<?> type, Map<String, String> accepted) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = RecordBinder.fieldName(component);
            put(path.isEmpty() ? name : path + "." + name, component.getGenericType(), accepted);
        }
    }

    private static void put(String path, Type type, Map<String, String> accepted) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == Optional.class) {
            put(path, generic.getActualTypeArguments()[0], accepted);
            return;
        }
        accepted.put(path, described(type));
        Class<?> nested = nested(type);
        if (nested.isRecord() && !RecordBinder.isModel(nested) && nested != IntOrString.class) {
            fields(isList(type) ? path + "[]" : path, nested, accepted);
        }
    }

    private static boolean isList(Type type) {
        return type instanceof ParameterizedType generic && generic.getRawType() == List.class;
    }

    // The type of a list's elements, or the type itself.
    private static Class<?> nested(Type type) {
        Type of = isList(type) ? ((ParameterizedType) type).getActualTypeArguments()[0] : type;
        return of instanceof Class<?> simple ? simple : Object.class;
    }

    private static String described(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            if (generic.getRawType() == List.class) {
                return "a list, each " + described(of[0]);
            }
            return generic.getRawType() == Map.class ? "an object, each value " + described(of[1]) : described(of[0]);
        }
        if (!(type instanceof Class<?> simple)) {
            return type.getTypeName();
        }
        if (simple.isRecord() && simple != IntOrString.class) {
            return RecordBinder.isModel(simple) ? "an object, as in a pod's " + simple.getSimpleName() : "an object";
        }
        return RecordBinder.expected(simple);
    }
}
