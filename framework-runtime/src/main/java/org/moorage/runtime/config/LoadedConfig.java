// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Problems;

/**
 * A configuration that was read, and where it comes from.
 *
 * @param sourceName what it was read from
 * @param config the configuration
 * @param featureGates which features it was read for
 * @param source the settings as they were read, in version v1, without defaults; not to be changed
 * @param effective the same with every default filled in; not to be changed
 * @param originByPath where each setting of the effective form comes from: {@code default}, {@code scheduler.yaml:12} or
 *     {@code --flag}
 * @param missingPlugins plugins that are enabled by default or that the configuration names, and that are not registered;
 *     they have no part in any decision
 * @param warnings what became of settings of an older version of the format, one line each; empty for v1
 */
public record LoadedConfig(
        String sourceName,
        SchedulerConfig config,
        FeatureGates featureGates,
        ObjectNode source,
        ObjectNode effective,
        Map<String, String> originByPath,
        List<String> missingPlugins,
        List<String> warnings) {
    // Each changes what kube-scheduler decides about some pods.
    private static final List<String> NOT_FOLLOWED =
            List.of("DRAWorkloadResourceClaims", "GenericWorkload", "WorkloadAwarePreemption");

    public LoadedConfig {
        originByPath = Collections.unmodifiableMap(new LinkedHashMap<>(originByPath));
        missingPlugins = List.copyOf(missingPlugins);
        warnings = List.copyOf(warnings);
    }

    /** The features that are on and that would change decisions, were they followed here; they have no effect. */
    public List<String> missingFeatures() {
        return NOT_FOLLOWED.stream().filter(featureGates::isEnabled).toList();
    }

    /** The refusal of this configuration for what was only found when its plugins were made. */
    public ConfigException refusal(List<Problems.Problem> problems) {
        Map<String, String> locations = new LinkedHashMap<>(originByPath);
        locations.values().removeIf(origin -> origin.equals(ConfigLoader.DEFAULT_ORIGIN));
        return new ConfigException(sourceName, problems, locations);
    }
}
