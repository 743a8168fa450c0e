// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.runtime.plugin.PluginDirectory;
import org.moorage.runtime.plugin.PluginRegistry;
import picocli.CommandLine.Option;

/** Where plugins come from. */
public final class PluginOptions {
    @Option(
            names = "--plugin-dir",
            paramLabel = "DIR",
            description = "Take the plugins in the jars of this directory too; may be repeated.")
    private List<Path> directories = new ArrayList<>();

    private List<PluginFactory<?>> further = List.of();

    /** Has the registry have these too. */
    void add(List<PluginFactory<?>> plugins) {
        further = List.copyOf(plugins);
    }

    /**
     * All plugins that there are: built in, added, on the class path, and in the directories.
     *
     * @throws CommandException if plugins cannot be loaded, or two have one name
     * @throws org.moorage.runtime.plugin.PluginJarException if a jar cannot be used
     */
    public PluginRegistry registry() {
        try {
            PluginRegistry registry = PluginRegistry.of(OwnPlugins.all())
                    .with(further)
                    .withServices(PluginOptions.class.getClassLoader());
            for (Path directory : directories) {
                registry = registry.with(PluginDirectory.load(directory));
            }
            return registry;
        } catch (ServiceConfigurationError | IllegalArgumentException unusable) {
            throw new CommandException(String.valueOf(unusable.getMessage()), unusable);
        }
    }
}
