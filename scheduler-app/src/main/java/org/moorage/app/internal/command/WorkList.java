// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The questions of a sweep, each on a line of a file. */
final class WorkList {
    private WorkList() {}

    /**
     * A question.
     *
     * @param number its place among the questions, from 1 on
     * @param text the command line without the program's name
     */
    record Line(int number, String text) {
        /**
         * Answers the question. An invalid question, and one that fails, has an error in place of an answer.
         *
         * @param form what of an answer is kept
         * @param terminal is not written to
         */
        Answered answer(AskedCluster asked, Function<Answer, ObjectNode> form, Terminal terminal) {
            try {
                Answer answer = question(words(text), terminal).answer(asked);
                return new Answered(this, answer.exitCode(), form.apply(answer), Optional.empty());
            } catch (RuntimeException | StackOverflowError e) {
                return new Answered(
                        this,
                        QuestionCommand.NO_ANSWER,
                        null,
                        Optional.of(Objects.requireNonNullElse(e.getMessage(), e.toString())));
            }
        }
    }

    /**
     * A question and its answer.
     *
     * @param exitCode as of the command
     * @param answer the answer's tree; null if there is none
     * @param error why there is none
     */
    record Answered(Line line, int exitCode, @Nullable ObjectNode answer, Optional<String> error) {
        /** Returns a line of the answers, with the count of all questions. */
        ObjectNode tree(int of) {
            ObjectNode tree = JsonNodeFactory.instance.objectNode();
            tree.put("number", line.number)
                    .put("of", of)
                    .put("question", line.text)
                    .put("exitCode", exitCode);
            if (answer != null) {
                tree.set("answer", answer);
            }
            error.ifPresent(message -> tree.put("error", message));
            return tree;
        }
    }

    /**
     * Reads a list.
     *
     * @throws CommandException if it cannot be read, or has no questions
     */
    static List<Line> read(Path file, InputStream stdin) {
        ManifestFile source = ManifestFile.read(file, "a work list", stdin);
        List<Line> lines = new ArrayList<>();
        for (String line : source.text().lines().toList()) {
            String text = line.strip();
            if (!text.isEmpty() && !text.startsWith("#")) {
                lines.add(new Line(lines.size() + 1, text));
            }
        }
        if (lines.isEmpty()) {
            throw new CommandException(
                    source.name() + ": no questions (expected: one on each line, such as: drain node-1)");
        }
        return lines;
    }

    // The words of a line are as a shell has them, without all but quotes.
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isWord = false;
        char quote = 0;
        for (char next : text.toCharArray()) {
            if (next == quote) {
                quote = 0;
            } else if (quote == 0 && (next == '"' || next == '\'')) {
                quote = next;
                isWord = true;
            } else if (quote == 0 && Character.isWhitespace(next)) {
                if (isWord) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                isWord = false;
            } else {
                word.append(next);
                isWord = true;
            }
        }
        if (quote != 0) {
            throw new CommandException("quote " + quote + " is not closed (expected: one more)");
        }
        if (isWord) {
            words.add(word.toString());
        }
        return words;
    }

    private static Question question(List<String> words, Terminal terminal) {
        Question question = Commands.question(words.get(0), terminal);
        try {
            // A list may come from a user who must not read this process's files through an error message.
            ParseResult parsed = new CommandLine(question)
                    .setExpandAtFiles(false)
                    .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
            for (CommandSpec mixin : parsed.commandSpec().mixins().values()) {
                expected(mixin.userObject()).ifPresent(expected -> refuse(mixin, parsed, expected));
            }
        } catch (ParameterException e) {
            throw new CommandException(Objects.requireNonNullElse(e.getMessage(), ""), e);
        }
        return question;
    }

    // The alternative to options that are not allowed on a list; empty for options that are.
    private static Optional<String> expected(Object options) {
        if (options instanceof ClusterOptions) {
            return Optional.of("an option of the whole sweep, which has one cluster and one scheduler");
        }
        return options instanceof OutputOptions || options instanceof ReportOptions
                ? Optional.of("not in a batch, whose answers are lines of JSON")
                : Optional.empty();
    }

    private static void refuse(CommandSpec mixin, ParseResult parsed, String expected) {
        for (OptionSpec option : mixin.options()) {
            if (parsed.hasMatchedOption(option)) {
                throw new CommandException(option.longestName() + ": (expected: " + expected + ")");
            }
        }
    }
}
