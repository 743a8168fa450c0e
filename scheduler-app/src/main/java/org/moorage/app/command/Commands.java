// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.util.List;
import org.moorage.api.plugin.PluginFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands, in the order in which the help lists them. */
public final class Commands {
    private Commands() {}

    /** All of them, for one command line on that terminal. */
    public static List<Object> all(Terminal terminal) {
        return List.of(
                new SimulateCommand(terminal),
                new ExplainCommand(terminal),
                new ConformCommand(),
                new ConfigCommand(terminal),
                new PluginsCommand(terminal),
                new AnnotateCommand(terminal));
    }

    /** Has the scheduler and all commands of a command line know further plugins. */
    public static void addPlugins(CommandLine line, List<PluginFactory<?>> plugins) {
        addPlugins(line.getCommandSpec(), plugins);
    }

    private static void addPlugins(CommandSpec spec, List<PluginFactory<?>> plugins) {
        if (spec.userObject() instanceof PluginOptions options) {
            options.add(plugins);
        }
        spec.mixins().values().forEach(mixin -> addPlugins(mixin, plugins));
        spec.subcommands().values().forEach(command -> addPlugins(command, plugins));
    }
}
