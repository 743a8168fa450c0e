// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;

/**
 * Calls the arguments and the factory of a plugin, before the plugin exists. An exception or error that they throw,
 * null, and an illegal result become a {@link FactoryFailure}. Only errors of the virtual machine propagate, see {@link
 * Thrown#rethrowIfFatal}.
 */
public final class FactoryCalls {
    private FactoryCalls() {}

    /** Returns the kind of the arguments of a plugin; empty if they have none. */
    public static Optional<String> argsKind(PluginFactory<?> factory) {
        return answer("the kind of the arguments of plugin ", factory.name(), factory::argsKind);
    }

    /** Returns whether a plugin takes arguments of any form, without reading them. */
    public static boolean ignoresArgs(PluginFactory<?> factory) {
        return answer("the arguments of plugin ", factory.name(), factory::ignoresArgs);
    }

    /** Completes the arguments of a plugin. */
    public static PluginArgs forFeatures(
            String plugin, PluginFactory<?> factory, PluginArgs args, FeatureGates features, Problems problems) {
        return answer(
                "completing the arguments of plugin ",
                plugin,
                () -> factory.argsType().cast(args.forFeatures(features, problems)));
    }

    /** Validates the arguments of a plugin. */
    public static void validate(String plugin, PluginArgs args, Problems problems) {
        try {
            args.validate(problems);
        } catch (Throwable thrown) {
            throw failure("checking the arguments of plugin ", plugin, thrown);
        }
    }

    /** Creates a plugin, whose name must be that of its factory. */
    public static <A extends PluginArgs> Plugin create(PluginFactory<A> factory, PluginArgs args, Handle handle) {
        String name = factory.name();
        return answer("initializing plugin ", name, () -> {
            Plugin plugin =
                    factory.create(Objects.requireNonNull(factory.argsType().cast(args)), handle);
            String own = plugin == null ? name : plugin.name();
            if (!name.equals(own)) {
                throw new IllegalArgumentException(
                        "name: \"" + own + "\" (expected: that of its factory, \"" + name + "\")");
            }
            return plugin;
        });
    }

    private static <T> T answer(String doing, String plugin, Supplier<@Nullable T> call) {
        T answer;
        try {
            answer = call.get();
        } catch (Throwable thrown) {
            throw failure(doing, plugin, thrown);
        }
        if (answer == null) {
            throw new FactoryFailure(message(doing, plugin, "answered null"), null);
        }
        return answer;
    }

    private static FactoryFailure failure(String doing, String plugin, Throwable thrown) {
        Throwable copy = Thrown.caught(thrown);
        return new FactoryFailure(message(doing, plugin, Thrown.text(copy)), copy);
    }

    private static String message(String doing, String plugin, String what) {
        return doing + '"' + plugin + "\": " + what;
    }
}
