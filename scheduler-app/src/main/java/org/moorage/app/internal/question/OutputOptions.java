// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.OutputFormat;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Option;

/** The options that select the form of an answer. */
@OptionGroup(Heading.OUTPUT)
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Named.class,
            description =
                    "Form of the answer: ${COMPLETION-CANDIDATES}; wide shows all rows, name the names of the pods"
                            + " or nodes in question (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TABLE;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print no notes and no progress.")
    private boolean isQuiet;

    /** Returns the terminal to read and answer with. */
    public Terminal terminal(Terminal terminal) {
        return isQuiet ? terminal.asQuiet() : terminal;
    }

    /**
     * Returns whether a command that prints its answer bit by bit prints lines of JSON.
     *
     * @throws CommandException if the format has no such form
     */
    public boolean isLines() {
        return switch (format) {
            case TABLE -> false;
            case JSON -> true;
            case WIDE, NAME, YAML ->
                throw new CommandException("-o: " + format + " (expected: table, or json for a line for each answer)");
        };
    }

    /** Prints an answer in the selected form. */
    public void print(Report report, Terminal terminal) {
        format.print(report, terminal);
    }
}
