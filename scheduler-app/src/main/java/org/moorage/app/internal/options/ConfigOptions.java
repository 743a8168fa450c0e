// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.ConfigLoader;
import org.moorage.config.FlagValue;
import org.moorage.config.LoadedConfig;
import org.moorage.config.older.PolicyTexts;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The configuration of a scheduler, its features, and the registered plugins. */
@OptionGroup(Heading.SCHEDULER)
public final class ConfigOptions {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Scheduler configuration: a KubeSchedulerConfiguration, a Policy, or the settings of EKS or AKS.")
    private Optional<Path> file = Optional.empty();

    @Mixin
    private PluginOptions plugins = new PluginOptions();

    @Mixin
    private FeatureGateOptions featureGates = new FeatureGateOptions();

    private Optional<PolicyTexts.PolicyText> inPlaceOfDefault = Optional.empty();

    /** Sets the configuration where there is no file; empty for the default one. */
    public void inPlaceOfDefault(Optional<PolicyTexts.PolicyText> config) {
        inPlaceOfDefault = config;
    }

    /** Returns whether there is a file, in place of the default configuration. */
    public boolean hasFile() {
        return file.isPresent();
    }

    /** The configuration's file; empty for the default configuration. */
    public Optional<Path> file() {
        return file;
    }

    /**
     * All registered plugins: built in, added, on the class path, and in jars.
     *
     * @param withoutVersion whether a jar is used that does not declare for which version of the plugin API it was
     *     built for
     * @param notes receives notes on the jars for the user, a sentence each
     * @throws CommandException if plugins cannot be loaded, or two have one name
     * @throws org.moorage.config.plugin.PluginJarException if a jar cannot be used
     */
    public PluginRegistry registry(JarRules.WithoutVersion withoutVersion, Consumer<String> notes) {
        return plugins.registry(withoutVersion, notes);
    }

    /**
     * The configuration, for questions from another machine than the scheduler's: the files of its extenders'
     * certificates may be absent, which is a warning.
     *
     * @param unknown what happens to plugins that are not registered
     * @throws CommandException if the file cannot be read, or a feature cannot be set
     * @throws org.moorage.config.ConfigException if the configuration is refused
     */
    public LoadedConfig load(PluginRegistry registry, UnknownPlugins unknown, Terminal terminal) {
        Optional<ManifestFile> manifests = ConfigFile.manifests(file);
        PolicyTexts policies = ConfigFile.policies(manifests, Optional.empty());
        return ExtenderFiles.withoutAbsent(load(registry, manifests, policies, inPlaceOfDefault, unknown), terminal);
    }

    /**
     * The configuration of a scheduler, with flags that count more than its file.
     *
     * @param policies finds the Policy that the configuration names
     * @param inPlaceOfFile a configuration to take if there is no file, also in place of the program's own
     * @throws CommandException if the file cannot be read, or a feature cannot be set
     * @throws org.moorage.config.ConfigException if the configuration is refused
     */
    public LoadedConfig load(
            PluginRegistry registry,
            PolicyTexts policies,
            Optional<PolicyTexts.PolicyText> inPlaceOfFile,
            List<FlagValue> flags) {
        return load(
                registry,
                ConfigFile.manifests(file),
                policies,
                inPlaceOfFile.or(() -> inPlaceOfDefault),
                UnknownPlugins.REFUSED,
                flags.toArray(FlagValue[]::new));
    }

    private LoadedConfig load(
            PluginRegistry registry,
            Optional<ManifestFile> manifests,
            PolicyTexts policies,
            Optional<PolicyTexts.PolicyText> inPlaceOfFile,
            UnknownPlugins unknown,
            FlagValue... flags) {
        if (manifests.isEmpty() && inPlaceOfFile.isPresent()) {
            PolicyTexts.PolicyText text = inPlaceOfFile.get();
            return ConfigLoader.read(
                            text.text(), text.sourceName(), registry, featureGates.gates(), policies, unknown, flags)
                    .sound();
        }
        return ConfigFile.read(manifests, registry, featureGates.gates(), policies, unknown, flags)
                .sound();
    }
}
