// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.plugin.JarRules;
import org.moorage.config.plugin.PluginChecksums;
import org.moorage.config.plugin.PluginJars;
import org.moorage.config.plugin.PluginRegistry;
import picocli.CommandLine.Option;

/** Options for the sources of plugins. */
@OptionGroup(Heading.SCHEDULER)
public final class PluginOptions {
    @Option(
            names = "--plugin-dir",
            paramLabel = "JAR|DIR",
            description = "Jar with plugins, or folder with such jars; may be repeated.")
    private List<Path> jars = new ArrayList<>();

    @Option(
            names = "--plugin-checksums",
            paramLabel = "FILE",
            description = "File of sha256sum; --plugin-dir loads only jars whose name and checksum it lists.")
    private Optional<Path> checksums = Optional.empty();

    private List<PluginFactory<?>> further = List.of();

    /** Adds further plugins to the registry. */
    public void add(List<PluginFactory<?>> plugins) {
        further = List.copyOf(plugins);
    }

    /**
     * Returns all available plugins: built in, added, on the class path, and in jars.
     *
     * @param withoutVersion how to treat a jar that does not declare the version of the plugin API that it was built
     *     for
     * @param notes receives notes for the user about the jars, one sentence each
     * @throws CommandException if plugins cannot be loaded, or two have one name
     * @throws org.moorage.config.plugin.PluginJarException if a jar cannot be used
     */
    public PluginRegistry registry(JarRules.WithoutVersion withoutVersion, Consumer<String> notes) {
        JarRules rules = new JarRules(checksums.map(PluginChecksums::read).orElse(PluginChecksums.ANY), withoutVersion);
        try {
            PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                    .with(further)
                    .withServices(PluginOptions.class.getClassLoader());
            for (Path path : jars) {
                PluginJars loaded = PluginJars.load(path, rules);
                loaded.notes().forEach(notes);
                registry = registry.with(loaded.factories());
            }
            return registry;
        } catch (ServiceConfigurationError | IllegalArgumentException unusable) {
            throw new CommandException(String.valueOf(unusable.getMessage()), unusable);
        }
    }
}
