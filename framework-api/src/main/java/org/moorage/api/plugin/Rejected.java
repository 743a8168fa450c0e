// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.Code;
import org.moorage.api.Status;

/** The check of the status of a result that rejects. */
final class Rejected {
    private Rejected() {}

    /**
     * Returns the status.
     *
     * @throws IllegalArgumentException if it is not a rejection; the message has its reasons if it is an error
     */
    static Status checked(Status status) {
        if (!status.isRejection()) {
            String reasons = status.code() == Code.ERROR ? " \"" + status.message() + "\"" : "";
            throw new IllegalArgumentException(
                    "status: " + status.code() + reasons + " (expected: a rejection; a plugin that fails throws)");
        }
        return status;
    }
}
