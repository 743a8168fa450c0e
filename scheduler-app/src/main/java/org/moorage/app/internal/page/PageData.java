// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonGenerator.Feature;
import java.io.IOException;
import java.io.OutputStream;
import org.moorage.app.internal.process.Version;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.report.ReportBlocks;

/** Writes a {@link PageContent} as the JSON that the page reads. */
public final class PageData {
    private PageData() {}

    /** Writes it, and leaves the stream open. */
    public static void write(PageContent content, OutputStream out) throws IOException {
        try (JsonGenerator json = AnswerJson.JSON.createGenerator(out)) {
            json.disable(Feature.AUTO_CLOSE_TARGET);
            write(content, json);
        }
    }

    private static void write(PageContent content, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("title", content.title());
        json.writeStringField("command", content.command());
        json.writeStringField("made", content.made().toString());
        json.writeStringField("version", Version.ofMoorage());
        json.writeStringField("decidesAs", Version.KUBE_SCHEDULER);
        json.writePOJOField("notes", content.notes());
        json.writeFieldName("cluster");
        ClusterColumns.write(content.cluster(), json);
        if (content.before().isPresent()) {
            json.writeFieldName("before");
            ClusterColumns.write(content.before().get(), json);
        }
        json.writePOJOField("moves", content.moves());
        json.writePOJOField("groups", content.groups());
        json.writePOJOField("evaluations", content.evaluations());
        json.writeArrayFieldStart("answers");
        for (PageAnswer answer : content.answers()) {
            write(answer, json);
        }
        json.writeEndArray();
        if (content.paths().isPresent()) {
            json.writePOJOField("live", content.paths().get());
        }
        json.writeEndObject();
    }

    private static void write(PageAnswer answer, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("title", answer.title());
        json.writeBooleanField("succeeded", answer.succeeded());
        json.writeStringField("headline", answer.headline());
        json.writePOJOField("figures", answer.figures());
        json.writeArrayFieldStart("blocks");
        for (ReportBlocks.Block block : answer.blocks()) {
            json.writeStartObject();
            json.writeStringField("kind", block.kind());
            json.writePOJOField("content", block);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writePOJOField("tree", answer.tree());
        json.writeEndObject();
    }
}
