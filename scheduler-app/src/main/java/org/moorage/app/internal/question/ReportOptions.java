// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.page.HtmlReport;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.report.ShellWords;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The option to have an answer as a page, too. */
@OptionGroup(Heading.OUTPUT)
public final class ReportOptions {
    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Also write a page with the cluster and the answer: one file, to be opened in a browser.")
    private Optional<Path> file = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * Writes the page if one is asked for.
     *
     * @param content makes what it shows, but for the command line and the time
     * @throws org.moorage.app.internal.process.CommandException if the file cannot be written
     */
    public void write(Terminal terminal, Supplier<PageContent.Builder> content) {
        if (file.isPresent()) {
            HtmlReport.write(
                    file.get(),
                    content.get()
                            .command(commandLine())
                            .made(terminal.clock().instant())
                            .build());
            terminal.note("the page is in " + file.get());
        }
    }

    private String commandLine() {
        ParseResult parsed =
                command == null ? null : command.root().commandLine().getParseResult();
        List<String> words = parsed == null ? List.of() : parsed.originalArgs();
        return ("moorage " + ShellWords.line(words)).strip();
    }
}
