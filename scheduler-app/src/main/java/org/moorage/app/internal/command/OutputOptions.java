// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.OutputFormat;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Option;

/** The option that selects the form of a report. */
@OptionGroup(Heading.OUTPUT)
final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Named.class,
            description = "How to answer: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private OutputFormat format = OutputFormat.TABLE;

    /**
     * Whether a command that answers bit by bit prints lines of JSON.
     *
     * @throws CommandException if YAML is asked for, which has no such form
     */
    boolean isLines() {
        if (format == OutputFormat.YAML) {
            throw new CommandException("-o: yaml (expected: table, or json for a line for each answer)");
        }
        return format == OutputFormat.JSON;
    }

    /** Prints the report in the selected form. */
    void print(Report report, Terminal terminal) {
        if (format == OutputFormat.TABLE) {
            report.print(terminal);
        } else {
            format.print(report.tree(), terminal);
        }
    }
}
