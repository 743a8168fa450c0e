// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.moorage.http.Response;

/**
 * What a page answers.
 *
 * @param code the HTTP status code
 * @param contentType the format of the body
 * @param body the body
 */
@SuppressWarnings("ArrayRecordComponent") // written once, by its maker
public record Reply(int code, String contentType, byte[] body) {
    /** A plain text. */
    public static Reply text(int code, String text) {
        return new Reply(code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    /** JSON. */
    public static Reply json(int code, String text) {
        return new Reply(code, "application/json", text.getBytes(StandardCharsets.UTF_8));
    }

    /** A page for browsers. */
    public static Reply html(byte[] page) {
        return new Reply(200, "text/html; charset=utf-8", page);
    }

    /** The response that sends it, with these headers beside its format. */
    public Response response(Map<String, String> headers) {
        Map<String, String> all = new HashMap<>(headers);
        all.put("Content-Type", contentType);
        return Response.of(code, all, body);
    }

    /** That there is no page of that path. */
    public static Reply notFound() {
        return text(404, "404 page not found\n");
    }

    /** A failure as the API server words it. */
    static Reply status(int code, String reason, String message, boolean withDetails) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Failure").put("message", message).put("reason", reason);
        if (withDetails) {
            status.putObject("details");
        }
        return json(code, status.put("code", code).toPrettyString());
    }
}
