// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.older.PolicyTexts.PolicyText;
import org.moorage.objects.Suggestions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** The commands, in the order in which the help lists them. */
public final class Commands {
    private Commands() {}

    /** How each of them is made, for one command line on that terminal. Making one loads much of what it is for. */
    public static Map<Class<?>, Supplier<Object>> all(Terminal terminal) {
        Map<Class<?>, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put(SimulateCommand.class, () -> new SimulateCommand(terminal));
        commands.put(ExplainCommand.class, () -> new ExplainCommand(terminal));
        // SimulateCommand keeps its place.
        questions(terminal).forEach((type, question) -> commands.put(type, question::get));
        commands.put(BatchCommand.class, () -> BatchCommand.commandLine(terminal));
        commands.put(SnapshotCommand.class, () -> new SnapshotCommand(terminal));
        commands.put(ConformCommand.class, ConformCommand::new);
        commands.put(ConfigCommand.class, () -> new ConfigCommand(terminal));
        commands.put(PluginsCommand.class, () -> new PluginsCommand(terminal));
        commands.put(ShadowCommand.class, () -> new ShadowCommand(terminal));
        commands.put(RecordCommand.class, () -> new RecordCommand(terminal));
        commands.put(ReplayCommand.class, () -> new ReplayCommand(terminal));
        commands.put(AnnotateCommand.class, () -> new AnnotateCommand(terminal));
        commands.put(VersionCommand.class, () -> new VersionCommand(terminal));
        commands.put(HelpCommand.class, () -> new HelpCommand(terminal));
        commands.put(CompletionCommand.class, () -> new CompletionCommand(terminal));
        return commands;
    }

    // The questions about a cluster that can also stand on a line of a work list.
    private static Map<Class<?>, Supplier<Question>> questions(Terminal terminal) {
        Map<Class<?>, Supplier<Question>> questions = new LinkedHashMap<>();
        questions.put(SimulateCommand.class, () -> new SimulateCommand(terminal));
        questions.put(FitCommand.class, () -> new FitCommand(terminal));
        questions.put(DrainCommand.class, () -> new DrainCommand(terminal));
        questions.put(OutageCommand.class, () -> new OutageCommand(terminal));
        questions.put(ScaleDownCommand.class, () -> new ScaleDownCommand(terminal));
        questions.put(ScaleUpCommand.class, () -> new ScaleUpCommand(terminal));
        questions.put(RebalanceCommand.class, () -> new RebalanceCommand(terminal));
        questions.put(CompareCommand.class, () -> new CompareCommand(terminal));
        return questions;
    }

    /**
     * Makes a question by its name, for one command line.
     *
     * @throws CommandException if there is no such question
     */
    static Question question(String name, Terminal terminal) {
        List<String> names = new ArrayList<>();
        for (Map.Entry<Class<?>, Supplier<Question>> question :
                questions(terminal).entrySet()) {
            names.add(question.getKey().getAnnotation(Command.class).name());
            if (names.get(names.size() - 1).equals(name)) {
                return question.getValue().get();
            }
        }
        throw new CommandException("question \"" + name + "\" (expected: " + String.join(", ", names) + ")"
                + Suggestions.hint(name, names));
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
