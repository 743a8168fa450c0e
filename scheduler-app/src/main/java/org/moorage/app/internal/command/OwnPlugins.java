// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.builtin.dra.DynamicResources;

/** kube-scheduler's own plugins, all of them: the built-in ones, and the one that needs CEL. */
public final class OwnPlugins {
    private static final List<PluginFactory<?>> ALL = all(DynamicResources.factory());

    private OwnPlugins() {}

    /** The factories. */
    public static List<PluginFactory<?>> all() {
        return ALL;
    }

    private static List<PluginFactory<?>> all(PluginFactory<?>... more) {
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.addAll(List.of(more));
        return List.copyOf(factories);
    }
}
