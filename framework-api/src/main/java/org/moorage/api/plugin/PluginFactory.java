// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A factory that creates a plugin for a profile:
 *
 * <pre>{@code
 * public static final PluginFactory<Args> FACTORY =
 *         PluginFactory.of(NAME, NodeAffinity.class, Args.class, NodeAffinity::new);
 * }</pre>
 *
 * <p>A jar provides its factories through {@link java.util.ServiceLoader}: public classes that implement this interface
 * and have a public constructor without parameters. The file {@code
 * META-INF/services/org.moorage.api.plugin.PluginFactory} lists their names, one per line.
 *
 * @param <A> the type of the plugin's arguments
 */
public interface PluginFactory<A extends PluginArgs> {
    /**
     * Returns a factory that calls a constructor.
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
     * Returns a factory that calls the constructor of a plugin without arguments.
     *
     * @param name the plugin's name
     * @param pluginType the plugin's class
     * @param constructor takes the handle
     */
    static <P extends Plugin> PluginFactory<PluginArgs.None> of(
            String name, Class<P> pluginType, Function<Handle, P> constructor) {
        return of(name, pluginType, PluginArgs.None.class, (args, handle) -> constructor.apply(handle));
    }

    /** Returns the name under which configurations enable the plugin; unique among all registered plugins. */
    String name();

    /** Returns the record type into which the configuration's arguments are read. */
    Class<A> argsType();

    /**
     * Returns the kind of the arguments in {@code kubescheduler.config.k8s.io/v1}, such as {@code CoschedulingArgs}. A
     * configuration may then give this kind and version in the arguments, and no others. Empty, which is the default,
     * for arguments without a kind.
     */
    default Optional<String> argsKind() {
        return Optional.empty();
    }

    /**
     * Returns whether a configuration may contain arguments of any form, which are not read, as those of some plugins of
     * kube-scheduler. Only for a plugin whose {@link #argsType} is {@link PluginArgs.None}; false by default.
     */
    default boolean ignoresArgs() {
        return false;
    }

    /**
     * Creates the plugin. Called once for each profile that names it.
     *
     * @param args the arguments, complete and valid
     * @param handle the access to the scheduler, which the plugin may keep
     */
    Plugin create(A args, Handle handle);

    /**
     * Returns whether the plugin reads {@link org.moorage.api.model.Pod#json}. If no plugin does, the text is not kept,
     * which saves memory.
     */
    default boolean needsPodJson() {
        return false;
    }

    /**
     * Returns whether the plugin reads {@link org.moorage.api.model.Node#json}, and
     * {@link org.moorage.api.model.Pod#json} of pods that have a node. If so, the text of all nodes and pods is kept,
     * which needs several times the memory of the objects.
     */
    default boolean needsClusterJson() {
        return false;
    }

    /**
     * Returns the class that messages name if two factories have the same name: that of the plugin, or by default the
     * factory's.
     */
    default Class<?> declaringClass() {
        return getClass();
    }
}
