// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.nio.file.Path;
import java.util.Optional;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.config.ConfigPrinter;
import org.moorage.runtime.config.LoadedConfig;
import org.moorage.runtime.plugin.PluginRegistry;
import org.moorage.simulation.InMemoryCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows and checks configurations. */
@Command(name = "config", description = "Shows or checks a configuration.")
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
            @Parameters(
                            arity = "0..1",
                            paramLabel = "FILE",
                            description = "The configuration; the default one if left out.")
                    Optional<Path> file) {
        LoadedConfig loaded = checked(file, plugins.registry(), features.gates());
        ConfigFile.warnOfWhatIsMissing(loaded, terminal);
        terminal.out().print(ConfigPrinter.print(loaded));
        return 0;
    }

    @Command(name = "validate", description = "Checks a configuration, and tells everything that is wrong with it.")
    int validate(
            @Mixin PluginOptions plugins,
            @Mixin FeatureGateOptions features,
            @Parameters(paramLabel = "FILE", description = "The configuration.") Path file) {
        ConfigFile.warnOfWhatIsMissing(checked(Optional.of(file), plugins.registry(), features.gates()), terminal);
        terminal.out().println(file + ": valid");
        return 0;
    }

    // Some faults show only when the plugins are made.
    private static LoadedConfig checked(Optional<Path> file, PluginRegistry registry, FeatureGates features) {
        LoadedConfig loaded = ConfigFile.load(file, registry, features);
        Scheduler.builder(loaded, registry, new InMemoryCluster()).build().close();
        return loaded;
    }
}
