// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;

/**
 * The shared input of the readers of one configuration, and the collections for their results.
 *
 * @param unknown the treatment of plugins that are not registered
 * @param originByPath collects the origins of the values of the effective configuration
 * @param missing collects the plugins of kube-scheduler that are not registered
 * @param warnings collects settings without effect
 */
record ReadContext(
        SourceTree tree,
        RecordBinder binder,
        PluginRegistry registry,
        FeatureGates features,
        UnknownPlugins unknown,
        Map<String, String> originByPath,
        Set<String> missing,
        List<String> warnings) {
    static ReadContext of(
            SourceTree tree,
            List<String> warnings,
            PluginRegistry registry,
            FeatureGates features,
            UnknownPlugins unknown) {
        return new ReadContext(
                tree,
                new RecordBinder(tree),
                registry,
                features,
                unknown,
                new LinkedHashMap<>(),
                new LinkedHashSet<>(),
                new ArrayList<>(warnings));
    }

    boolean isRegistered(String plugin) {
        return registry.find(plugin).isPresent();
    }
}
