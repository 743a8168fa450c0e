// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.InterruptedIOException;

/** The text of an exception for a message of one line. */
final class ErrorText {
    private static final String TIMED_OUT = "timed out";

    private ErrorText() {}

    static String of(Throwable thrown) {
        // The limits of a connection and of the request have texts of their own; which is first is chance.
        if (thrown instanceof InterruptedIOException && !Thread.currentThread().isInterrupted()) {
            return TIMED_OUT;
        }
        String message = thrown.getMessage();
        String type = thrown.getClass().getSimpleName();
        return message == null || message.isBlank()
                ? type
                : type + ": " + message.strip().replace('\n', ' ');
    }
}
