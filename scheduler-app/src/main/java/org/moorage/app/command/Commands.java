// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.command;

import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.runtime.config.PolicyTexts.PolicyText;
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

    /**
     * Has the scheduler and all commands of a command line know what a program adds.
     *
     * @param plugins further plugins
     * @param config the configuration where the command line names none
     */
    public static void add(CommandLine line, List<PluginFactory<?>> plugins, Optional<PolicyText> config) {
        add(line.getCommandSpec(), plugins, config);
    }

    private static void add(CommandSpec spec, List<PluginFactory<?>> plugins, Optional<PolicyText> config) {
        if (spec.userObject() instanceof PluginOptions options) {
            options.add(plugins);
        } else if (spec.userObject() instanceof ConfigOptions options) {
            options.inPlaceOfDefault(config);
        }
        spec.mixins().values().forEach(mixin -> add(mixin, plugins, config));
        spec.subcommands().values().forEach(command -> add(command.getCommandSpec(), plugins, config));
    }
}
