// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.moorage.http.Response;

/**
 * The answer of a page.
 *
 * @param code the HTTP status code
 * @param contentType the format of the body
 * @param body the body
 * @param headers further headers
 */
@SuppressWarnings("ArrayRecordComponent") // written once, by its maker
public record Reply(int code, String contentType, byte[] body, Map<String, String> headers) {
    public Reply {
        headers = Map.copyOf(headers);
    }

    /** A reply without other headers. */
    public Reply(int code, String contentType, byte[] body) {
        this(code, contentType, body, Map.of());
    }

    /** This reply with one more header. */
    public Reply with(String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return new Reply(code, contentType, body, more);
    }

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

    /** The response that sends it, with these headers in addition to its own. */
    public Response response(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(more);
        all.putAll(headers);
        all.put("Content-Type", contentType);
        return Response.of(code, all, body);
    }

    /** Returns the reply that no page has this path. */
    public static Reply notFound() {
        return text(404, "404 page not found\n");
    }

    /** Returns the reply that the page does not support the method, with the allowed methods. */
    public static Reply methodNotAllowed(String allowed) {
        return text(405, "Method Not Allowed\n").with("Allow", allowed);
    }

    /** Returns a failure in the API server's words. */
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
