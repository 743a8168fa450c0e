// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script with which a shell completes commands and flags. */
@Command(
        name = "completion",
        description = "Print a completion script for bash, zsh or fish.",
        footer = {
            "  source <(moorage completion bash)",
            "  moorage completion fish > ~/.config/fish/completions/moorage.fish",
        })
final class CompletionCommand implements Callable<Integer> {
    private static final String PROGRAM = "moorage";
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    private final Terminal terminal;

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private String shell = "";

    @Spec
    private @Nullable CommandSpec spec;

    /** A command that prints to a terminal. */
    /** Creates the command; it prints to that terminal. */
    public CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (!SHELLS.contains(shell)) {
            throw new CommandException("shell \"" + shell + "\" (expected: " + String.join(", ", SHELLS) + ")");
        }
        if (spec != null) {
            CommandLine root = spec.root().commandLine();
            // The script for bash also suits zsh, whose bashcompinit it loads.
            terminal.out().print(shell.equals("fish") ? fish(root) : AutoComplete.bash(PROGRAM, root));
        }
        return 0;
    }

    private static String fish(CommandLine root) {
        StringBuilder script = new StringBuilder("# Completions of moorage for fish.\n");
        root.getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                script.append("complete -c ")
                        .append(PROGRAM)
                        .append(" -n __fish_use_subcommand -f -a ")
                        .append(name);
                describe(command.getCommandSpec().usageMessage().description(), script);
                fish(name, command, script);
            }
        });
        return script.toString();
    }

    private static void fish(String name, CommandLine command, StringBuilder script) {
        String condition = " -n '__fish_seen_subcommand_from " + name + "'";
        for (Map.Entry<String, CommandLine> nested : command.getSubcommands().entrySet()) {
            script.append("complete -c ")
                    .append(PROGRAM)
                    .append(condition)
                    .append(" -f -a ")
                    .append(nested.getKey());
            describe(nested.getValue().getCommandSpec().usageMessage().description(), script);
            fish(nested.getKey(), nested.getValue(), script);
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                script.append("complete -c ").append(PROGRAM).append(condition);
                for (String flag : option.names()) {
                    boolean isLong = flag.startsWith("--");
                    script.append(isLong ? " -l " : " -s ").append(flag.substring(isLong ? 2 : 1));
                }
                script.append(option.arity().max() > 0 ? " -r" : "");
                describe(option.description(), script);
            }
        }
    }

    private static void describe(String[] description, StringBuilder script) {
        String text = description.length == 0 ? "" : description[0].replace("%%", "%");
        int end = text.indexOf(". ");
        String first = end < 0 ? text : text.substring(0, end + 1);
        script.append(" -d '")
                .append(first.replace("\\", "\\\\").replace("'", "\\'"))
                .append("'\n");
    }
}
