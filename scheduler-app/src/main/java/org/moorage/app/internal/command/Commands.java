// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.older.PolicyTexts.PolicyText;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands, in the order in which the help lists them. */
public final class Commands {
    private Commands() {}

    /** How each of them is made, for one command line on that terminal. Making one loads much of what it is for. */
    public static Map<Class<?>, Supplier<Object>> all(Terminal terminal) {
        Map<Class<?>, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put(SimulateCommand.class, () -> new SimulateCommand(terminal));
        commands.put(ExplainCommand.class, () -> new ExplainCommand(terminal));
        commands.put(ConformCommand.class, ConformCommand::new);
        commands.put(ConfigCommand.class, () -> new ConfigCommand(terminal));
        commands.put(PluginsCommand.class, () -> new PluginsCommand(terminal));
        commands.put(AnnotateCommand.class, () -> new AnnotateCommand(terminal));
        return commands;
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
