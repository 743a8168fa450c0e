// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Reads the body of a request. It takes no thread before the body, or a good part of a long one, has come.
 *
 * @param mostBytes how long the body may be
 * @param atMost how long it may take to come
 * @param reading reads it and answers
 */
public record ReadBody(long mostBytes, Duration atMost, Reading reading) implements Answer {
    /** Reads a body and answers. */
    @FunctionalInterface
    public interface Reading {
        /**
         * Answers a request with this body.
         *
         * @param body the body as it comes; reading it throws {@link BodyTooLongException} where it is longer than it may be
         * @throws IOException if the body cannot be read
         */
        Response answer(InputStream body) throws IOException;
    }
}
