// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginSet;

/**
 * A profile: the plugins that decide about the pods that name it as their scheduler.
 *
 * <p>Plugins of kube-scheduler that this version does not have are still named here; {@link #args} does not have them.
 *
 * @param schedulerName the scheduler name in pods
 * @param percentageOfNodesToScore overrides the one for all profiles; 0 for a share that depends on the number of nodes
 * @param plugins the plugins of each extension point; contains all configurable extension points
 * @param multiPoint the plugins of all extension points, with the defaults
 * @param args the arguments of every plugin that is enabled and registered, and of those with arguments in the file
 */
public record ProfileConfig(
        String schedulerName,
        OptionalInt percentageOfNodesToScore,
        Map<ExtensionPoint, PluginSet> plugins,
        PluginSet multiPoint,
        Map<String, PluginArgs> args) {
    public ProfileConfig {
        EnumMap<ExtensionPoint, PluginSet> all = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.configurable()) {
            all.put(point, plugins.getOrDefault(point, PluginSet.EMPTY));
        }
        plugins = Collections.unmodifiableMap(all);
        args = Collections.unmodifiableMap(new LinkedHashMap<>(args));
    }

    /** Returns the plugins enabled and disabled at one extension point. */
    public PluginSet at(ExtensionPoint point) {
        return plugins.getOrDefault(point, PluginSet.EMPTY);
    }

    /** Returns the plugins to create for this profile, each once: those that are enabled somewhere and registered. */
    public List<String> pluginNames() {
        Set<String> names = new LinkedHashSet<>();
        for (EnabledPlugin plugin : multiPoint.enabled()) {
            names.add(plugin.name());
        }
        for (PluginSet set : plugins.values()) {
            for (EnabledPlugin plugin : set.enabled()) {
                names.add(plugin.name());
            }
        }
        names.retainAll(args.keySet());
        return List.copyOf(names);
    }
}
