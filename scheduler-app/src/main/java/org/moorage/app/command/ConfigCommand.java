// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.nio.file.Path;
import java.util.Optional;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigPrinter;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.config.PolicyTexts;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows, checks and converts configurations. */
@Command(name = "config", description = "Shows, checks or converts a configuration.")
final class ConfigCommand {
    private final Terminal terminal;

    ConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "show",
            description = "Prints a configuration as it takes effect, with where each setting comes from.")
    int show(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "The configuration; the default one if left out.")
                    Optional<Path> file) {
        LoadedConfig loaded = checked(file, plugins.registry(terminal::warn), features.gates(), policy.texts(file));
        ConfigFile.warn(loaded, terminal);
        terminal.out().print(ConfigPrinter.print(loaded));
        return 0;
    }

    @Command(name = "validate", description = "Checks a configuration, and tells everything that is wrong with it.")
    int validate(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Parameters(paramLabel = "FILE", description = "The configuration.") Path file) {
        Optional<Path> given = Optional.of(file);
        ConfigFile.warn(
                checked(given, plugins.registry(terminal::warn), features.gates(), policy.texts(given)), terminal);
        terminal.out().println(file + ": valid");
        return 0;
    }

    @Command(
            name = "convert",
            description = {
                "Prints a configuration of an older version as one of version v1, without comments.",
                "",
                "Older versions are v1alpha1, v1beta1, v1beta2, v1beta3, and a Policy. FILE may have manifests whose ConfigMaps"
                        + " have the configuration and its Policy.",
            })
    int convert(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Mixin PolicyOption policy,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FORMAT",
                            converter = OutputFormat.Named.class,
                            defaultValue = "yaml",
                            description = "How to print it: yaml or json (default: yaml).")
                    OutputFormat format,
            @Parameters(paramLabel = "FILE", description = "The configuration.") Path file) {
        if (format == OutputFormat.TABLE) {
            throw new CommandException("--output: table (expected: yaml or json)");
        }
        Optional<Path> given = Optional.of(file);
        LoadedConfig loaded = checked(given, plugins.registry(terminal::warn), features.gates(), policy.texts(given));
        ConfigFile.warn(loaded, terminal);
        if (format == OutputFormat.YAML) {
            terminal.out().print(ConfigPrinter.printSource(loaded));
        } else {
            format.print(loaded.source(), terminal);
        }
        return 0;
    }

    /** Where the Policy is that a configuration names as a ConfigMap. */
    static final class PolicyOption {
        @Option(
                names = "--policy",
                paramLabel = "FILE",
                description = "The Policy that a configuration of version v1alpha1 names as a ConfigMap: the text of"
                        + " policy.cfg, or the ConfigMap's manifest.")
        private Optional<Path> file = Optional.empty();

        PolicyTexts texts(Optional<Path> config) {
            return ConfigFile.policies(config, file);
        }
    }

    // Some faults show only when the plugins are made.
    private static LoadedConfig checked(
            Optional<Path> file, PluginRegistry registry, FeatureGates features, PolicyTexts policies) {
        LoadedConfig loaded = ConfigFile.load(file, registry, features, policies);
        Scheduler.builder(loaded, registry, new InMemoryCluster()).build().close();
        return loaded;
    }
}
