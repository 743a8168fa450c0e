// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.BuiltinPlugins;

/**
 * All of kube-scheduler's plugins: {@link BuiltinPlugins}, and {@link DynamicResources}.
 *
 * <pre>{@code
 * PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
 * }</pre>
 */
public final class KubeSchedulerPlugins {
    private static final List<PluginFactory<?>> ALL = with(DynamicResources.factory());

    private KubeSchedulerPlugins() {}

    /** Returns the factories of all plugins. The configuration of a profile selects and orders those it uses. */
    public static List<PluginFactory<?>> all() {
        return ALL;
    }

    private static List<PluginFactory<?>> with(PluginFactory<?> dynamicResources) {
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.add(dynamicResources);
        return List.copyOf(factories);
    }
}
