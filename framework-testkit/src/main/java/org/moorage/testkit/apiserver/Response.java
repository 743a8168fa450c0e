// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;

/** The response of a {@link FakeApiServer} to a request, for {@link FakeApiServer#on}. Immutable. */
public final class Response {
    private static final int OK = 200;
    private static final int FIRST_FAILURE = 400;
    private static final CountDownLatch RELEASED = new CountDownLatch(0);

    /** Writes the body of a response. */
    @FunctionalInterface
    public interface Body {
        /**
         * Writes the body. The stream may be flushed, and is closed by the server.
         *
         * @throws IOException if the client has closed the connection
         * @throws InterruptedException if the server is closed
         */
        void writeTo(OutputStream out) throws IOException, InterruptedException;
    }

    private final int code;
    private final Map<String, String> headers;
    private final Body body;
    private final CountDownLatch released;
    private final boolean isConnectionKept;

    private Response(
            int code, Map<String, String> headers, Body body, CountDownLatch released, boolean isConnectionKept) {
        this.code = code;
        this.headers = Map.copyOf(headers);
        this.body = body;
        this.released = released;
        this.isConnectionKept = isConnectionKept;
    }

    /** Returns a response of code 200. */
    public static Response ok(String body) {
        return of(OK, body);
    }

    /** Returns a response with any code and body. */
    public static Response of(int code, String body) {
        byte[] bytes = body.getBytes(UTF_8);
        return streamed(out -> out.write(bytes)).withCode(code);
    }

    /**
     * Returns a {@code Status} object, as API servers respond with to a failure, or to a binding.
     *
     * @param code the HTTP status code; from 400 on the status is {@code Failure}
     * @param reason for example {@code Conflict}; empty for none
     * @param message text for people
     */
    public static Response status(int code, String reason, String message) {
        return of(code, statusObject(code, reason, message).toString());
    }

    static ObjectNode statusObject(int code, String reason, String message) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        return status.put("status", code < FIRST_FAILURE ? "Success" : "Failure")
                .put("message", message)
                .put("reason", reason)
                .put("code", code);
    }

    /** Returns a response of code 200 whose body is written piece by piece, for example a list too large for a text. */
    public static Response streamed(Body body) {
        return new Response(OK, Map.of(), body, RELEASED, true);
    }

    /** Returns a response of code 200 that sends lines as a test adds them, and ends at the first empty line. */
    public static Response stream(BlockingQueue<String> lines) {
        return streamed(out -> {
            out.flush();
            for (String line = lines.take(); !line.isEmpty(); line = lines.take()) {
                out.write((line.replace("\n", " ") + "\n").getBytes(UTF_8));
                out.flush();
            }
        });
    }

    /** Returns a response that is never sent. The connection stays open until the server or the client closes it. */
    public static Response silence() {
        return ok("").after(new CountDownLatch(1));
    }

    /** Returns a response that closes the connection without sending anything. */
    public static Response disconnect() {
        return new Response(OK, Map.of(), out -> {}, RELEASED, false);
    }

    private Response withCode(int other) {
        return new Response(other, headers, body, released, isConnectionKept);
    }

    /** Returns this response with another header. */
    public Response with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new Response(code, more, body, released, isConnectionKept);
    }

    /** Returns this response, sent only when a latch has counted down to zero. */
    public Response after(CountDownLatch latch) {
        return new Response(code, headers, body, latch, isConnectionKept);
    }

    int code() {
        return code;
    }

    Map<String, String> headers() {
        return headers;
    }

    Body body() {
        return body;
    }

    /** Returns whether there is a response at all, rather than a closed connection. */
    boolean isConnectionKept() {
        return isConnectionKept;
    }

    void awaitRelease() throws InterruptedException {
        released.await();
    }
}
