// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/**
 * A response.
 *
 * @param status the HTTP status code
 * @param headers the headers, except those that the server adds: the length, the date, and whether the connection is
 *     closed
 * @param length the length of the body in bytes
 * @param body writes the body
 */
public record Response(int status, Map<String, String> headers, long length, Body body) implements HandlerResult {
    public Response {
        headers = Map.copyOf(headers);
    }

    /** Writes the body of a response. */
    @FunctionalInterface
    public interface Body extends AutoCloseable {
        /**
         * Writes the body; not called for HEAD requests.
         *
         * @throws IOException if it cannot be written
         */
        void writeTo(OutputStream out) throws IOException;

        /** Called when the response has been sent, or could not be sent. */
        @Override
        default void close() {}
    }

    /** Returns a response with its body in memory. */
    public static Response of(int status, Map<String, String> headers, byte[] body) {
        return new Response(status, headers, body.length, out -> out.write(body));
    }
}
