// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

/** The text of an exception for a message of one line. */
final class ErrorText {
    private ErrorText() {}

    static String of(Throwable thrown) {
        String message = thrown.getMessage();
        String type = thrown.getClass().getSimpleName();
        return message == null || message.isBlank()
                ? type
                : type + ": " + message.strip().replace('\n', ' ');
    }
}
