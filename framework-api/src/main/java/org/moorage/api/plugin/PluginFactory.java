// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

/**
 * Makes a plugin for a profile. A jar offers its factories through {@link java.util.ServiceLoader}: it names them, one a
 * line, in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}.
 *
 * @param <A> the type of the plugin's arguments
 */
public interface PluginFactory<A extends PluginArgs> {
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
}
