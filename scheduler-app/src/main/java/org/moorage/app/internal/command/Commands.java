// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.annotate.AnnotateCommand;
import org.moorage.app.internal.batch.BatchCommand;
import org.moorage.app.internal.compare.CompareCommand;
import org.moorage.app.internal.config.ConfigCommand;
import org.moorage.app.internal.convert.ConvertCommand;
import org.moorage.app.internal.drain.DrainCommand;
import org.moorage.app.internal.explain.ExplainCommand;
import org.moorage.app.internal.fit.FitCommand;
import org.moorage.app.internal.options.ConfigOptions;
import org.moorage.app.internal.options.PluginOptions;
import org.moorage.app.internal.outage.OutageCommand;
import org.moorage.app.internal.plugins.PluginsCommand;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.rebalance.RebalanceCommand;
import org.moorage.app.internal.recording.RecordCommand;
import org.moorage.app.internal.recording.ReplayCommand;
import org.moorage.app.internal.remote.McpCommand;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.scaledown.ScaleDownCommand;
import org.moorage.app.internal.scaleup.ScaleUpCommand;
import org.moorage.app.internal.shadow.ShadowCommand;
import org.moorage.app.internal.simulate.SimulateCommand;
import org.moorage.app.internal.snapshot.SnapshotCommand;
import org.moorage.config.older.PolicyTexts.PolicyText;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands, in the order in which the help lists them. */
public final class Commands {
    private Commands() {}

    /** Returns the questions, in the order of the help. */
    public static QuestionRegistry questions() {
        return new QuestionRegistry()
                .add(SimulateCommand.class, SimulateCommand::new)
                .add(ExplainCommand.class, ExplainCommand::new)
                .add(FitCommand.class, FitCommand::new)
                .add(DrainCommand.class, DrainCommand::new)
                .add(OutageCommand.class, OutageCommand::new)
                .add(ScaleDownCommand.class, ScaleDownCommand::new)
                .add(ScaleUpCommand.class, ScaleUpCommand::new)
                .add(CompareCommand.class, CompareCommand::new)
                .add(RebalanceCommand.class, RebalanceCommand::new);
    }

    /** Returns how each command is created on a terminal, by name. Creating one loads many classes. */
    public static Map<String, Supplier<Object>> all(Terminal terminal) {
        QuestionRegistry questions = questions();
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        questions.commands().forEach((name, question) -> commands.put(name, () -> question.apply(terminal)));
        commands.put("batch", () -> BatchCommand.commandLine(terminal, questions));
        commands.put("mcp", () -> new McpCommand(terminal, questions));
        commands.put("snapshot", () -> new SnapshotCommand(terminal));
        commands.put("conform", ConformCommand::new);
        commands.put("config", () -> new ConfigCommand(terminal));
        commands.put("convert", () -> new ConvertCommand(terminal));
        commands.put("plugins", () -> new PluginsCommand(terminal));
        commands.put("shadow", () -> new ShadowCommand(terminal));
        commands.put("record", () -> new RecordCommand(terminal));
        commands.put("replay", () -> new ReplayCommand(terminal));
        commands.put("annotate", () -> new AnnotateCommand(terminal));
        commands.put("version", () -> new VersionCommand(terminal));
        commands.put("help", () -> new HelpCommand(terminal));
        commands.put("man", ManCommand::new);
        commands.put("completion", () -> new CompletionCommand(terminal));
        return commands;
    }

    /**
     * Adds what another program adds to the scheduler and all commands of a command line.
     *
     * @param plugins further plugins
     * @param config the configuration in place of the default one
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
