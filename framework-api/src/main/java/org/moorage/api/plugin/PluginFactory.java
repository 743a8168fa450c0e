// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Makes a plugin for a profile:
 *
 * <pre>{@code
 * public static final PluginFactory<Args> FACTORY =
 *         PluginFactory.of(NAME, NodeAffinity.class, Args.class, NodeAffinity::new);
 * }</pre>
 *
 * <p>A jar offers its factories through {@link java.util.ServiceLoader}: public classes that implement this interface and have
 * a public constructor without parameters. Their names are in {@code META-INF/services/org.moorage.api.plugin.PluginFactory},
 * one a line.
 *
 * @param <A> the type of the plugin's arguments
 */
public interface PluginFactory<A extends PluginArgs> {
    /**
     * A factory that calls a constructor.
     *
     * @param name the plugin's name
     * @param pluginType the plugin's class
     * @param argsType the type of the plugin's arguments
     * @param constructor takes the arguments and the handle
     */
    static <A extends PluginArgs, P extends Plugin> PluginFactory<A> of(
            String name, Class<P> pluginType, Class<A> argsType, BiFunction<A, Handle, P> constructor) {
        return new ConstructorFactory<>(name, pluginType, argsType, constructor);
    }

    /**
     * A factory that calls the constructor of a plugin without arguments.
     *
     * @param name the plugin's name
     * @param pluginType the plugin's class
     * @param constructor takes the handle
     */
    static <P extends Plugin> PluginFactory<PluginArgs.None> of(
            String name, Class<P> pluginType, Function<Handle, P> constructor) {
        return of(name, pluginType, PluginArgs.None.class, (args, handle) -> constructor.apply(handle));
    }

    /** The name under which configurations enable the plugin; unique among all registered plugins. */
    String name();

    /** The record that the configuration's arguments are read into. */
    Class<A> argsType();

    /**
     * Makes the plugin. Called once for each profile that names it.
     *
     * @param args the arguments, complete and valid
     * @param handle what the plugin may ask of the scheduler; kept for later use
     */
    Plugin create(A args, Handle handle);

    /**
     * Whether the plugin reads {@link org.moorage.api.model.Pod#json}. If no plugin does, the text is not kept, which
     * saves memory.
     */
    default boolean needsPodJson() {
        return false;
    }

    /**
     * Whether the plugin reads {@link org.moorage.api.model.Node#json}, and {@link org.moorage.api.model.Pod#json} of pods that
     * have a node. The text of all nodes and pods is kept then, which needs several times the memory of the objects.
     */
    default boolean needsClusterJson() {
        return false;
    }

    /** The class that messages name where two factories have one name: the plugin's, or that of the factory itself. */
    default Class<?> declaringClass() {
        return getClass();
    }
}
