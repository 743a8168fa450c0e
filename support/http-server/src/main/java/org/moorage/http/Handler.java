// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;

/** Answers requests. */
public interface Handler {
    /**
     * Whether a request is answered on separate threads, for which no other request waits. Called on the thread that serves all
     * connections, so it looks at the request and nothing else; such a request is answered without waiting for anything.
     */
    boolean isHealth(Request request);

    /**
     * Answers a request, whose body has not been read; called by several threads.
     *
     * @return the response, or how to read the body
     * @throws IOException if it cannot be answered; the connection is closed
     */
    Answer answer(Request request) throws IOException;

    /** Reports what a request was answered with 500 for. Called on the thread that answered it. */
    void failed(Request request, Throwable thrown);

    /**
     * Reports what the server has closed and refused since the last report, because something ran short. Called at most once in ten
     * seconds, on the thread that serves all connections, so it must not wait for anything.
     */
    void overloaded(Overload overload);
}
