// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * An order to read the body of a request. No thread is used before the body, or a good part of a long one, has arrived.
 *
 * @param mostBytes the maximum length of the body
 * @param atMost how long the body may take to arrive
 * @param reading reads the body and answers
 */
public record ReadBody(long mostBytes, Duration atMost, Reading reading) implements HandlerResult {
    /** Reads a body and answers the request. */
    @FunctionalInterface
    public interface Reading {
        /**
         * Answers a request with the given body.
         *
         * @param body the body as it arrives; reading beyond its maximum length throws {@link BodyTooLongException}
         * @throws IOException if the body cannot be read
         */
        Response answer(InputStream body) throws IOException;
    }
}
