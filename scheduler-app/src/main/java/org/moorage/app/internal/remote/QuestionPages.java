// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.remote;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.InstantSource;
import java.util.List;
import org.moorage.app.internal.page.PageContent;
import org.moorage.app.internal.page.ServedPage;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.serving.OneAtATime;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.app.internal.serving.SecureServer;

/**
 * Serves questions: {@code POST /api/v1/NAME} answers one, with {@code view=page} as the data of a page, and
 * {@code GET /api/v1} lists them with the schemas of their arguments and answers.
 */
public final class QuestionPages {
    /** The path of the list, and of the questions below it. */
    public static final String PATH = "/api/v1";

    private static final JsonMapper ARGUMENTS = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final RemoteQuestions questions;
    private final InstantSource clock;

    /**
     * Creates the pages of these questions.
     *
     * @param clock when an answer is made
     */
    public QuestionPages(RemoteQuestions questions, InstantSource clock) {
        this.questions = questions;
        this.clock = clock;
    }

    private record Answered(int exitCode, Answer answer) {}

    private record Refused(String error) {}

    /**
     * Adds the pages to a server.
     *
     * @param turn answers one request at a time
     */
    public void addTo(SecureServer server, OneAtATime turn) {
        String list = list();
        server.page(PATH, query -> Reply.json(200, list));
        for (QuestionForm form : questions.forms()) {
            Page answers = turn.of(query -> answer(form, query));
            server.jsonPage(
                    PATH + "/" + form.name(),
                    query -> query.method().equals("POST") ? answers.reply(query) : Reply.methodNotAllowed("POST"));
        }
    }

    private String list() {
        ObjectNode list = AnswerJson.JSON.createObjectNode();
        ArrayNode entries = list.putArray("questions");
        for (QuestionForm form : questions.forms()) {
            ObjectNode entry = entries.addObject().put("name", form.name()).put("summary", form.summary());
            entry.set("arguments", form.schema());
            entry.set("answer", questions.answerSchema(form));
        }
        return list.toString();
    }

    private Reply answer(QuestionForm form, Query query) {
        try {
            JsonNode arguments = arguments(query.body());
            if (!query.values("view").isEmpty()) {
                return page(form, arguments, query.values("view"));
            }
            Report report = questions.answer(form, arguments);
            return Reply.json(200, AnswerJson.line(new Answered(RemoteQuestions.exitCode(report), report.answer())));
        } catch (CommandException refused) {
            return Reply.json(400, AnswerJson.line(new Refused(String.valueOf(refused.getMessage()))));
        }
    }

    // The data of a page with the answer, as the file that --report writes has it.
    private Reply page(QuestionForm form, JsonNode arguments, List<String> views) {
        if (!views.equals(List.of("page"))) {
            throw new CommandException("view: " + views + " (expected: page)");
        }
        PageContent.Builder content = questions
                .page(form, arguments)
                .orElseThrow(() ->
                        new CommandException("view: page (expected: none, since " + form.name() + " has no page)"));
        return ServedPage.data(content.made(clock.instant()).build());
    }

    private static JsonNode arguments(String body) {
        try {
            return ARGUMENTS.readTree(body);
        } catch (JsonProcessingException e) {
            throw new CommandException(
                    "body: " + e.getOriginalMessage() + " (expected: a JSON object with the arguments)", e);
        }
    }
}
