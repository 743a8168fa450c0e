// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.Suggestions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the help of a command, or the list of commands. */
@Command(name = "help", description = "Show the help of a command.", footer = "  moorage help drain")
final class HelpCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command (default: all are listed).")
    private List<String> words = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    /** A command that prints to a terminal. */
    /** Creates the command; it prints to that terminal. */
    public HelpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (spec != null) {
            CommandLine line = spec.root().commandLine();
            for (String word : words) {
                CommandLine next = line.getSubcommands().get(word);
                if (next == null) {
                    throw new CommandException("unknown command \"" + word + "\" (see moorage help)."
                            + Suggestions.hint(word, line.getSubcommands().keySet()));
                }
                line = next;
            }
            line.usage(terminal.out(), line.getColorScheme());
        }
        return 0;
    }
}
