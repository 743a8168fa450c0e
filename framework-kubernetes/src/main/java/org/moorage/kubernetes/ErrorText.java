// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.InterruptedIOException;

/** Formats exceptions for one-line messages. */
final class ErrorText {
    private static final String TIMED_OUT = "timed out";

    private ErrorText() {}

    static String of(Throwable thrown) {
        // Connection and request timeouts have different messages, and either may occur first: use one text for both.
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
