// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

/** What is said of a failure in one line. */
final class Failures {
    private Failures() {}

    static String shown(Throwable failure) {
        String message = failure.getMessage();
        String type = failure.getClass().getSimpleName();
        return message == null || message.isBlank()
                ? type
                : type + ": " + message.strip().replace('\n', ' ');
    }
}
