// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;

/** Answers requests. */
public interface Handler {
    /**
     * Returns whether a request is a health request, which is answered on separate threads without waiting for other
     * requests. Called on the thread that serves all connections, so it must not read anything but the request, and
     * such a request must be answered without blocking.
     */
    boolean isHealth(Request request);

    /**
     * Answers a request, whose body has not been read; called by several threads.
     *
     * @return the response, or how to read the body
     * @throws IOException if it cannot be answered; the connection is closed
     */
    HandlerResult answer(Request request) throws IOException;

    /** Reports a failure that was answered with status 500. Called on the thread that answered the request. */
    void failed(Request request, Throwable thrown);

    /**
     * Reports the connections and requests that the server closed or refused since the last report, for lack of a
     * resource. Called at most once in ten seconds, on the thread that serves all connections, so it must not block.
     */
    void overloaded(Overload overload);
}
