// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.batch;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.moorage.app.internal.options.ManifestFile;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;

/** The questions of a batch, each on a line of a file. */
public final class WorkList {
    /** The exit code of a question that cannot be answered. */
    static final int NO_ANSWER = 2;

    private WorkList() {}

    /**
     * A question.
     *
     * @param number the number of the question, from 1 on
     * @param text the command line without {@code moorage}
     */
    record Line(int number, String text) {
        /**
         * Answers the question. An invalid question, and one that fails, has an error in place of an answer.
         *
         * @param of the number of all questions
         * @param isWhole whether the answer has its lists of pods and nodes
         * @param terminal is not written to
         */
        BatchLine answer(AskedCluster asked, QuestionRegistry questions, int of, boolean isWhole, Terminal terminal) {
            try {
                Report report = questions.parse(words(text), terminal).answer(asked);
                Answer answer = isWhole ? report.answer() : report.answer().withoutLists();
                return new BatchLine(
                        number, of, text, report.succeeded() ? 0 : 1, Optional.of(answer), Optional.empty());
            } catch (RuntimeException | StackOverflowError e) {
                String error = Objects.requireNonNullElse(e.getMessage(), e.toString());
                return new BatchLine(number, of, text, NO_ANSWER, Optional.empty(), Optional.of(error));
            }
        }
    }

    /**
     * Reads a list.
     *
     * @throws CommandException if it cannot be read, or has no questions
     */
    public static List<Line> read(Path file, InputStream stdin) {
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
}
