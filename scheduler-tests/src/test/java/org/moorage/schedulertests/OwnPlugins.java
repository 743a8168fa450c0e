// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.builtin.dra.DynamicResources;

/** kube-scheduler's own plugins, as the application has them. */
public final class OwnPlugins {
    private OwnPlugins() {}

    /** The factories. */
    public static List<PluginFactory<?>> all() {
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.add(DynamicResources.factory());
        return factories;
    }
}
