// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.cloud.CloudConfig;
import org.moorage.config.internal.older.OlderConfig;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;

/**
 * Reads configurations in the format of kube-scheduler, {@code kubescheduler.config.k8s.io/v1}, as YAML or JSON. The
 * versions {@code v1alpha1} to {@code v1beta3}, a Policy, and the {@linkplain ConfigShape shapes} of managed clouds are
 * first converted to {@code v1}; {@link LoadedConfig#warnings} describes the changes.
 *
 * <p>Reading is strict: unknown fields, duplicate fields and values of the wrong type are rejected. A missing field has
 * kube-scheduler's default. Only the first document of a text is read, as by kube-scheduler.
 *
 * <p>Checks that need the plugins themselves, such as whether a plugin can filter, are done when the plugins are
 * created, or by {@code ConfigCheck}.
 */
public final class ConfigLoader {
    private ConfigLoader() {}

    /** Returns the configuration that applies when there is none to read, with the features that are on by default. */
    public static LoadedConfig defaults(PluginRegistry registry) {
        return defaults(registry, FeatureGates.DEFAULTS);
    }

    /** Returns the configuration that applies when there is none to read. */
    public static LoadedConfig defaults(PluginRegistry registry, FeatureGates features, FlagValue... flags) {
        Problems problems = Problems.collector();
        SourceTree tree = SourceTree.empty(ConfigFormat.DEFAULT_ORIGIN);
        tree.set("apiVersion", ConfigFormat.API_VERSION, ConfigFormat.DEFAULT_ORIGIN);
        tree.set("kind", ConfigFormat.KIND, ConfigFormat.DEFAULT_ORIGIN);
        CloudConfig config = new CloudConfig(tree, ConfigShape.KUBE_SCHEDULER, List.of());
        return read(config, List.of(), registry, features, UnknownPlugins.REFUSED, flags, problems)
                .sound();
    }

    /**
     * Reads a configuration, with the features that are on by default.
     *
     * @param text the text
     * @param sourceName what the text was read from, for messages and origins
     * @param registry the registered plugins
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public static LoadedConfig load(String text, String sourceName, PluginRegistry registry) {
        return load(text, sourceName, registry, FeatureGates.DEFAULTS);
    }

    /**
     * Reads a configuration. A Policy that it names must be in a file.
     *
     * @param text the text
     * @param sourceName what the text was read from, for messages and origins
     * @param registry the registered plugins
     * @param features which features are on: some bring plugins, arguments and defaults
     * @param flags settings that count more than those of the text
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public static LoadedConfig load(
            String text, String sourceName, PluginRegistry registry, FeatureGates features, FlagValue... flags) {
        return load(text, sourceName, registry, features, PolicyTexts.files(), flags);
    }

    /**
     * Reads a configuration.
     *
     * @param text the text
     * @param sourceName what the text was read from, for messages and origins
     * @param registry the registered plugins
     * @param features which features are on: some bring plugins, arguments and defaults
     * @param policies finds the Policy that a configuration of version {@code v1alpha1} names
     * @param flags settings that count more than those of the text
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public static LoadedConfig load(
            String text,
            String sourceName,
            PluginRegistry registry,
            FeatureGates features,
            PolicyTexts policies,
            FlagValue... flags) {
        return read(text, sourceName, registry, features, policies, flags).sound();
    }

    /**
     * Reads a configuration as far as it can be read. Parameters are those of
     * {@link #load(String, String, PluginRegistry, FeatureGates, PolicyTexts, FlagValue...)}.
     */
    public static ConfigReading read(
            String text,
            String sourceName,
            PluginRegistry registry,
            FeatureGates features,
            PolicyTexts policies,
            FlagValue... flags) {
        return read(text, sourceName, registry, features, policies, UnknownPlugins.REFUSED, flags);
    }

    /**
     * Reads a configuration as far as it can be read. Other parameters are those of
     * {@link #load(String, String, PluginRegistry, FeatureGates, PolicyTexts, FlagValue...)}.
     *
     * @param unknown the treatment of plugins that are not registered
     */
    public static ConfigReading read(
            String text,
            String sourceName,
            PluginRegistry registry,
            FeatureGates features,
            PolicyTexts policies,
            UnknownPlugins unknown,
            FlagValue... flags) {
        Problems problems = Problems.collector();
        CloudConfig config = CloudConfig.read(SourceTree.read(text, sourceName, problems), problems);
        List<String> warnings = OlderConfig.convert(config.tree(), registry, policies, unknown, problems);
        return read(config, warnings, registry, features, unknown, flags, problems);
    }

    /** Reads a configuration from a tree of version {@code v1}. */
    static ConfigReading read(SourceTree tree, PluginRegistry registry, FeatureGates features, UnknownPlugins unknown) {
        CloudConfig config = new CloudConfig(tree, ConfigShape.KUBE_SCHEDULER, List.of());
        return read(config, List.of(), registry, features, unknown, new FlagValue[0], Problems.collector());
    }

    private static ConfigReading read(
            CloudConfig config,
            List<String> warnings,
            PluginRegistry registry,
            FeatureGates features,
            UnknownPlugins unknown,
            FlagValue[] flags,
            Problems problems) {
        SourceTree tree = config.tree();
        for (FlagValue flag : flags) {
            tree.set(flag.path(), flag.value(), flag.flag());
        }
        List<String> found = new ArrayList<>(features.warnings());
        found.addAll(config.warnings());
        found.addAll(warnings);
        tree.uncounted().forEach(problem -> found.add(tree.located(problem)));
        ReadContext context = ReadContext.of(tree, found, registry, features, unknown);
        LoadedConfig loaded = new ConfigReader(context, config.shape(), problems).read();
        return new ConfigReading(loaded, problems.all(), tree.uncounted(), tree.locations());
    }
}
