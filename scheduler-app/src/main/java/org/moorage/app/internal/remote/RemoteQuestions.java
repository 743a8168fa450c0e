// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.process.UserErrors;
import org.moorage.app.internal.question.AskedCluster;
import org.moorage.app.internal.question.Question;
import org.moorage.app.internal.question.QuestionRegistry;
import org.moorage.app.internal.report.Report;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Answers questions of other programs about a cluster that has been read. The programs are untrusted: no question reads
 * a file of this machine. One question is answered at a time.
 */
public final class RemoteQuestions {
    private final QuestionRegistry questions;
    private final AskedCluster cluster;
    private final Map<String, QuestionForm> forms = new LinkedHashMap<>();
    private final Map<String, ObjectNode> answers = new LinkedHashMap<>();

    /** Creates the questions about a cluster. */
    public RemoteQuestions(QuestionRegistry questions, AskedCluster cluster) {
        this.questions = questions;
        this.cluster = cluster;
        for (String name : questions.names()) {
            CommandSpec spec = questions.spec(name, cluster.terminal());
            forms.put(name, QuestionForm.of(name, spec));
            answers.put(name, AnswerSchema.of(((Question) spec.userObject()).answerSchemas()));
        }
    }

    /** Returns the forms of all questions, in the order of the help. */
    List<QuestionForm> forms() {
        return new ArrayList<>(forms.values());
    }

    /** Returns the JSON schema of the answers of a question. */
    ObjectNode answerSchema(QuestionForm form) {
        return Objects.requireNonNull(answers.get(form.name())).deepCopy();
    }

    /**
     * Answers a question.
     *
     * @param arguments an object as the form describes it
     * @throws CommandException if the arguments are refused, or the question cannot be answered; the message is for the
     *     client
     */
    Report answer(QuestionForm form, JsonNode arguments) {
        return ask(form, arguments, Question::answer);
    }

    /**
     * Answers a question with the content of a page; empty if the question has no page.
     *
     * @param arguments an object as the form describes it
     * @throws CommandException as {@link #answer} does
     */
    Optional<PageContent.Builder> page(QuestionForm form, JsonNode arguments) {
        return ask(form, arguments, Question::page);
    }

    private synchronized <T> T ask(
            QuestionForm form, JsonNode arguments, BiFunction<Question, AskedCluster, T> answer) {
        QuestionForm.Parsed parsed = form.parse(arguments);
        AskedCluster asked =
                cluster.forClient(new ByteArrayInputStream(parsed.manifest().getBytes(UTF_8)));
        try {
            return answer.apply(questions.parse(parsed.words(), asked.terminal()), asked);
        } catch (CommandException refused) {
            throw refused;
        } catch (RuntimeException failed) {
            throw UserErrors.contain(failed)
                    ? new CommandException(String.valueOf(failed.getMessage()), failed)
                    : failed;
        } catch (StackOverflowError e) {
            throw new CommandException("the question is nested too deeply", e);
        }
    }

    /** Returns the exit code of the command with the same answer. */
    static int exitCode(Report report) {
        return report.succeeded() ? 0 : 1;
    }
}
