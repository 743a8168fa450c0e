// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;

/** Answers requests. */
public interface Handler {
    /**
     * Whether a request is answered on threads that no other request waits for. Asked on the thread that serves all connections, so it
     * looks at the request and nothing else; what is answered so must not wait for anything.
     */
    boolean isHealth(Request request);

    /**
     * Answers a request, whose body has not been read; called by several threads.
     *
     * @return the response, or what is to be done with the body
     * @throws IOException if it cannot be answered; the connection is closed
     */
    Answer answer(Request request) throws IOException;

    /** What a request was answered with 500 for. Called on the thread that answered it. */
    void failed(Request request, Throwable thrown);
}
