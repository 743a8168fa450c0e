// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.batch;

import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Answers many questions about one cluster. */
@Command(
        name = "batch",
        description = "Answer a list of questions about one cluster, also in several processes.",
        footer = {
            "  moorage batch run drains.txt --cluster cluster.json.gz > answers.jsonl",
            "  moorage batch merge answers-*.jsonl > answers.jsonl",
        })
public final class BatchCommand {
    private BatchCommand() {}

    /** Returns the command with its subcommands. */
    public static CommandLine commandLine(Terminal terminal, QuestionRegistry questions) {
        return new CommandLine(new BatchCommand())
                .addSubcommand(new BatchRunCommand(terminal, questions))
                .addSubcommand(new BatchMergeCommand(terminal));
    }
}
